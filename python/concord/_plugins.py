# SPDX-License-Identifier: MIT
"""What plugins there are, and their options; and metrics of labels."""
from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any

from ._arrays import column_names, indicator, numbers, require_names
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


def evaluate(truth: Any, predicted: Any = None, *, ranking: Any = None, probabilities: Any = None, resamples: int = 0,
             seed: int = 1) -> dict[str, Any]:
    """Every metric of predicted labels, of a ranking and of probabilities, as far as they are given, instances x labels each;
    with `resamples` also "intervals" of 95 % by a bootstrap. In `ranking`, larger is better; NaN in it or in `probabilities`
    marks a label that is known, and left out there. F1 of two empty sets is 1, which is not scikit-learn's convention.
    Columns of two DataFrames must be the same labels.

    >>> import concord
    >>> metrics = concord.evaluate([[1, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> round(metrics["example-f1"], 4), metrics["subset-loss"]
    (0.8333, 0.5)
    >>> metrics = concord.evaluate([[1, 0, 1]], ranking=[[0.9, 0.5, 0.2]])
    >>> metrics["ranking-loss"], metrics["precision-at-1"]
    (0.5, 1.0)
    """
    if predicted is None and ranking is None and probabilities is None:
        raise InputError("there is nothing to measure: give predicted labels, a ranking or probabilities", subject="predicted")
    true = indicator(truth, "truth", signed=True)
    arrays: dict[str, Any] = {}
    for what, table in (("predicted", predicted), ("ranking", ranking), ("probabilities", probabilities)):
        if table is None:
            continue
        require_names(column_names(table), column_names(truth), what, "truth")
        arrays[what] = indicator(table, what, signed=True) if what == "predicted" else numbers(table, what, 2)
        if arrays[what].shape != true.shape:
            raise InputError(f"truth has the shape {true.shape}, {what} {arrays[what].shape}; they must be the same",
                             subject=what)
    metrics: dict[str, Any] = {}
    intervals: dict[str, Any] = {}

    def measure(function: str, *names: str) -> None:
        text = c_void_p()
        places = [arrays[name].ctypes.data if name in arrays else None for name in names]
        check(getattr(library(), function)(*places, true.ctypes.data, *true.shape, resamples, seed, byref(text)))
        found = json.loads(take_text(text))
        intervals.update(found.pop("intervals"))
        metrics.update(found)

    if predicted is not None:
        measure("concord_evaluate", "predicted")
    if ranking is not None or probabilities is not None:
        measure("concord_evaluate_ranking", "ranking", "probabilities")
    metrics["intervals"] = intervals
    return metrics
