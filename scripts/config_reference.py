# SPDX-License-Identifier: MIT
"""Prints docs/config.md with its reference written anew from `concord describe config --json`.

usage: config_reference.py KEYS.json PAGE.md
"""
import itertools
import json
import sys

BEGIN = "<!-- keys: scripts/docs writes what follows from `concord describe config --json` -->\n"
END = "<!-- end of keys -->\n"


def values(key):
    """What the key takes, as a cell of a table."""
    if key["type"] == "plugin":
        return key["domain"].replace("plugin", "[a plugin](#plugins)", 1)
    if key["type"] == "choice":
        return ", ".join(f'`"{choice["name"]}"`' for choice in key["choices"])
    text = key["domain"].replace(">=", "≥")
    for choice in key.get("choices", []):
        text = text.replace(choice["name"], f'`"{choice["name"]}"`', 1)
    return text


def meaning(key):
    choices = [f'`"{choice["name"]}"`: {choice["help"]}' for choice in key.get("choices", []) if choice["help"]]
    return "; ".join([key["help"]] + choices).replace("<=", "≤").replace(">=", "≥")


def reference(keys):
    for section, members in itertools.groupby(keys, lambda key: key["section"]):
        yield f"\n## [{section}]\n\n| key | default | values | meaning |\n|---|---|---|---|\n"
        for key in members:
            default = "–" if key["default"] is None else f"`{json.dumps(key['default'])}`"
            yield f"| `{key['key']}` | {default} | {values(key)} | {meaning(key)} |\n"
    yield "\n## Contradictions\n\nA key without effect would be a wrong experiment, so these are refused:\n\n"
    by_reason = {}
    for key in keys:
        for reason in key["refused"]:
            by_reason.setdefault(reason, []).append(f"`{key['section']}.{key['key']}`")
    yield ";\n".join(f"- {', '.join(names)} {reason}" for reason, names in by_reason.items()) + ".\n\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        keys = json.load(file)["keys"]
    with open(sys.argv[2], encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    sys.stdout.write(before + BEGIN + "".join(reference(keys)) + END + after)


main()
