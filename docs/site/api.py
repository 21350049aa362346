# SPDX-License-Identifier: MIT
"""Pages of the public headers: what each declares, with its comments, without bodies and private parts.

The headers are formatted by clang-format, so that a declaration begins in the first column and ends where the
brackets are closed again: that is all of C++ that is understood here."""
import html
import os
import re
import textwrap
from pathlib import Path

from pages import HEADERS, SOURCE, Broken, Page, code_block
from slug import slug, unique

NAME = re.compile(r"""^(?:template\s*<.*?>\s*)?(?:requires\b.*?\n)?(?:typedef\s+)?
                      (?:(?P<kind>struct|class|enum(?:\sclass)?|namespace|concept)\s+(?P<type>\w+)|
                         using\s+(?P<alias>\w+)\s*=|\#define\s+(?P<macro>\w+)|
                         (?:[\w:<>,&*\s.]|\[\[\w+\]\])*?\b(?P<function>\w+|operator\S+)\s*(?:\(|=|;|\{))""", re.X | re.S)


class Item:
    """A declaration: its name, the comment above it, its text."""

    def __init__(self, name, comment, code):
        self.name, self.comment, self.code = name, comment, code


def without_strings(line):
    """For counting brackets: literals and comments are left out."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    line = re.sub(r"'(?:[^'\\]|\\.)'", "''", line)
    line = re.sub(r"/\*.*?\*/", "", line)
    return re.sub(r"//.*", "", line)


def depth_of(line):
    line = without_strings(line)
    return sum(line.count(b) for b in "{([") - sum(line.count(b) for b in "})]")


def declarations(lines):
    """[(comment lines, code lines)] of what stands in the first column; namespaces are looked into, those called
    detail and sdk's are not."""
    items, comment, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("namespace") and line.endswith("{"):
            if re.match(r"namespace (\w+::)*(detail|sdk)\b", line):
                depth = depth_of(line)
                while depth > 0:
                    i += 1
                    depth += depth_of(lines[i])
            comment, i = [], i + 1
        elif line.startswith("/*"):
            comment = []
            while True:
                comment.append(lines[i])
                if "*/" in lines[i]:
                    break
                i += 1
            i += 1
        elif line.startswith("//"):
            comment.append(line)
            i += 1
        elif not line or line.startswith("}") or (line.startswith("#") and not line.startswith("#define")):
            comment, i = [], i + 1
        else:
            code, depth = [], 0
            while True:
                code.append(lines[i])
                depth += depth_of(lines[i])
                text = without_strings(lines[i]).rstrip()
                i += 1
                more = lines[i - 1].endswith("\\") if code[0].startswith("#define") else (
                    depth > 0 or not text.endswith((";", "}")))
                if not more:
                    break
            items.append((comment, code))
            comment = []
    return items


def prose(comment):
    """The text of a comment."""
    text = "\n".join(comment)
    if text.startswith("/*"):
        text = re.sub(r"^/\*+|\*+/$", "", text.strip())
        return re.sub(r"^(?:\s*\* ?|   )", "", text, flags=re.M).strip()
    return re.sub(r"^///? ?", "", text, flags=re.M).strip()


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


def signature(code):
    """A function without its body."""
    text = "\n".join(code)
    depth = 0
    for at, char in enumerate(text):
        if char == "{" and depth == 0:
            head = re.sub(r"\)\s*:\s.*", ")", text[:at].rstrip(), flags=re.S)  # a constructor's initialisers
            return [*(head + ";").splitlines()]
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
    return code


def public_part(code):
    """A struct or class: public members with their comments, functions without their bodies."""
    is_class = re.match(r"(template.*>\s*)?class\b", " ".join(code))
    out, visible, i = [code[0]], not is_class, 1
    while i < len(code) and not without_strings(code[i - 1]).rstrip().endswith("{"):
        out.append(code[i])
        i += 1
    while i < len(code) - 1:
        line = code[i]
        if re.match(r"\s*(public|private|protected):", line):
            visible = "public" in line
            i += 1
            continue
        member, depth = [], 0
        while True:
            member.append(code[i])
            depth += depth_of(code[i])
            text = without_strings(code[i]).rstrip()
            i += 1
            clause = re.search(r"\brequires requires\b", text)  # the body is still to come
            if i >= len(code) - 1 or (depth <= 0 and not clause and (not text or text.endswith((";", "}", ",")))):
                break
        if not visible:
            continue
        if len(member) == 1 and not member[0].strip():
            if out[-1].strip() and not out[-1].rstrip().endswith("{"):
                out.append("")
            continue
        text = re.sub(r"\s*requires requires\s*\{[^}]*\}", "", "\n".join(member))  # for whom, and how a constant is
        member = re.sub(r" = \[\] \{.*\}\(\);", ";", text, flags=re.S).splitlines()  # found, is in the header
        nested = re.match(r"\s*(template.*>\s*)?(struct|class|enum|union)\b[^;(]*\{", " ".join(member))
        out += member if nested or not re.search(r"\)[^;]*\{", "\n".join(member)) else signature(member)
    while out and not out[-1].strip():
        out.pop()
    return out + [code[-1]]


def name_of(code):
    text = "\n".join(code)
    if re.match(r"enum\s*\{", text):
        return enumerators(text)
    if match := re.match(r"typedef\b.*\(\*(\w+)\)", text):  # a pointer to a function
        return match[1]
    match = NAME.match(text)
    return next((match[g] for g in ("type", "alias", "macro", "function") if match[g]), "") if match else ""


def enumerators(code):
    """An enum without a name is called by its enumerators: CONCORD_PRIOR_*, or the first of them."""
    names = re.findall(r"^[^/]*?\b([A-Z][A-Z0-9_]+)\s*(?:=|,|$)", re.sub(r"/\*.*?\*/", "", code, flags=re.S)
                       .partition("{")[2].replace(",", ",\n"), flags=re.M)
    prefix = os.path.commonprefix(names).rpartition("_")[0]
    return f"{prefix}_*" if "_" in prefix else ", ".join(names[:2]) + ", …"


def items_of(text):
    """The introduction of a header, and its items."""
    lines = text.splitlines()
    lines = [line for line in lines if line != 'extern "C" {']
    start = next((i for i, line in enumerate(lines) if re.match(r"#pragma once|#define CONCORD_ABI_H", line)), 0)
    intro, i = [], start + 1
    while i < len(lines) and (lines[i].startswith(("//", "/*", " *"))):
        intro.append(lines[i])
        i += 1
    items = []
    for comment, code in declarations(lines[i:]):
        first = code[0]
        if re.match(r'#define CONCORD_EXPORT_\(|#define \w+_(\(|\s|$)|extern "C" ', first):
            continue  # parts of other macros; other people's names
        if first.startswith("#define"):
            shown = [re.sub(r"\s*\\$", "", first)] if first.endswith("\\") else code
        elif re.match(r"(template.*>\s*)?(requires\b.*)?(struct|class)\b[^;(]*\{", " ".join(code)):
            shown = public_part(code)
        elif re.match(r"(typedef|enum|using)", first):
            shown = code
        else:
            shown = signature(code)
        items.append(Item(name_of(code), prose(comment), "\n".join(shown)))
    return prose(intro), items


def summary(intro):
    """The first sentence of an introduction, up to its first formula."""
    text = " ".join(re.split(r"\n(?:\n|  )", intro)[0].split())
    return re.split(r"(?<=[^.]\.)\s(?=[A-Z])", text)[0].rstrip(":,")


def header_page(path, text):
    intro, items = items_of(text)
    if not items and not intro:
        raise Broken(f"{path}: nothing is declared or explained")
    include = str(path.relative_to(HEADERS))
    anchors, sections, body = set(), [], []
    for item in items:
        name = item.name
        if not name:
            raise Broken(f"{path}: the name of this is not found: {item.code.splitlines()[0]}")
        anchor = unique(slug(name), anchors)
        known = sections and sections[-1][0] == name  # overloads share a heading
        if not known:
            body.append(f'<h2 id="{anchor}"><code>{html.escape(name)}</code>'
                        f'<a class="headerlink" href="#{anchor}">#</a></h2>')
            sections.append((name, anchor))
        body.append(as_html(item.comment) + code_block(item.code, "cpp"))
    head = (f"<h1>{html.escape(include)}</h1>" + code_block(f"#include <{include}>", "cpp") + as_html(intro) +
            '<p><a href="{repo}' + str(path) + SOURCE + '">the whole header</a></p>')
    return Page(path, include, head + "".join(body), anchors, sections), len(items)


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
    page = Page(Path("docs/api/index.md"), "API reference", "".join(body), [slug(t) for t, _ in groups])
    return page
