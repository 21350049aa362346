# SPDX-License-Identifier: MIT
"""What plugins there are, and their options; and metrics of labels."""
from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any

from ._arrays import column_names, indicator, require_names
from ._errors import InputError
from ._library import check, library, session, take_text


def plugins() -> list[dict[str, Any]]:
    """Every plugin that a name can find, with version, path, status, capabilities and options.

    >>> import concord
    >>> [p["name"] for p in concord.plugins() if p["kind"] == "loss"]
    ['f-beta', 'hamming', 'weighted-hamming']
    """
    text = c_void_p()
    check(library().concord_plugins(session(), byref(text)))
    return list(json.loads(take_text(text))["plugins"])


def describe(what: str) -> dict[str, Any]:
    """Options and capabilities of a plugin, by KIND/NAME or its path; of "config", every key of a training config.

    >>> import concord
    >>> [option["name"] for option in concord.describe("decoder/spectral")["options"]]
    ['prune']
    """
    text = c_void_p()
    check(library().concord_describe(session(), what.encode(), byref(text)))
    described: dict[str, Any] = json.loads(take_text(text))
    return described


def evaluate(truth: Any, predicted: Any, *, resamples: int = 0, seed: int = 1) -> dict[str, Any]:
    """Every metric of predicted labels, instances x labels each; with `resamples` also "intervals" of 95 % by a bootstrap.
    F1 of two empty sets is 1, which is not scikit-learn's convention. Columns of two DataFrames must be the same labels.

    >>> import concord
    >>> metrics = concord.evaluate([[1, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> round(metrics["example-f1"], 4), metrics["subset-loss"]
    (0.8333, 0.5)
    """
    require_names(column_names(predicted), column_names(truth), "predicted", "truth")
    true, answer = indicator(truth, "truth", signed=True), indicator(predicted, "predicted", signed=True)
    if true.shape != answer.shape:
        raise InputError(f"truth has the shape {true.shape}, predicted {answer.shape}; they must be the same",
                         subject="predicted")
    text = c_void_p()
    check(library().concord_evaluate(answer.ctypes.data, true.ctypes.data, *true.shape, resamples, seed, byref(text)))
    metrics: dict[str, Any] = json.loads(take_text(text))
    return metrics
