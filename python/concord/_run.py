# SPDX-License-Identifier: MIT
"""Runs a call of the library so that Ctrl-C, events and warnings reach Python.

On the main thread the call runs in a thread of its own, and the main thread waits for it: only a main thread that is in
Python handles signals. That costs 0.2 ms. So a call that surely takes milliseconds is made directly, and so is every call
on another thread, where no signal arrives. A thread that is kept would cost half, and stay in a process that may fork.
"""
from __future__ import annotations

import _thread
import ctypes
import json
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _structs as s
from ._errors import INTERRUPTED, ConcordWarning, PluginError
from ._library import last_error

Event = Callable[[dict[str, Any]], None]
SLICE = 0.1  # seconds; the kernel may hand a signal to another thread, and then nothing wakes the main one

failures: dict[str, BaseException] = {}  # what decoders in Python raised last, by "decoder/NAME"


def thread_count(n_jobs: int | None) -> int:
    """`n_jobs` as scikit-learn counts: None is 1, -1 all processors, -2 all but one. The library's 0 means all."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs = 0 has no meaning; 1 is one thread, -1 all processors")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def call(function: Callable[[Any], int], n_jobs: int | None, event: Event | None = None, short: bool = False) -> None:
    """Runs `function`, which makes one call with the concord_run that it is given and returns its code. Raises what
    went wrong: the exception of `event`, KeyboardInterrupt, or the error of the library. `short`: it takes milliseconds."""
    stop = np.zeros(1, np.uint8)
    raised: list[BaseException] = []
    said: list[str] = []

    def hear(_: Any, text: bytes) -> None:
        if raised:
            return
        try:
            assert event is not None
            event(json.loads(text))
        except BaseException as exception:  # nothing may cross the border
            raised.append(exception)
            stop[0] = 1

    def log(_: Any, level: int, who: bytes, text: bytes) -> None:
        if level == s.LOG_WARNING:
            said.append(f"{who.decode()}: {text.decode()}")

    run = s.Run(threads=thread_count(n_jobs), stop=stop, log=s.RunLogFunction(log))
    if event is not None:
        run.event = s.EventFunction(hear)

    def work() -> BaseException | None:
        code = function(ctypes.byref(run))
        if raised:
            return raised[0]
        if code == INTERRUPTED:
            return KeyboardInterrupt()
        return None if code == s.OK else last_error(code)

    if short or threading.current_thread() is not threading.main_thread():
        error = work()
    else:
        error = _wait_for(work, stop)
    for text in said:
        warnings.warn(text, ConcordWarning, stacklevel=3)
    if isinstance(error, PluginError):
        cause = next((failures.pop(name) for name in list(failures) if name in error.text), None)
        if isinstance(cause, KeyboardInterrupt):  # a decoder in Python ran on the main thread
            raise cause
        raise error from cause
    if error is not None:
        raise error


def _wait_for(work: Callable[[], BaseException | None], stop: npt.NDArray[np.uint8]) -> BaseException | None:
    """What `work` returns, from a thread of its own. An exception of a signal handler, such as KeyboardInterrupt, stops
    the work and comes out when the work has ended. A second one comes out at once: the thread keeps what it needs."""
    news = _thread.allocate_lock()  # wakes the main thread; the lists say what happened, as a signal may come at any time
    news.acquire()
    begun: list[bool] = []
    result: list[BaseException | None] = []

    def body() -> None:
        begun.append(True)
        try:
            result.append(work())
        except BaseException as exception:
            result.append(exception)
        finally:
            news.release()

    try:
        _thread.start_new_thread(body, ())
        while not result:
            news.acquire(timeout=SLICE)
    except BaseException:
        stop[0] = 1
        while begun and not result:
            news.acquire(timeout=SLICE)
        raise
    return result[0]
