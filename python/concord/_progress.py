# SPDX-License-Identifier: MIT
"""The progress of a training: a bar of tqdm where it is installed, else one line that is rewritten."""
from __future__ import annotations

import sys
from typing import Any


def progress() -> _Bar | _Line:
    """Something that hears events and is closed at the end."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line()
    return _Bar(tqdm)


def _stage(event: dict[str, Any]) -> tuple[str, int, int] | None:
    """What is counted, how far it is, and where it ends; None for an event that counts nothing."""
    if event["event"] == "split":
        return str(event["stage"]), int(event["done"]), int(event["of"])
    if event["event"] == "epoch":
        return "epoch", int(event["epoch"]), int(event["epochs"])
    return None


class _Bar:
    """A bar for each stage of a training. tqdm.auto knows terminals and notebooks."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._bar, self._name = tqdm, None, ""

    def __call__(self, event: dict[str, Any]) -> None:
        stage = _stage(event)
        if stage is None:
            return
        name, done, of = stage
        if name != self._name:
            self.close()
            self._name, self._bar = name, self._tqdm(total=of, desc=name)
        assert self._bar is not None
        self._bar.update(done - self._bar.n)
        if event.get("objective") is not None:
            self._bar.set_postfix(objective=f"{event['objective']:.4g}")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class _Line:
    """One line on standard error, if somebody looks at it: a terminal or a notebook."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._open = False

    def __call__(self, event: dict[str, Any]) -> None:
        stage = _stage(event)
        if stage is None or not self._shown:
            return
        print("\r{}: {} of {}".format(*stage), end="", file=sys.stderr, flush=True)
        self._open = True

    def close(self) -> None:
        if self._open:
            print(file=sys.stderr)
        self._open = False
