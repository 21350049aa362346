# SPDX-License-Identifier: MIT
"""What Python costs: `concord.decode` against the C call that it makes, and how long Ctrl-C takes.

usage: python_bench.py [--out FILE]    a table in Markdown, printed and written to FILE
"""
import ctypes
import os
import signal
import statistics
import sys
import threading
import time

import numpy as np

import concord
from concord import _structs as s
from concord._arrays import prior_struct
from concord._library import library, session
from concord.sklearn import ConcordClassifier

ROUNDS = 15
HEAD = """# Python, measured

Written by `scripts/bench python`. `concord.decode` against the call of the library that it makes, with buffers that are
ready; in turns on one thread, medians of 15 rounds, CPU time. Calls of at most 16 labels and 64 numbers are made
directly, larger ones in a thread that Ctrl-C can interrupt. The second table is time on the clock.
"""


def problem(V, n):
    rng = np.random.default_rng(1)
    A = np.triu(rng.normal(size=(V, V)), 1)
    return A + A.T, rng.normal(size=(n, V))


def c_call(A, B, decoder):
    """The call of the library that concord.decode makes, with everything prepared."""
    prior = prior_struct(A)
    n, V = B.shape
    fields = {"labels": np.empty((n, V), np.int8), "u": np.empty((n, V)), "status": np.empty(n, np.int32),
              "nodes": np.empty(n, np.int64), **{name: np.empty(n) for name in ("objective", "bound", "value")}}
    problems = s.Problems(prior=ctypes.pointer(prior), count=n, c=B, decoder=decoder.encode(), seed=1)
    answers = s.Answers(**fields)
    run, function, opened = s.Run(threads=1), library().concord_decode, session()

    def call():
        assert function(opened, ctypes.byref(problems), ctypes.byref(run), ctypes.byref(answers)) == 0

    return call


def alternately(first, second, repeat):
    """Median CPU seconds of a call of each, in turns, so that both meet the same machine."""
    times = ([], [])
    for _ in range(ROUNDS):
        for function, found in zip((first, second), times):
            begin = time.process_time()  # of all threads
            for _ in range(repeat):
                function()
            found.append((time.process_time() - begin) / repeat)
    return tuple(map(statistics.median, times))


def duration(seconds):
    return f"{1e3 * seconds:.3g} ms"


def overheads():
    yield "| problem | C call | concord.decode | ratio |"
    yield "|---|---|---|---|"
    for V, n, decoder, repeat in ((4, 1, "spectral", 500), (20, 1, "spectral", 500), (53, 1000, "spectral", 5),
                                  (159, 1000, "spectral", 2), (53, 400, "sdp-mixing", 1), (374, 200, "spectral", 1)):
        A, B = problem(V, n)
        c, python = alternately(c_call(A, B, decoder), lambda: concord.decode(A, B, decoder=decoder), repeat)
        yield f"| {n} x {V} labels, {decoder} | {duration(c)} | {duration(python)} | {python / c:.3f} |"


def interruptions():
    A, _ = problem(150, 1)
    X = np.random.default_rng(1).normal(size=(400, 60))
    clf = ConcordClassifier(epochs=1, holdout=0).fit(X, X > 0)
    calls = {"decode": lambda: concord.decode(A, np.zeros(150), decoder="exact"),
             "fit": lambda: ConcordClassifier("sdp-mixing", epochs=10**6, holdout=0).fit(X, X > 0),
             "predict": lambda: [clf.model_.predict(X, decoder="exact") for _ in range(10**6)]}
    yield "| Ctrl-C in | until KeyboardInterrupt, median of 5 | longest |"
    yield "|---|---|---|"
    for name, call in calls.items():
        found = []
        for _ in range(5):
            sent = []
            timer = threading.Timer(0.5, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
            timer.start()
            try:
                call()
            except KeyboardInterrupt:
                found.append(time.perf_counter() - sent[0])
            timer.join()
        yield f"| {name} | {duration(statistics.median(found))} | {duration(max(found))} |"


def main():
    text = "\n".join([HEAD, *overheads(), "", *interruptions(), ""])
    print(text)
    if sys.argv[1:2] == ["--out"]:
        with open(sys.argv[2], "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
