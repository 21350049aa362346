# SPDX-License-Identifier: MIT
"""Options that a page names where nothing is run: in code spans, and in blocks that are not run."""
import re
import subprocess

NAME = r"--[a-z][\w-]*"


def options_of_verbs(environment, *words):
    """{words of a verb: the options in its --help}, for the program as a whole or for the sub-verbs of a verb."""
    text = subprocess.run(["concord", *words, "--help"], env=environment, text=True, capture_output=True, timeout=60,
                          check=True).stdout
    found = {words: set(re.findall(rf"^  (?:-\w \[ )?({NAME})", text, flags=re.M)) | {"--help"}}
    if verbs := re.search(r"^(?:Sub-v|V)erbs:\n((?:  .*\n)+)", text, flags=re.M):
        for verb in re.findall(r"^  (\w+)", verbs[1], flags=re.M):
            found |= options_of_verbs(environment, *words, verb)
    return found


def code_of(blocks, prose):
    """[(line number, code)]: the spans of the prose, which may go over lines, and the lines of blocks not run."""
    text = "\n".join(line for _, line in prose)
    spans = [(prose[text.count("\n", 0, span.start())][0], span[1].replace("\n", " "))
             for span in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text)]
    for block in blocks:
        if block.comment.startswith("no-run"):
            joined = "\n".join(block.lines)
            spans += [(block.first + joined.count("\n", 0, line.start()), line[0].replace("\\\n", " "))
                      for line in re.finditer(r"(?:.*\\\n)*.+", joined)]
    return spans


def options_of_scripts(repo):
    """The options in the usages of scripts/."""
    usages = [usage for script in (repo / "scripts").iterdir()
              for usage in re.findall(r"usage: scripts/.*", script.read_text())]
    return set(re.findall(rf"\[({NAME})", " ".join(usages)))


def check_options(blocks, prose, verbs, scripts):
    """(number of options checked, [(line number, what is wrong)]); the last two are of the functions above."""
    checked, failures, anywhere = 0, [], scripts.union(*verbs.values())
    for number, code in code_of(blocks, prose):
        for command in re.split(r"[|;&#]", code):
            if match := re.search(r"\bconcord ((?:[a-z]+ ?)+)", command):
                words = tuple(match[1].split())
                verb = next((words[:n] for n in (2, 1) if words[:n] in verbs), ())
                command = command[match.start():]
                known, place = verbs[verb], " ".join(("concord", *verb))
            elif code.startswith("--"):
                known, place = anywhere, "any verb or script"
            else:
                continue
            for name in re.findall(rf"(?<!\S)\[?({NAME})", command):
                checked += 1
                if name not in known:
                    failures.append((number, f"{name} is no option of {place}: {code}"))
    return checked, failures
