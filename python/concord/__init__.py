# SPDX-License-Identifier: MIT
"""Concord learns which labels attract and which repel each other, and lets you swap the solver behind it.

decode                      the best labels for a prior and scores, with a proven bound
maxcut, qubo                the same for a graph or a matrix, in its own terms
concord.sklearn             ConcordClassifier and LabelPrior, for scikit-learn
load, train, Model          models, as files and in memory
decoder                     a decoder of your own, in Python
plugins, describe           what decoders, losses and roundings there are
evaluate, check, compare    metrics; tests of a plugin; methods side by side
concord.plot                pictures of a prior

docs/python.md is a tutorial.
"""
from . import plot
from ._command import check, compare
from ._decode import Decoded, decode
from ._decoder import decoder
from ._errors import (ConcordError, ConcordWarning, FileError, InputError, OutOfMemoryError, PluginError,
                      UnavailableError, UnsupportedError)
from ._model import Model, load, train
from ._plugins import describe, evaluate, plugins
from ._qubo import Assignment, Cut, maxcut, qubo
from ._version import __version__

__all__ = ["__version__", "Assignment", "ConcordError", "ConcordWarning", "Cut", "Decoded", "FileError",
           "InputError", "Model", "OutOfMemoryError", "PluginError", "UnavailableError", "UnsupportedError", "check", "compare", "decode",
           "decoder", "describe", "evaluate", "load", "maxcut", "plot", "plugins", "qubo", "train"]

for _class in (ConcordError, ConcordWarning, FileError, InputError, OutOfMemoryError, PluginError, UnavailableError,
               UnsupportedError, Model):
    _class.__module__ = "concord"  # where users find it, and tracebacks name it
del _class
