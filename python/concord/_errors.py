# SPDX-License-Identifier: MIT
"""Errors with fields. Each class also is the built-in exception that a reader of Python expects."""
from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class ConcordError(Exception):
    """Whatever Concord refuses or cannot do; the text is a whole sentence, the fields are for programs.

    >>> import concord
    >>> try:
    ...     concord.decode([[0.0]], [1.0], decoder="spectal")
    ... except concord.ConcordError as error:
    ...     print(error.kind, "|", error)
    unavailable | there is no decoder 'spectal'; did you mean spectral? ...
    """

    kind = "internal"  #: "input", "unsupported", "unavailable", "io", "plugin", "memory" or "internal"

    def __init__(self, text: str, *, subject: str = "", place: str = "", reason: str = "", remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.subject = subject  #: what is at fault: a key, a plugin, a file; may be empty
        self.place = place  #: where it was found; may be empty
        self.reason = reason or text
        self.remedy = remedy  #: what would help; may be empty

    def __str__(self) -> str:  # OSError and KeyError would write it otherwise
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.text, self.subject, self.place, self.reason, self.remedy)


def _rebuild(cls: type[ConcordError], text: str, subject: str, place: str, reason: str, remedy: str) -> ConcordError:
    return cls(text, subject=subject, place=place, reason=reason, remedy=remedy)


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """'; did you mean NAME?' for a name that is nearly one of those known, or nothing."""
    near = difflib.get_close_matches(name, list(known), 1, alike)
    return f"; did you mean {near[0]}?" if near else ""


class InputError(ConcordError, ValueError):
    """What was given is wrong."""

    kind = "input"


class UnsupportedError(ConcordError, ValueError):
    """The plugin cannot solve this problem."""

    kind = "unsupported"


class UnavailableError(ConcordError, LookupError):
    """A named plugin or solver is not there or not usable; so is the library itself."""

    kind = "unavailable"


class FileError(ConcordError, OSError):
    """A file cannot be read or written."""

    kind = "io"


class PluginError(ConcordError, RuntimeError):
    """A plugin failed while running, or claimed what does not hold."""

    kind = "plugin"


class OutOfMemoryError(ConcordError, MemoryError):
    """Memory ran out."""

    kind = "memory"


class ConcordWarning(UserWarning):
    """What a plugin or a training had to say; the call went on."""


KINDS: dict[int, type[ConcordError]] = {1: InputError, 2: UnsupportedError, 3: UnavailableError, 4: FileError,
                                        5: PluginError, 7: OutOfMemoryError, 8: ConcordError}
INTERRUPTED = 6
