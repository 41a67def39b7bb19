"""Does every link of the built pages lead somewhere? `python docs/site/check_links.py FOLDER`."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the anchors it has."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note anchors and links."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value and tag != "link":
                self.links.append(value)


def broken(folder: Path) -> list[str]:
    """The links of all pages in a folder that lead nowhere, or to another host."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("data", "mailto") or parts.netloc in ALLOWED:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            missing = parts.scheme or not target.exists()
            if missing or (anchor and target in pages and anchor not in pages[target].anchors):
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    return found


ALLOWED = ("github.com", "keepachangelog.com")
"""Hosts that the theme's footer and the changelog name; a page loads nothing from them."""

if __name__ == "__main__":
    faults = broken(Path(sys.argv[1]))
    print("\n".join(faults) or "every link leads somewhere")
    sys.exit(bool(faults))
