# SPDX-License-Identifier: MIT
"""Markdown pages and source files as HTML, and where the links between them lead."""
import html
import os
import re
import textwrap
from pathlib import Path

import markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

from slug import plain, slug

HEADERS = "core/include/"  # what is below it has pages of its own in the API reference,
SOURCE = "?source"  # and with this behind its path is shown as it is


class Broken(Exception):
    """A page that cannot be right; the text says where and why."""


def output_of(path):
    """Where the page of a file of the repository is: docs/x/y.md is x/y.html."""
    if path.suffix == ".md":
        parts = path.parts[1:] if path.parts[0] == "docs" else path.parts
        return Path(*parts).with_suffix(".html") if path.parts[0] == "docs" else Path(path.stem.lower() + ".html")
    if str(path).startswith(HEADERS) and not str(path).endswith(SOURCE):
        return Path("api") / (str(path.relative_to(HEADERS)).replace("/", "-") + ".html")
    path = str(path).removesuffix(SOURCE)
    return Path("files") / (str(path) + ".html")


def code_block(text, language, name=""):
    """Highlighted code; an unknown language is plain text."""
    try:
        lexer = get_lexer_by_name(language) if language else get_lexer_for_filename(name) if name else TextLexer()
    except ClassNotFound:
        lexer = TextLexer()
    inner = highlight(text, lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    kind = f' class="lang-{html.escape(language)}"' if language else ""  # "c" alone is a comment of Pygments
    return f'<pre{kind} tabindex="0"><code>{inner}\n</code></pre>'


class Page:
    """One page: its title, body, anchors and headings of the second level."""

    def __init__(self, path, title, body, anchors=(), sections=()):
        self.path, self.title, self.body = path, title, body
        self.output, self.anchors, self.sections = output_of(path), set(anchors), list(sections)


def lift_blocks(text):
    """The text with every fenced block replaced by a placeholder, and the blocks as HTML.

    The comment above a block that shows a file becomes its caption; the others say how it is tested."""
    blocks, lines, out, comment = [], text.splitlines(), [], None
    i = 0
    while i < len(lines):
        opening = re.match(r"(`{3,})\s*([\w+-]*)\s*$", lines[i])
        if opening:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == opening[1]), None)
            if end is None:
                raise Broken(f"{i + 1}: the fence is never closed")
            caption = ""
            if comment and (match := re.match(r"(?:file|from):\s*(\S+)", comment)):
                caption = f'<p class="caption"><a href="{{repo}}{match[1]}">{match[1]}</a></p>'
            blocks.append(caption + code_block(textwrap.dedent("\n".join(lines[i + 1 : end])), opening[2]))
            out += ["", f"@@block{len(blocks) - 1}@@", ""]
            i, comment = end + 1, None
            continue
        match = re.fullmatch(r"<!--\s*(.*?)\s*-->", lines[i].strip())
        if match:
            comment = match[1]
        elif lines[i].strip():
            comment = None
            out.append(lines[i])
        else:
            out.append(lines[i])
        i += 1
    return "\n".join(out) + "\n", blocks


def whole_words(code):
    """No line ends after the hyphens of --set, or within sdp-mixing."""
    return re.sub(r"\S*-\S*", lambda match: f"<span>{match[0]}</span>" if len(match[0]) <= 30 else match[0], code)


def render(path, text):
    """The page of a Markdown file. Links are still those of the file."""
    text, blocks = lift_blocks(text)
    converter = markdown.Markdown(extensions=["tables", "sane_lists", "toc"], tab_length=2,
                                  extension_configs={"toc": {"slugify": lambda title, _: slug(title),
                                                             "permalink": "#"}})
    body = converter.convert(text)
    body = re.sub(r"<pre><code>(.*?)</code></pre>",
                  lambda match: f'<pre tabindex="0"><code>{textwrap.dedent(match[1])}</code></pre>', body, flags=re.S)
    body = re.sub(r"<code>([^\n]*?)</code>", lambda match: f"<code>{whole_words(match[1])}</code>", body)
    for i, block in enumerate(blocks):
        body = body.replace(f"<p>@@block{i}@@</p>", block)
    if "@@block" in body:
        raise Broken("a fenced block stands inside a list or a paragraph: leave a line empty before it")
    body = re.sub(r"<table>(.*?)</table>", r'<div class="table"><table>\1</table></div>', body, flags=re.S)
    titles = re.findall(r"^#\s+(.*?)\s*$", text, flags=re.M)
    if len(titles) != 1:
        raise Broken(f"a page has one heading of the first level, and this has {len(titles)}")
    sections = [(token["name"], token["id"]) for top in converter.toc_tokens for token in top["children"]]
    return Page(path, plain(titles[0]), body, re.findall(r'\bid="([^"]+)"', body), sections)


def source_page(path, text):
    """The page of a source file that some page links to."""
    name = path.name.removesuffix(SOURCE)
    body = f"<h1>{html.escape(name)}</h1><p>{html.escape(str(path).removesuffix(SOURCE))}</p>"
    return Page(path, name, body + code_block(text.rstrip("\n"), "", name))


def relative(target, page):
    return os.path.relpath(target, page.output.parent)


def resolve_links(page, known, want):
    """Makes the links of a page lead to pages. `known` has the pages by path, `want(path)` makes one of a file."""
    wrong = []

    def to_page(match):
        target = html.unescape(match[1])
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return match[0]
        file, _, anchor = target.partition("#")
        if file.startswith("{repo}"):
            path = Path(file[len("{repo}") :])
        else:
            path = Path(os.path.normpath(page.path.parent / file)) if file else page.path
        other = known.get(path) or want(path)
        if other is None:
            wrong.append(f"{page.path}: the link {target} leads nowhere")
            return match[0]
        if anchor and anchor not in other.anchors:
            wrong.append(f"{page.path}: the link {target} names no heading of that page")
        link = relative(other.output, page) if other is not page else ""
        return f'href="{html.escape(link + ("#" + anchor if anchor else "") or "#")}"'

    page.body = re.sub(r'href="([^"]*)"', to_page, page.body)
    return wrong
