"""Does the wheel work where nothing else is? Fresh virtual environments, one extra and one small check each.

    make smoke
    python -m tools.smoke_wheel dist/*.whl --pythons python3.11 python3.13 --extras numpy train

Most of the time goes into installing. Exit code 1 if a check failed, or the wheel holds what it should not.
"""

import argparse
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from tools.smoke_checks import CHECKS

PYTHONS = [f"python3.{minor}" for minor in (11, 12, 13, 14)]
NEEDED = {"autotelic/py.typed", "autotelic/report/page/page.html", "autotelic/report/page/main.js"}
KINDS = {".py", ".typed", ".html", ".js", ".css", ""}
"""The suffixes of a wheel's files. Those of dist-info have none, but for its texts."""


def wrong_content(names: list[str]) -> list[str]:
    """What is missing from a wheel's files, and what is in it that no program needs."""
    found = [f"{name} is missing" for name in sorted(NEEDED - set(names))]
    for name in names:
        top = name.split("/")[0]
        strange = top != "autotelic" or Path(name).suffix not in KINDS or "/test" in name
        if strange and not top.endswith(".dist-info"):
            found.append(f"{name} does not belong in the wheel")
    return found


def smoke(python: str, wheel: Path, extra: str) -> str:
    """Install the wheel with an extra in a fresh environment and run its check; the end of what failed."""
    with tempfile.TemporaryDirectory(prefix="autotelic-smoke-") as folder:
        own = str(Path(folder) / "venv" / "bin" / "python")
        wanted = str(wheel.resolve()) + (f"[{extra}]" if extra != "numpy" else "")
        install = [own, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        steps = [[python, "-m", "venv", "venv"], [*install, wanted]]
        # -P: the current folder is not where modules are looked for, so the installed package is tried.
        steps += [[own, "-P", "-c", program] for program in CHECKS[extra]]
        for words in steps:
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                return (done.stdout + done.stderr).strip()[-1500:] or f"exit {done.returncode}"
    return ""


def main() -> int:
    """Try the wheel with every Python that is there and every extra; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--pythons", nargs="+", default=PYTHONS)
    parser.add_argument("--extras", nargs="+", default=list(CHECKS), choices=list(CHECKS))
    flags = parser.parse_args()
    wrong = wrong_content(zipfile.ZipFile(flags.wheel).namelist())
    print("\n".join(wrong) or f"{flags.wheel.name}: its files are as they should be")
    failed = len(wrong)
    for python in flags.pythons:
        if shutil.which(python) is None:
            print(f"{python}: not on this machine")
            continue
        for extra in flags.extras:
            fault = smoke(python, flags.wheel, extra)
            failed += bool(fault)
            print(
                f"{python} {extra}: {'FAILED' if fault else 'works'}", fault, sep="\n"[: len(fault)]
            )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
