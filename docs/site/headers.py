# SPDX-License-Identifier: MIT
"""What the public headers declare, from doxygen's XML: names, comments, and declarations without bodies."""
import os
import re
import subprocess
import tempfile
import textwrap
from collections import namedtuple
from pathlib import Path
from xml.etree import ElementTree

WIDTH = 100  # of a declaration
SETTINGS = """
INPUT = in
RECURSIVE = YES
STRIP_FROM_PATH = in
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
WARNINGS = NO
"""

Item = namedtuple("Item", "line name comment code")


def for_doxygen(text):
    """A header whose plain comments are doxygen's: that of the file, those above declarations, those behind members.
    They are plain text, which doxygen is to leave as it is. An empty line below a comment cuts it off."""
    def above(comment):
        if comment.string.startswith("\n", comment.end()) or "SPDX" in comment[0]:
            return comment[0]
        file = "@file\n" if re.search(r"(#pragma once|_H)\n$", comment.string[:comment.start()]) else ""
        inner = re.sub(r"^ *(///?|/\*| \*(?!/)|  ) ?|\s*\*/$", "", comment[0], flags=re.M)
        return f"/** {file}@verbatim\n{inner.strip()}\n@endverbatim */\n"

    def behind(comment):
        inner = re.sub(r"\n\s*(///?<?)?\s*", "\n", comment[1].strip())
        return f" /**< @verbatim\n{inner}\n@endverbatim */"

    if "#pragma once" in text:
        text = re.sub(r"(?<=[;,\w]) +///?<?(.*(?:\n {10,}//.*)*)", behind, text)
        return re.sub(r"^ *//.*(?:\n *//.*)*\n", above, text, flags=re.M)
    text = re.sub(r"(?<=[;,\w]) +/\*(.*?)\*/", behind, text, flags=re.S)
    return re.sub(r"^ */\*(?!\*<).*?\*/\n", above, text, flags=re.M | re.S)


def comment_of(element):
    return "\n".join(part.text.strip("\n") for part in element.iterfind("detaileddescription//verbatim"))


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def plain(element):
    """The code of an element, spaced as ours is."""
    text = re.sub(r"(?<=[\w:])< ", "<", text_of(element))
    text = re.sub(r"(?<=[\w>*]) ([*&]+)(?=[\w.,)> (]|$)", r"\1 ", text)
    text = re.sub(r"(?<=[*&]) +(?=[,)>]|$)| (?=>)", "", text)
    return re.sub(r"(?<=[\w)])=(?=[^=])", " = ", text).strip()


def template_of(element):
    parameters = element.iterfind("templateparamlist/param")
    names = [" ".join(filter(None, (plain(p.find("type")), plain(p.find("declname"))))) for p in parameters]
    return f"template <{', '.join(names)}>\n" if names else ""


def wrapped(code):
    """A long declaration goes on below its first parameter, broken behind commas only."""
    code = re.sub(r"(?<!,) ", "\0", code)
    return textwrap.fill(code, WIDTH, subsequent_indent=" " * min(code.find("(") + 1 or 4, WIDTH // 2),
                         break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def braced(head, members, tail=""):
    """`members`: [(code, comment)]. A short comment stands behind its field, another above, with an empty line."""
    if not members:
        return f"{head} {{}}{tail};"
    behind = [comment and "\n" not in code + comment and ")" not in code and len(code + comment) < WIDTH
              for code, comment in members]
    width = max((len(code) for (code, _), yes in zip(members, behind) if yes), default=0)
    lines = []
    for (code, comment), yes in zip(members, behind):
        if comment and not yes:
            code = "\n" * bool(lines) + textwrap.indent(comment + "\n", "// ", lambda _: True) + code
        lines.append(f"{code:<{width}}  // {comment}" if yes else code)
    return f"{head} {{\n" + textwrap.indent("\n".join(lines), "  ") + f"\n}}{tail};"


def code_of_enum(enum):
    name = name_of(enum)
    head = " ".join(["enum", *["class"][: enum.get("strong") == "yes"], *[name][: name.isidentifier()]])
    values = [(f"{v.findtext('name')} {text_of(v.find('initializer'))}".strip() + ",", comment_of(v))
              for v in enum.iterfind("enumvalue")]
    if any(comment for _, comment in values):
        return braced(head, values)
    return wrapped(f"{head} {{ {' '.join(value for value, _ in values).rstrip(',')} }};")


def name_of(member):
    """An enum without a name is called by its enumerators: CONCORD_PRIOR_*, or the first of them."""
    if not member.findtext("name").startswith("@"):
        return member.findtext("name")
    names = [value.findtext("name") for value in member.iterfind("enumvalue")]
    prefix = os.path.commonprefix(names).rpartition("_")[0]
    return f"{prefix}_*" if "_" in prefix else ", ".join(names[:2]) + ", …"


def code_of(member):
    kind, name, type_ = member.get("kind"), member.findtext("name"), plain(member.find("type"))
    arguments, value = plain(member.find("argsstring")), text_of(member.find("initializer"))
    if kind == "enum":
        return code_of_enum(member)
    if kind == "define":
        parameters = ", ".join(plain(p.find("defname")) for p in member.iterfind("param"))
        head = f"#define {name}({parameters})" if parameters else f"#define {name}"
        return head if "_(" in value else f"{head} {value}"  # made of a macro that is not shown
    if kind == "typedef" and member.findtext("definition").startswith("using"):
        return template_of(member) + wrapped(f"using {name} = {type_};")
    words = [word for word in ("static", "explicit") if member.get(word) == "yes"]
    words += ["typedef"] if kind == "typedef" else []
    declared = f"{type_.replace('(*', ' (*')}{name}" if type_.endswith("(*") else f"{type_} {name}".strip()
    words += [declared + arguments, value if kind == "variable" and len(value) < WIDTH else "",
              f"requires {plain(member.find('requiresclause'))}" if member.find("requiresclause") is not None else ""]
    return template_of(member) + wrapped(" ".join(filter(None, words)) + ";")


def code_of_class(compound, compounds):
    """Its public members; nested classes stand among them."""
    name = compound.findtext("compoundname").rpartition("::")[2]
    head = f"{compound.get('kind')} {name}"
    if compound.find("location").get("file").endswith(".h"):
        head, tail = f"typedef {head}", f" {name}"
    else:
        bases = ", ".join(plain(base) for base in compound.iterfind("basecompoundref")).replace("concord::", "")
        head, tail = template_of(compound) + head + (f" : {bases}" if bases else ""), ""
    members = [item_of(member, compounds) for member in compound.iterfind("sectiondef/memberdef")
               if member.get("prot") == "public" and member.get("kind") != "friend"]
    members += [item_of(compounds[ref.get("refid")], compounds) for ref in compound.iterfind("innerclass")
                if ref.get("prot") == "public"]
    return braced(head, [(item.code, item.comment) for item in sorted(members)], tail)


def item_of(element, compounds):
    is_class = element.tag == "compounddef"
    name = element.findtext("compoundname").rpartition("::")[2] if is_class else name_of(element)
    return Item(int(element.find("location").get("line")), name, comment_of(element),
                code_of_class(element, compounds) if is_class else code_of(element))


def run_doxygen(folder):
    """All that doxygen says of the headers in a folder: files, namespaces and classes, by its ids."""
    with tempfile.TemporaryDirectory() as scratch:
        for file in folder.rglob("*.h*"):
            copy = Path(scratch) / "in" / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(for_doxygen(file.read_text()))
        subprocess.run(["doxygen", "-"], input=SETTINGS, text=True, cwd=scratch, check=True)
        found = [ElementTree.parse(file).find("compounddef") for file in (Path(scratch) / "xml").glob("*.xml")]
    return {compound.get("id"): compound for compound in found if compound is not None}


def read_headers(folder):
    """{path in the folder: (introduction, [Item])}"""
    compounds = run_doxygen(folder)
    headers = {Path(c.find("location").get("file")): (comment_of(c), []) for c in compounds.values()
               if c.get("kind") == "file"}
    structs = {c.findtext("compoundname") for c in compounds.values() if c.get("kind") == "struct"}
    for compound in compounds.values():
        scope = compound.findtext("compoundname")
        if compound.get("kind") not in ("file", "namespace") or re.search(r"\b(detail|sdk)\b", scope):
            continue
        elements = compound.findall("sectiondef/memberdef")
        if scope.endswith(".hpp"):  # what is in no namespace has a name of other people's
            elements = [member for member in elements if member.get("kind") == "define"]
        else:
            elements += [compounds[ref.get("refid")] for ref in compound.iterfind("innerclass")]
        for element in elements:
            item = item_of(element, compounds)
            is_typedef = element.get("kind") == "typedef" and item.name in structs  # the struct says so itself
            if not is_typedef and not item.name.endswith("_"):
                headers[Path(element.find("location").get("file"))][1].append(item)
    for _, items in headers.values():
        items.sort()
    return headers
