# SPDX-License-Identifier: MIT
"""Concord as a guest in somebody's process: Ctrl-C, fork, threads, callbacks, BLAS, memory."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import concord
from support import SANITIZED, run_python, symmetric

KEEPS_MEMORY = pytest.mark.skipif(SANITIZED, reason="the sanitizer keeps for a while what is freed")
LONG = {  # each runs for minutes
    "decode": "concord.decode(A, np.zeros(150), decoder='exact')",
    "decode-worker": "concord.decode(A, rng.normal(size=(5000, 150)), decoder='sdp-csdp')",
    "decode-python": "concord.decode(A, np.zeros((100, 150)), decoder='sleeps')",
    "fit": "ConcordClassifier('sdp-mixing', epochs=100000, holdout=0).fit(X, X > 0)",
    "select": "ConcordClassifier('sdp-mixing', epochs=100000, lambda_w=[0.1, 0.01]).fit(X, X > 0)",
    "ovr": "ConcordClassifier(method='ovr', holdout=0, lambda_w=1e-9).fit(rng.normal(size=(4000, 400)), "
           "rng.normal(size=(4000, 200)) > 0)",
    "predict": "[model.predict(X, decoder='exact') for _ in range(10000)]",
}
PROLOGUE = """
import time
import numpy as np, concord
from concord.sklearn import ConcordClassifier
rng = np.random.default_rng(1)
A = np.triu(rng.normal(size=(150, 150)), 1); A = A + A.T
X = rng.normal(size=(400, 60))
model = concord.train(X, X > 0, {"train": {"epochs": 1}, "select": {"holdout": 0}})
@concord.decoder()
def sleeps(A, c, k, seed):
    time.sleep(0.2)
    return np.ones(len(c))
"""


@pytest.mark.parametrize("what", LONG)
def test_control_c(what):
    code = PROLOGUE + textwrap.dedent(f"""
        print("begins", flush=True)
        try:
            {LONG[what]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        print(concord.decode([[0.0]], [1.0]).labels.tolist())  # and the process goes on
    """)
    folder = Path(concord.__file__).parent.parent
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": str(folder)})
    assert process.stdout.readline() == "begins\n", process.communicate()[1]
    time.sleep(0.7)
    assert process.poll() is None, process.communicate()
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n", process.communicate()
    seconds = time.monotonic() - begin
    assert process.stdout.read() == "[1]\n", process.stderr.read()
    assert process.wait(timeout=20) == 0
    assert seconds < 10  # of minutes; scripts/bench python measures how long it takes


def test_another_exception_of_a_signal_handler_comes_out(rng):
    class Alarm(Exception):
        pass

    def ring(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            concord.decode(symmetric(rng, 150), np.zeros(150), decoder="exact")
    finally:
        signal.signal(signal.SIGALRM, before)


def test_signals_at_any_time():
    """In a process of its own: what goes wrong here is a hang or a heap that is spoilt."""
    ran = run_python("""
        import random, signal, time
        import numpy as np, concord
        class Alarm(Exception): pass
        def ring(number, frame): raise Alarm
        signal.signal(signal.SIGALRM, ring)
        A, B, rang = -np.ones((30, 30)), np.random.default_rng(1).normal(size=(20, 30)), 0
        random.seed(1)
        for _ in range(500):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.004 * random.random())
                for _ in range(20):
                    concord.decode(A, B, decoder="spectral")
                time.sleep(0.01)
            except Alarm:
                rang += 1
        print(rang, concord.decode([[0.0]], [1.0]).labels.tolist())
    """, timeout=120)
    assert ran.stdout == "500 [1]\n"


@pytest.mark.parametrize("stage", ["split", "epoch"])
def test_a_callback_that_raises_ends_the_training(data, stage):
    heard = []

    def hear(event):
        heard.append(event["event"])
        if event["event"] == stage:
            raise LookupError(f"at the first {stage}")

    config = {"train": {"epochs": 10, "lambda_w": [0.1, 0.01]}} if stage == "split" else \
        {"train": {"epochs": 100_000}, "select": {"holdout": 0}}
    with pytest.raises(LookupError, match=stage):
        concord.train(data["X"], data["Y"], config, event=hear, n_jobs=2)
    assert heard.count(stage) == 1


def test_events_are_those_of_the_log(data):
    heard = []
    concord.train(data["X"], data["Y"], {"train": {"epochs": 4, "lambda_w": [0.1, 0.01]}}, event=heard.append)
    kinds = [event["event"] for event in heard]
    assert kinds.count("epoch") == 4 and kinds.count("cell") == 2 and {"split", "winner", "prior"} <= set(kinds)


def expected():
    rng = np.random.default_rng(3)
    A, B = symmetric(rng, 40), rng.normal(size=(64, 40))
    return A, B, concord.decode(A, B, decoder="sdp-mixing", n_jobs=2).labels


def test_two_threads_at_once():
    A, B, labels = expected()
    found = [None] * 4

    def work(i):
        found[i] = [concord.decode(A, B, decoder="sdp-mixing", n_jobs=2).labels for _ in range(5)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((one == labels).all() for several in found for one in several)


def test_after_fork():
    A, B, labels = expected()
    for _ in range(3):
        child = os.fork()
        if child == 0:
            same = (concord.decode(A, B, decoder="sdp-mixing", n_jobs=2).labels == labels).all()
            os._exit(0 if same else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(SANITIZED, reason="the sanitizer's own malloc does not survive such a fork")
def test_fork_while_another_thread_decodes():
    A, B, labels = expected()
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            concord.decode(A, B, decoder="sdp-mixing", n_jobs=2)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(0 if (concord.decode(A, B[:4], decoder="sdp-mixing").labels == labels[:4]).all() else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        busy.join()


def test_multiprocessing_and_joblib():
    run_python("""
        import multiprocessing, pickle
        import numpy as np, concord
        from joblib import Parallel, delayed
        from concord.sklearn import ConcordClassifier

        rng = np.random.default_rng(1)
        X = rng.normal(size=(80, 4))
        clf = ConcordClassifier(epochs=3).fit(X, X > 0)
        labels = clf.predict(X)
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert all((found == labels).all() for found in pool.map(clf.predict, [X] * 4))
            found = Parallel(n_jobs=2)(delayed(ConcordClassifier(epochs=3).fit)(X, X > 0) for _ in range(2))
            assert all((one.predict(X) == labels).all() for one in found)
    """)


@pytest.mark.parametrize("blas", ["1", "2"])
def test_the_same_bits_for_any_threads_at_600_labels(blas, tmp_path_factory):
    """The digests of all four runs go to one file, where each run finds those before it."""
    ran = run_python("""
        import hashlib
        import numpy as np, concord
        rng = np.random.default_rng(1)
        A = np.triu(rng.normal(size=(600, 600)), 1); A = A + A.T
        B = rng.normal(size=(20, 600))
        import ctypes
        blas = ctypes.CDLL("libopenblas.so.0").openblas_get_num_threads
        before = blas()
        for jobs in (1, 2):
            r = concord.decode(A, B, decoder="spectral", n_jobs=jobs)
            print(hashlib.sha256(r.u.tobytes() + r.bound.tobytes() + r.labels.tobytes()).hexdigest())
        assert blas() == before, "the caller's threads are not restored"
    """, OPENBLAS_NUM_THREADS=blas)
    seen = tmp_path_factory.getbasetemp() / "digests"
    found = set(ran.stdout.split()) | (set(seen.read_text().split()) if seen.exists() else set())
    seen.write_text("\n".join(found))
    assert len(found) == 1


@KEEPS_MEMORY
def test_memory_stays(rng):
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    short, threaded = ((symmetric(rng, V), rng.normal(size=V)) for V in (10, 20))
    for A, b in [short, threaded] * 500:
        concord.decode(A, b, decoder="spectral")
    before = resident()
    for i in range(10_000):
        A, b = threaded if i % 5 == 0 else short
        concord.decode(A, b, decoder="spectral", cardinality=5 if i % 2 else None)
        if i % 100 == 0:
            with pytest.raises(concord.InputError):
                concord.decode(A, b, decoder="spectral", nonsense=1)
    assert resident() - before < 4 << 20  # 400 bytes for each call


@KEEPS_MEMORY
def test_memory_of_models_stays(data):
    model = concord.train(np.zeros((20, 20000)), data["Y"][:20], {"train": {"method": "ovr"}, "select": {"holdout": 0}})
    bytes_, before = model.to_bytes(), None
    for i in range(40):
        concord.Model(bytes_).A  # noqa: B018
        if i == 5:
            before = int(Path("/proc/self/statm").read_text().split()[1])
    grown = (int(Path("/proc/self/statm").read_text().split()[1]) - before) * os.sysconf("SC_PAGE_SIZE")
    assert grown < 10 * len(bytes_), "models are not freed"


def test_nothing_is_written_to_standard_output(data):
    ran = run_python("""
        import numpy as np, concord, warnings
        from concord.sklearn import ConcordClassifier
        from sklearn.exceptions import ConvergenceWarning
        warnings.simplefilter("ignore", ConvergenceWarning)
        X = np.random.default_rng(1).normal(size=(60, 4))
        ConcordClassifier(method="ovr").fit(X, X > 0).predict(X)
        ConcordClassifier(epochs=2).fit(X, X > 0).predict(X)
    """)
    assert ran.stdout == "" and ran.stderr == ""
