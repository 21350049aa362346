# SPDX-License-Identifier: MIT
"""Pages of the public headers: what each declares, with its comments, without bodies and private parts."""
import html
import re
import textwrap
from pathlib import Path

from headers import read_headers
from pages import HEADERS, SOURCE, Broken, Page, code_block
from slug import slug, unique


def inline(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def block(lines):
    """Indented lines: terms with their explanations in a column of their own, or code."""
    first = re.match(r" +\w+  +(?=\S)", lines[0])
    column = first.end() if first else 0
    heads, texts = [line[:column] for line in lines], [line[column:] for line in lines]
    if not (first and all(re.fullmatch(r" +(\w+ +)?", head) for head in heads) and
            all(re.match(r"\S", text) for text in texts) and sum(not head.isspace() for head in heads) > 1):
        return f"<pre><code>{html.escape(textwrap.dedent(chr(10).join(lines)))}\n</code></pre>"
    terms = []
    for head, text in zip(heads, texts):
        if not head.isspace():
            terms.append((head.strip(), []))
        terms[-1][1].append(text)
    return "<dl>" + "".join(f"<dt>{term}</dt><dd>{inline(' '.join(text))}</dd>" for term, text in terms) + "</dl>"


def as_html(text):
    """Comments are plain text; what is indented or marked as code stays as it is written."""
    out, paragraph = [], []

    def flush():
        if paragraph:
            out.append(f"<p>{inline(' '.join(paragraph))}</p>")
            paragraph.clear()

    code = []
    for line in text.splitlines() + [""]:
        table = not paragraph and re.match(r"\w+ {2,}\S", line)  # a table may begin in the first column
        if (line.startswith("  ") and (code or not paragraph or paragraph[-1].endswith((":", ".", ",")))) or table:
            flush()
            code.append(line)
            continue
        if code:
            out.append(block(code))
            code = []
        if line.strip():
            paragraph.append(line.strip())
        else:
            flush()
    return "".join(out)


def summary(intro):
    """The first sentence of an introduction, up to its first formula."""
    text = " ".join(re.split(r"\n(?:\n|  )", intro)[0].split())
    return re.split(r"(?<=[^.]\.)\s(?=[A-Z])", text)[0].rstrip(":,")


def header_page(path, intro, items):
    if not items and not intro:
        raise Broken(f"{path}: nothing is declared or explained")
    include = str(path.relative_to(HEADERS))
    anchors, sections, body = set(), [], []
    for item in items:
        name = item.name
        anchor = unique(slug(name), anchors)
        known = sections and sections[-1][0] == name  # overloads share a heading
        if not known:
            body.append(f'<h2 id="{anchor}"><code>{html.escape(name)}</code>'
                        f'<a class="headerlink" href="#{anchor}">#</a></h2>')
            sections.append((name, anchor))
        body.append(as_html(item.comment) + code_block(item.code, "cpp"))
    head = (f"<h1>{html.escape(include)}</h1>" + code_block(f"#include <{include}>", "cpp") + as_html(intro) +
            '<p><a href="{repo}' + str(path) + SOURCE + '">the whole header</a></p>')
    return Page(path, include, head + "".join(body), anchors, sections)


def index_page(headers):
    """`headers`: [(page, introduction)]"""
    groups = [("The border, in C", lambda p: p.title.endswith("abi.h")),
              ("What an author includes", lambda p: p.title.endswith("plugin.hpp") or "/sdk/" in p.title),
              ("The kit: parts of solvers", lambda p: "/kit/" in p.title)]
    body = ["<h1>API reference</h1><p>Written from the public headers: what each declares, with its comments.</p>"]
    for title, belongs in groups:
        body.append(f'<h2 id="{slug(title)}">{title}</h2><div class="table"><table><thead><tr><th>header</th>'
                    "<th>what is in it</th></tr></thead><tbody>")
        for page, intro in headers:
            if belongs(page):
                body.append(f'<tr><td><a href="{{repo}}{page.path}"><code>{page.title}</code></a></td>'
                            f"<td>{inline(summary(intro))}</td></tr>")
        body.append("</tbody></table></div>")
    return Page(Path("docs/api/index.md"), "API reference", "".join(body), [slug(t) for t, _ in groups])


def api_pages(repo):
    """{path: page} of the headers and of their index."""
    pages, headers = {}, []
    for name, (intro, items) in sorted(read_headers(repo / HEADERS).items()):
        path = Path(HEADERS) / name
        pages[path] = header_page(path, intro, items)
        headers.append((pages[path], intro))
    index = index_page(headers)
    return {**pages, index.path: index}
