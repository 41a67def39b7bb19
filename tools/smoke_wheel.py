"""Do wheel and sdist work where nothing else is? Fresh virtual environments, one extra and one check each.

    make smoke
    make smoke PYTHONS="python3.11 /opt/python3.14/bin/python3"
    python -m tools.smoke_wheel dist/* --pythons python3.11 python3.13 --extras numpy train

The wheel is tried with every extra, the sdist alone. Most of the time goes into installing. A table at the
end says what worked. Exit code 1 if a check failed, a distribution holds what it should not, or nothing was
tried. Packages are kept at a version by pip's own means (`PIP_CONSTRAINT=file`). With `--uv` it is uv that
installs, many times faster.
"""

import argparse
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tools.smoke_checks import CHECKS

PYTHONS = [f"python3.{minor}" for minor in (11, 12, 13, 14)]
NEEDED = {"autotelic/py.typed", "autotelic/report/page/page.html", "autotelic/report/page/main.js"}
KINDS = {".py", ".typed", ".html", ".js", ".css", ""}
"""The suffixes of a wheel's files. Those of dist-info have none, but for its texts."""
BESIDE_SOURCE = {"examples", "CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO", "README.md"}
BESIDE_SOURCE |= {"SECURITY.md", "pyproject.toml", ".gitignore"}
"""What an sdist holds beside `src`; hatchling adds the last one by itself."""
SDIST = "sdist"
WORKS, FAILED, NOT_TRIED, NOT_HERE = "ok", "FAILED", "not tried", "not here"
NO_BUILD = re.compile(r"No matching distribution found for ([\w.-]+)")


def contents(distribution: Path) -> list[str]:
    """The files of a wheel, or of an sdist below its folder."""
    if distribution.suffix == ".whl":
        return zipfile.ZipFile(distribution).namelist()
    with tarfile.open(distribution) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def wrong_content(names: list[str], sdist: bool = False) -> list[str]:
    """What is missing from the files of a wheel or sdist, and what is in it that no program needs."""
    below = "src/" if sdist else ""
    found = [f"{name} is missing" for name in sorted({below + one for one in NEEDED} - set(names))]
    for name in names:
        top = name.split("/")[0]
        if top in BESIDE_SOURCE if sdist else top.endswith(".dist-info"):
            continue
        ours = name.startswith(f"{below}autotelic/") and PurePosixPath(name).suffix in KINDS
        if not ours or "/test" in name:
            found.append(f"{name} does not belong in the {'sdist' if sdist else 'wheel'}")
    return found


def smoke(python: str, distribution: Path, extra: str, uv: bool = False) -> str:
    """Install one with an extra in a fresh environment and run its check; the end of what failed."""
    with tempfile.TemporaryDirectory(prefix="autotelic-smoke-") as folder:
        own = str(Path(folder) / "venv" / "bin" / "python")
        wanted = str(distribution.resolve()) + (f"[{extra}]" if extra != "numpy" else "")
        pip = [
            own,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--no-compile",
        ]
        install = ["uv", "pip", "install", "--quiet", "--python", own] if uv else pip
        venv = [python, "-m", "venv", *["--without-pip"] * uv, "venv"]
        steps = [venv, [*install, wanted]]
        # -P: the current folder is not where modules are looked for, so the installed package is tried.
        steps += [[own, "-P", "-c", program] for program in CHECKS[extra]]
        for words in steps:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                return (done.stdout + done.stderr).strip()[-1500:] or f"exit {done.returncode}"
    return ""


def version(python: str) -> str:
    """Which Python a command is, such as "3.11"; "" if it does not run: a link may lead nowhere."""
    asked = "import sys; print('{}.{}'.format(*sys.version_info))"
    try:
        done = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def verdict(fault: str) -> str:
    """The word of the table for the end of what failed ("" if nothing did)."""
    missing = NO_BUILD.search(fault)
    if missing:
        return f"no {missing[1]} for it"
    return FAILED if fault else WORKS


def table(verdicts: Mapping[tuple[str, str], str], pythons: list[str], rows: list[str]) -> str:
    """One line for each of `rows`, one column for each Python; what has no verdict was not tried."""
    lines = [["", *pythons]]
    lines += [[row, *(verdicts.get((one, row), NOT_TRIED) for one in pythons)] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (zip(line, widths, strict=True) for line in lines)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in line).rstrip() for line in padded
    )


def main() -> int:
    """Try the distributions with every Python that is there and every extra; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("distributions", nargs="+", type=Path, metavar="dist/*")
    parser.add_argument("--pythons", nargs="+", default=PYTHONS)
    parser.add_argument("--extras", nargs="+", default=list(CHECKS), choices=list(CHECKS))
    parser.add_argument("--uv", action="store_true")
    flags = parser.parse_args()
    wrong = 0
    tried: list[tuple[str, Path, str]] = []
    for distribution in sorted(flags.distributions):
        sdist = distribution.suffix != ".whl"
        found = wrong_content(contents(distribution), sdist)
        print("\n".join(found) or f"{distribution.name}: its files are as they should be")
        wrong += len(found)
        # An sdist becomes a wheel first; what is installed with it is then the same.
        tried += [(SDIST, distribution, "numpy")] if sdist else []
        tried += [] if sdist else [(extra, distribution, extra) for extra in flags.extras]
    verdicts: dict[tuple[str, str], str] = {}
    columns = {version(python) or python: python for python in flags.pythons}
    for column, python in columns.items():
        here = version(python) != ""
        for row, distribution, extra in tried:
            fault = smoke(python, distribution, extra, flags.uv) if here else ""
            said = verdicts[column, row] = verdict(fault) if here else NOT_HERE
            print(f"{column} {row}: {said}", *[fault] * bool(fault), sep="\n", flush=True)
    print(table(verdicts, list(columns), [*CHECKS, SDIST]))
    # A package that does not exist for a Python is no fault of ours; a Python on which nothing works is.
    works = WORKS in verdicts.values()
    return 1 if wrong or FAILED in verdicts.values() or not works else 0


if __name__ == "__main__":
    raise SystemExit(main())
