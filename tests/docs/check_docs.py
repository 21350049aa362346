#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds README.md and docs/**/*.md to what they show.

usage: check_docs.py REPO BIN_DIR [PAGE...]        the pages given, or all

Every fenced block is one of these; what is none of them is an error:

  <!-- file: PATH -->               the block below is the whole file (lines=A-B: those lines of it)
  <!-- from: PATH -->               the block below occurs in the file, as whole lines
  <!-- output: COMMAND -->          the block below is what the command prints
  ```console                        '$ ' begins a command, '> ' right below continues it, the rest is its output;
                                    '...' stands for anything in a line, alone on a line for any number of lines
  ```toml                           a config: it is trained, or with a section [compare] planned, with planted data in
                                    the place of the files that it names
  ```python                         '>>> ' begins it: a session that python/tests/test_documentation.py runs
  ```r                              '> ' begins it: a session that r/tests/testthat/test-documentation.R runs
  <!-- no-run: WHY -->              the block below is not run, for this reason

  [text](target), [text]: target    a relative target, and its #heading in a page, must exist
  `concord VERB --name`, `--name`   --help must list the option, and so in blocks that are not run

The console blocks of a page are run by one bash, from top to bottom, as a reader would: it begins in REPO with BIN_DIR
first in PATH, and what a block does to the shell holds for the next one. Standard error counts as output. A command
must succeed, unless the next one is 'echo $?'. A command that begins with scripts/ is not run.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/site"))
from console import PATIENCE, check_console, check_output  # noqa: E402
from named_options import check_options, options_of_scripts, options_of_verbs  # noqa: E402
from slug import slug, unique  # noqa: E402


class Block:
    """A fenced block: its language, lines, the line number of the first of them, and the comment above it."""

    def __init__(self, language, comment, first):
        self.language, self.comment, self.first, self.lines = language, comment, first, []


def split_page(text):
    """The fenced blocks of a page, and (number, line) of everything else."""
    blocks, prose, block, fence, comment = [], [], None, None, ""
    for number, line in enumerate(text.splitlines(), 1):
        opening = re.match(r"(`{3,})\s*([\w+-]*)\s*$", line)
        if block is None and opening:
            fence, block = opening[1], Block(opening[2], comment, number + 1)
        elif block is None:
            prose.append((number, line))
            if line.strip():
                match = re.fullmatch(r"<!--\s*(.*?)\s*-->", line.strip())
                comment = match[1] if match else ""
        elif line.strip() == fence:
            blocks.append(block)
            block, comment = None, ""
        else:
            block.lines.append(line)
    if block is not None:
        raise ValueError(f"{block.first - 1}: the fence is never closed")
    return blocks, prose


# ---- blocks that show files ---------------------------------------------------------------------------------


def check_shown_file(repo, block):
    """None, or what is wrong with a block whose comment is 'file: ...' or 'from: ...'."""
    match = re.fullmatch(r"(file|from):\s*(\S+)(?:\s+lines=(\d+)-(\d+))?", block.comment)
    if not match:
        return f"cannot read the comment '{block.comment}'"
    path = repo / match[2]
    if not path.is_file():
        return f"there is no file {match[2]}"
    lines = path.read_text().splitlines()
    if match[1] == "from":
        size = len(block.lines)
        found = size > 0 and any(lines[i : i + size] == block.lines for i in range(len(lines) - size + 1))
        return None if found else f"this is not found in {match[2]}"
    start = int(match[3] or 1)
    lines = lines[start - 1 : int(match[4] or len(lines))]
    for i, (shown, real) in enumerate(zip(block.lines, lines)):
        if shown != real:
            return f"differs from {match[2]}:{start + i}: shown '{shown}', there '{real}'"
    if len(block.lines) != len(lines):
        return f"shows {len(block.lines)} lines of {match[2]}, which has {len(lines)}"
    return None


# ---- configs ------------------------------------------------------------------------------------------------


def check_config(block, repo, environment):
    """None, or why the config of a block is refused. Files that it names are there: a little planted data."""
    text = "\n".join(block.lines) + "\n"
    with tempfile.TemporaryDirectory(dir=environment["TMPDIR"]) as folder:
        def run(*words):
            return subprocess.run(["concord", *words], cwd=folder, env=environment, text=True, capture_output=True,
                                  timeout=PATIENCE, check=False)

        run("data", "generate", "--instances", "60", "--features", "4", "--labels", "4", "--test-instances", "20",
            "--out", "planted")
        for name in re.findall(r'"([^"]+)\.arff"', text):
            kind = "test" if name.endswith("-test") else "train"
            (Path(folder) / f"{name}.arff").write_bytes((Path(folder) / f"planted-{kind}.arff").read_bytes())
            for xml in (name, re.sub(r"-(train|test)$", "", name)):  # both places where labels are looked for
                (Path(folder) / f"{xml}.xml").write_bytes((Path(folder) / "planted.xml").read_bytes())
        (Path(folder) / "config.toml").write_text(text)
        if re.search(r"^\[compare\]", text, flags=re.M):
            ran = run("compare", "config.toml", "--dry-run")
        else:
            given = [] if re.search(r"^train = ", text, flags=re.M) else ["--set", "data.train=planted-train.arff"]
            ran = run("train", "config.toml", "--model", "model", "--quiet", *given)
        return None if ran.returncode == 0 else f"exit status {ran.returncode}: {ran.stderr.strip()}"


# ---- links --------------------------------------------------------------------------------------------------


def headings(page):
    """The anchors of the headings of a page."""
    _, prose = split_page(page.read_text())
    titles = [match[1] for _, line in prose if (match := re.match(r"#+\s+(.*?)\s*$", line))]
    taken = set()
    for title in titles:
        unique(slug(title), taken)
    return taken


def check_links(page, prose):
    """(number of links checked, [(line number, what is wrong)])"""
    checked, failures = 0, []
    for number, line in prose:
        line = re.sub(r"`[^`]*`", "code", line)
        targets = re.findall(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)", line)
        targets += re.findall(r"^\[[^\]]+\]:\s*(\S+)", line)
        for target in targets:
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue  # http:, mailto:
            checked += 1
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                failures.append((number, f"the link {target} leads nowhere"))
            elif anchor and file.suffix == ".md" and anchor not in headings(file):
                failures.append((number, f"the link {target} names no heading of that page"))
    return checked, failures


# ---- pages --------------------------------------------------------------------------------------------------


def kind_of(block):
    """How a block is checked: as the comment above it says, or else by its language."""
    kind = re.match(r"(file|from|output|no-run)\b", block.comment)
    return kind[1] if kind else block.language


def check_session(block, prompt):
    """None, or that a block is no session of an interpreter; the tests of that language run it."""
    return None if block.lines[:1] and block.lines[0].startswith(prompt) else f"a session begins with '{prompt}'"


def check_blocks(blocks, repo, environment):
    """(number of things checked, of commands run, [(line number, what is wrong)])"""
    run, failures = check_console([b for b in blocks if kind_of(b) == "console"], repo, environment)
    count = run
    for block in blocks:
        kind = kind_of(block)
        if kind == "console":
            continue
        count += 1
        if kind in ("file", "from"):
            wrong = check_shown_file(repo, block)
        elif kind == "output":
            run, wrong = run + 1, check_output(block, repo, environment)
        elif kind == "toml":
            run, wrong = run + 1, check_config(block, repo, environment)
        elif kind == "python":
            wrong = check_session(block, ">>> ")
        elif kind == "r":
            wrong = check_session(block, "> ")
        elif kind == "no-run":
            wrong = None if re.match(r"no-run:\s*\S", block.comment) else "say why it is not run: <!-- no-run: WHY -->"
        else:
            wrong = f"nobody runs this block ({block.language or 'no language'}); see tests/docs/check_docs.py"
        if wrong:
            failures.append((block.first, wrong))
    return count, run, failures


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: check_docs.py REPO BIN_DIR [PAGE...]")
    repo, binaries = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    given = [repo / page for page in sys.argv[3:]]
    pages = given or [repo / "README.md", repo / "CONTRIBUTING.md", *sorted((repo / "docs").rglob("*.md"))]
    passed = failed = run = 0

    with tempfile.TemporaryDirectory() as scratch:  # what the commands get from mktemp is removed at the end
        environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "TMPDIR": scratch,
                       "LC_ALL": "C.UTF-8"}
        environment.pop("CONCORD_PLUGIN_PATH", None)
        verbs = options_of_verbs(environment)
        scripts = options_of_scripts(repo)
        for page in pages:
            count, failures = 0, []
            try:
                blocks, prose = split_page(page.read_text())
                checked, commands, wrong = check_blocks(blocks, repo, environment)
                run += commands
                for more, faults in ((checked, wrong), check_links(page, prose),
                                     check_options(blocks, prose, verbs, scripts)):
                    count, failures = count + more, failures + faults
            except ValueError as error:  # "LINE: what is wrong with the page"
                number, _, text = str(error).partition(": ")
                count, failures = count + 1, failures + [(number, text)]
            for number, text in failures:
                print(f"{page.relative_to(repo)}:{number}: {text}".replace("\n", " "))
            passed, failed = passed + count - len(failures), failed + len(failures)

    if run == 0 and not given:
        print("docs: no command was run")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
