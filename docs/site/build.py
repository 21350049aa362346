# SPDX-License-Identifier: MIT
"""Writes the documentation site: docs/**/*.md, the public headers, and every file that they link to.

usage: build.py REPO OUT        OUT is replaced. A link or an anchor that leads nowhere is an error, and so is a page
                                without its place in the navigation or in docs/index.md, or a place without its page"""
import html
import json
import shutil
import sys
from pathlib import Path

try:
    import api
    import python_api
    from pages import HEADERS, SOURCE, Broken, relative, render, resolve_links, source_page
except ModuleNotFoundError as error:
    sys.exit(f"{error}: the site needs the packages python3-markdown and python3-pygments; scripts/site installs them")
if not shutil.which("doxygen"):
    sys.exit("there is no doxygen, which reads the headers for the site; scripts/site installs it")
from navigation import GROUPS, LABELS

HERE = Path(__file__).parent
API = "docs/api/index.md"  # the place of all headers
PYTHON = "docs/api/python.md"


def docs_pages(repo):
    pages, wrong = {}, []
    for file in [*(repo / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
                 *sorted((repo / "docs").rglob("*.md"))]:
        path = file.relative_to(repo)
        try:
            pages[path] = render(path, file.read_text())
        except Broken as error:
            wrong.append(f"{path}: {error}")
    pages[Path(PYTHON)] = render(Path(PYTHON), python_api.markdown(repo))
    return pages, wrong


def misplaced(repo, pages):
    """Every page but those of headers has one place in the navigation, and every place has a page; docs/index.md
    lists all of docs."""
    placed = [path for _, entries in GROUPS for path in entries]
    index = (repo / "docs/index.md").read_text()
    listed = [path for path in pages if path.parts[0] == "docs" and str(path) not in ("docs/index.md", API, PYTHON)]
    return [*(f"{path}: the page has no place in docs/site/navigation.py" for path in pages
              if str(path) not in placed and not str(path).startswith(HEADERS)),
            *(f"docs/index.md: {path} is not listed" for path in listed
              if f"({path.relative_to('docs')})" not in index),
            *(f"docs/site/navigation.py: there is no page {path}" for path in placed if Path(path) not in pages),
            *(f"docs/site/navigation.py: {path} has two places" for path in {*placed} if placed.count(path) > 1)]


def navigation(page, pages):
    """The sidebar as it stands beside `page`."""
    out = []
    place = API if str(page.path).startswith(HEADERS) else str(page.path)
    for title, entries in GROUPS:
        links = []
        for path in entries:
            other = pages[Path(path)]
            here = ' aria-current="page"' if path == place else ""
            label = html.escape(LABELS.get(path, other.title))
            links.append(f'<li><a href="{relative(other.output, page)}"{here}>{label}</a></li>')
        out.append(f'<details{" open" if place in entries or title == GROUPS[0][0] else ""}><summary>{title}</summary>'
                   f'<ul>{"".join(links)}</ul></details>')
    return "".join(out)


def contents(page):
    if len(page.sections) < 3:
        return ""
    links = "".join(f'<li><a href="#{anchor}">{html.escape(name, quote=False).replace("_", "_<wbr>")}</a></li>'
                    for name, anchor in page.sections)
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ul>{links}</ul></nav>'


def write_search(pages, out):
    """Titles, headings and names of the API; the page is read by its <script>, as a file cannot be fetched."""
    entries = []
    for page in pages:
        if str(page.output).startswith("files/"):
            continue
        entries.append([page.title, str(page.output), ""])
        entries += [[name, f"{page.output}#{anchor}", page.title] for name, anchor in page.sections]
    script = (HERE / "search.js").read_text()
    (out / "search.js").write_text(f"const entries = {json.dumps(entries, ensure_ascii=False)};\n{script}")
    return len(entries)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: build.py REPO OUT")
    repo, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    pages, wrong = docs_pages(repo)
    pages.update(api.api_pages(repo))
    wrong += misplaced(repo, pages)

    sources = {}

    def source(path):
        file = repo / str(path).removesuffix(SOURCE)
        if not file.is_file() or not file.is_relative_to(repo) or path.suffix == ".md":
            return None
        if path not in sources:
            sources[path] = source_page(path, file.read_text())
        return sources[path]

    for page in list(pages.values()):
        wrong += resolve_links(page, {**pages, **sources}, source)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        sys.exit(f"the site is not written: {len(wrong)} faults")

    if out.exists() and any(out.iterdir()) and not (out / "search.js").exists():
        sys.exit(f"the site is not written: {out} holds something else, and would be replaced")
    shutil.rmtree(out, ignore_errors=True)
    template = (HERE / "template.html").read_text()
    everything = [*pages.values(), *sources.values()]
    for page in everything:
        file = out / page.output
        file.parent.mkdir(parents=True, exist_ok=True)
        up = relative(Path("."), page)
        title = page.title if str(page.output) == "index.html" else f"{page.title} – Concord"
        file.write_text(template.replace("{title}", html.escape(title)).replace("{root}", up)
                        .replace("{navigation}", navigation(page, pages)).replace("{contents}", contents(page))
                        .replace("{body}", page.body))
    shutil.copy(HERE / "style.css", out)
    entries = write_search(everything, out)
    print(f"{out}/index.html: {len(pages)} pages, {len(sources)} files, {entries} entries to search")


if __name__ == "__main__":
    main()
