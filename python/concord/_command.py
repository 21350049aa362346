# SPDX-License-Identifier: MIT
"""What the program `concord` does in processes of its own: checks of plugins, and comparisons."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

from ._errors import KINDS, ConcordError, UnavailableError
from ._library import library_path


def program() -> str:
    """The program that belongs to the library, or else the one on the PATH."""
    for folder in library_path().parents[:3]:
        if os.access(folder / "bin" / "concord", os.X_OK):
            return str(folder / "bin" / "concord")
    found = shutil.which("concord")
    if found is None:
        raise UnavailableError("there is no program concord, neither near the library nor on the PATH; "
                               "the package concord has it", subject="concord", remedy="install the package concord")
    return found


def check(plugin: str | os.PathLike[str]) -> dict[str, Any]:
    """Whether a plugin keeps the contract, as `concord check` tests it: {"plugin", "tests", "passed", "failed", ...}.

    plugin   the file of a plugin, or KIND/NAME. A decoder in Python lives in this process only and cannot be checked.

    >>> import concord
    >>> concord.check("rounding/sign")["failed"]
    0
    """
    return _run("check", os.fspath(plugin), "--json")


def compare(config: str | os.PathLike[str], out: str | os.PathLike[str]) -> dict[str, Any]:
    """Runs the comparison of a config, or what is left of it, into the folder `out`; returns what `concord compare
    --json` prints. The report is `out`/report.html."""
    return _run("compare", os.fspath(config), "--out", os.fspath(out), "--json")


def _run(*words: str) -> dict[str, Any]:
    ran = subprocess.run([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode == 130:
        raise KeyboardInterrupt
    try:
        answer: dict[str, Any] = json.loads(ran.stdout)
    except json.JSONDecodeError as error:
        raise ConcordError(f"concord {' '.join(words)} ended with exit code {ran.returncode}: {ran.stderr.strip()}",
                           subject=program()) from error
    if "error" in answer:
        told = answer["error"]
        raised = {cls.kind: cls for cls in KINDS.values()}.get(told["kind"], ConcordError)
        raise raised(told["text"], **{name: told.get(name) or "" for name in ("subject", "place", "reason", "remedy")})
    return answer
