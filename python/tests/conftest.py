# SPDX-License-Identifier: MIT
"""What the tests share: one set of BLAS kernels for this process and the program, and planted data."""
import os

# Before NumPy is loaded: OpenBLAS reads them once, and the program keeps those that are set.
os.environ.setdefault("OPENBLAS_CORETYPE", "HASWELL")
os.environ.setdefault("MPLBACKEND", "Agg")

import subprocess  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import pytest  # noqa: E402

from concord._command import program  # noqa: E402
from support import read_arff  # noqa: E402


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(scope="session")
def command():
    """Runs the program, which must succeed with one of the codes given."""

    def run(*words, codes=(0,)):
        ran = subprocess.run([program(), *map(str, words)], capture_output=True, text=True, check=False)
        assert ran.returncode in codes, ran.stderr
        return ran.stdout

    return run


@pytest.fixture(scope="session")
def planted(command, tmp_path_factory):
    """The prefix of a planted dataset: PREFIX-train.arff and PREFIX-test.arff."""
    prefix = tmp_path_factory.mktemp("data") / "planted"
    command("data", "generate", "--instances", 150, "--test-instances", 60, "--features", 6, "--labels", 6, "--out", prefix)
    return prefix


@pytest.fixture
def data(planted):
    return read_arff(Path(f"{planted}-train.arff"), labels=6)
