# SPDX-License-Identifier: MIT
"""Finds libconcord, loads it once, and opens the one session of this process."""
from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
import sysconfig
from collections.abc import Iterator
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from . import _structs as s
from ._errors import KINDS, ConcordError, FileError, UnavailableError, did_you_mean

NAME = f"libconcord.so.{s.API}"
PACKAGE = Path(__file__).parent  # not resolved: in a build tree the package is a link, and the library is near the link

own_decoders: set[str] = set()  # names of decoders in Python


def _folders() -> Iterator[Path]:
    """Where the library may be: in the package (a wheel), around the package (a build tree or an installation), where
    `pip install` saw a build tree, and in the system's folders."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    around = [PACKAGE / "_lib", *PACKAGE.parents[:4]]
    if (PACKAGE / "_built.txt").is_file():
        around.append(Path((PACKAGE / "_built.txt").read_text().strip()))
    for root in [*around, Path(sys.prefix), Path("/usr/local"), Path("/usr")]:
        for below in (".", multiarch, "lib", f"lib/{multiarch}", "lib64"):
            yield root / below


@functools.cache
def library_path() -> Path:
    """The file of libconcord that this process uses."""
    for folder in _folders():
        if (folder / NAME).is_file():
            return (folder / NAME).absolute()
    found = ctypes.util.find_library("concord")
    if found == NAME:  # the loader knows its folder
        return Path(found)
    raise UnavailableError(f"there is no {NAME}: not in the package, around {PACKAGE}, or in the system's folders. "
                           "Build Concord and use build/release/python, or install the package concord",
                           subject=NAME, remedy="build Concord, or install the package concord")


_FUNCTIONS: dict[str, list[Any]] = {
    "concord_open": [POINTER(c_char_p), c_size_t, POINTER(c_void_p)],
    "concord_register": [c_void_p, POINTER(s.PluginTable)],
    "concord_plugins": [c_void_p, POINTER(c_void_p)],
    "concord_describe": [c_void_p, c_char_p, POINTER(c_void_p)],
    "concord_decode": [c_void_p, POINTER(s.Problems), POINTER(s.Run), POINTER(s.Answers)],
    "concord_train": [c_void_p, POINTER(s.Training), POINTER(s.Run), POINTER(c_void_p)],
    "concord_predict": [c_void_p, c_void_p, POINTER(s.Query), POINTER(s.Run), POINTER(s.Predictions)],
    "concord_model_read": [c_char_p, c_size_t, c_char_p, POINTER(c_void_p)],
    "concord_model_write": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "concord_model_describe": [c_void_p, POINTER(c_void_p)],
    "concord_model_block": [c_void_p, c_char_p, POINTER(POINTER(c_double)), POINTER(c_int64), POINTER(c_int64)],
    "concord_evaluate": [c_void_p, c_void_p, c_int64, c_int64, c_int64, c_uint64, POINTER(c_void_p)],
    "concord_evaluate_ranking": [c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_int64, c_uint64, POINTER(c_void_p)],
}


@functools.cache
def library() -> ctypes.CDLL:
    """libconcord with the types of its functions. An interface with another number is refused."""
    path = library_path()
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise FileError(f"{path} cannot be loaded: {error}", subject=str(path)) from error
    loaded.concord_api.restype = c_uint32
    number = loaded.concord_api()
    if number != s.API:
        raise UnavailableError(f"{path} has the interface number {number}, and this package needs {s.API}",
                               subject=str(path), remedy="install package and library of the same version")
    for name, arguments in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = c_int32, arguments
    loaded.concord_last_error.restype, loaded.concord_last_error.argtypes = POINTER(s.Error), []
    for name in ("concord_free", "concord_model_free"):
        function = getattr(loaded, name)
        function.restype, function.argtypes = None, [c_void_p]
    return loaded


@functools.cache
def session() -> c_void_p:
    """The session of this process; a child after fork() goes on using it."""
    handle = c_void_p()
    check(library().concord_open(None, 0, byref(handle)))
    return handle


def check(code: int) -> None:
    """Raises what the last call on this thread failed with, unless `code` says that it did not."""
    if code != s.OK:
        raise last_error(code)


def last_error(code: int) -> ConcordError:
    """The error of the last call on this thread."""
    told = library().concord_last_error().contents
    fields = {name: (getattr(told, name) or b"").decode() for name in ("subject", "place", "reason", "remedy")}
    text = (told.text or b"").decode()
    missing = f"there is no decoder '{fields['subject'].removeprefix('decoder/')}'"
    if missing in text and "did you mean" not in text:  # the library knows names of files only
        hint = did_you_mean(fields["subject"].removeprefix("decoder/").replace("_", "-"), own_decoders)
        text, fields["reason"] = text.replace(missing, missing + hint, 1), fields["reason"].replace(missing, missing + hint, 1)
    return KINDS.get(code, ConcordError)(text, **fields)


def take_text(text: c_void_p, length: int | None = None) -> bytes:
    """The bytes of a text that the library returned, which is freed."""
    try:
        return ctypes.string_at(text, -1 if length is None else length)
    finally:
        library().concord_free(text)
