# SPDX-License-Identifier: MIT
"""What several tests use."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

import concord

# Whether the interpreter runs with the runtime of AddressSanitizer: see tests/run.
SANITIZED = "CONCORD_PRELOAD" in os.environ


def read_arff(path, labels):
    """Name, features, labels, and the names of both, of a dense file whose last attributes are the labels."""
    lines = path.read_text().splitlines()
    names = [line.split()[1].strip("'") for line in lines if line.startswith("@attribute")]
    relation = next(line.split(maxsplit=1)[1].strip("'") for line in lines if line.startswith("@relation"))
    rows = [line.split(",") for line in lines[lines.index("@data") + 1:] if line]
    numbers = np.array(rows, dtype=float)
    return {"name": relation, "X": numbers[:, :-labels], "Y": numbers[:, -labels:].astype(int),
            "feature_names": names[:-labels], "label_names": names[-labels:]}


def symmetric(rng, V, scale=1.0):
    A = np.triu(rng.normal(scale=scale, size=(V, V)), 1)
    return A + A.T


def run_python(code, *, check=True, timeout=60, **environment):
    """Runs Python code in a process of its own that finds this package."""
    folder = Path(concord.__file__).parent.parent
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout,
                         env={**os.environ, "PYTHONPATH": str(folder), **environment}, check=False)
    assert not check or ran.returncode == 0, ran.stderr
    return ran
