# SPDX-License-Identifier: MIT
"""The anchors of headings, as GitHub and the site both give them."""
import re


def plain(title):
    """A heading without its markup: links become their text."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return title.replace("`", "").replace("*", "")


def slug(title):
    return re.sub(r"[^\w\- ]", "", plain(title).strip().lower()).replace(" ", "-")


def unique(name, taken):
    """`name`, or name-1, name-2 if it is taken already; takes it."""
    candidate, n = name, 0
    while candidate in taken:
        n += 1
        candidate = f"{name}-{n}"
    taken.add(candidate)
    return candidate
