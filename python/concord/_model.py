# SPDX-License-Identifier: MIT
"""A trained model: prediction, its parameters as NumPy arrays, and its file."""
from __future__ import annotations

import ctypes
import json
import os
import weakref
from collections.abc import Mapping, Sequence
from ctypes import POINTER, byref, c_double, c_int64, c_size_t, c_void_p, pointer
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _structs as s
from ._arrays import (Numbers, column_names, features_struct, indicator, numbers, require_names, texts, to_json)
from ._errors import FileError, InputError, did_you_mean
from ._library import check, library, session, take_text
from ._run import Event, call


def load(path: str | os.PathLike[str]) -> Model:
    """The model of a file that `concord train` or `Model.save` wrote.

    >>> import concord
    >>> concord.load("missing.model")
    Traceback (most recent call last):
    concord.FileError: missing.model: No such file or directory
    """
    try:
        return Model(Path(path).read_bytes(), os.fspath(path))
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror}", subject=os.fspath(path)) from error


class Model:
    """W, A and what belongs to a prediction: D(x, y) = y'W'x - y'Ay with x preprocessed.

    A model does not change. It can be pickled, and several threads may use it at once.
    """

    def __init__(self, data: bytes, name: str = "model") -> None:
        handle = c_void_p()
        check(library().concord_model_read(data, len(data), name.encode(), byref(handle)))
        self._keep(handle)

    def _keep(self, handle: c_void_p) -> None:
        self._handle = handle
        weakref.finalize(self, library().concord_model_free, handle)

    # ---- what it is ----

    @cached_property
    def _described(self) -> dict[str, Any]:
        text = c_void_p()
        check(library().concord_model_describe(self._handle, byref(text)))
        described: dict[str, Any] = json.loads(take_text(text))
        return described

    @property
    def label_names(self) -> list[str]:
        return list(self._described["label_names"])

    @property
    def feature_names(self) -> list[str]:
        """Of the data that it was trained on; empty if they had none."""
        return list(self._described["feature_names"])

    @property
    def n_labels(self) -> int:
        return int(self._described["labels"])

    @property
    def n_features(self) -> int:
        """Of the data, before the bias is added."""
        return int(self._described["features"])

    @property
    def config(self) -> dict[str, Any]:
        """The effective settings of the winning cell."""
        return dict(self._described["config"])

    @property
    def record(self) -> dict[str, Any]:
        """How it came about: plugins with versions, selection, objective, gap, whether the prior helped."""
        return dict(self._described["record"])

    @property
    def prior_helped(self) -> bool | None:
        """Whether validation was better with the prior than with A = 0, by more than two standard errors of the paired
        difference. None: neither was better, or fits have not converged, or there is no prior, or nothing was held out to
        measure it on."""
        better = self.record.get("prior", {}).get("better")
        return {"with": True, "without": False}.get(better)

    def block(self, name: str) -> Numbers:
        """A block of the model file, read-only and without a copy: "W", "A", "thresholds", "calibration", "centre", "factor",
        "frequencies" or "phases". The array keeps the model alive."""
        start, rows, columns = POINTER(c_double)(), c_int64(), c_int64()
        check(library().concord_model_block(self._handle, name.encode(), byref(start), byref(rows), byref(columns)))
        size = rows.value * columns.value
        if size == 0:
            return np.empty((rows.value, columns.value))
        memory = (c_double * size).from_address(ctypes.addressof(start.contents))
        memory._model = self  # type: ignore[attr-defined]
        return np.frombuffer(memoryview(memory).toreadonly(), np.float64).reshape(rows.value, columns.value)

    @property
    def W(self) -> Numbers:
        """Features, with the bias last, x labels."""
        return self.block("W")

    @property
    def A(self) -> Numbers:
        """The prior, labels x labels: below zero two labels attract, above zero they repel."""
        return self.block("A")

    def __repr__(self) -> str:
        return f"<concord.Model: {self.n_labels} labels, {self.n_features} features>"

    # ---- prediction ----

    def predict(self, X: Any, *, known: Any = None, n_jobs: int | None = None, **settings: Any) -> npt.NDArray[np.int8]:
        """Labels, 0 or 1, for each row of X.

        X          instances x features: an array, a DataFrame or a scipy.sparse matrix. The columns of a DataFrame must be
                   `feature_names`, in that order.
        known      None, or instances x labels: 1 and 0 where a label is known, NaN where not. Known labels stay, and the
                   others are predicted given them. The columns of a DataFrame are names of labels, some or all of them.
        settings   predict otherwise than was trained: decoder="exact", rounding="sign", or any key of `concord predict
                   --set`, as in **{"predict.min_labels": 1, "decoder.tol": 1e-4}.
        """
        return (self._ask("labels", np.int8, X, known, n_jobs, settings) > 0).astype(np.int8)

    def decision_function(self, X: Any, *, known: Any = None, n_jobs: int | None = None, **settings: Any) -> Numbers:
        """What the labels are chosen by, for each row of X: the decoder's u if there is a prior, else W'x, minus the
        thresholds if the model has thresholds. Larger is more likely; with thresholds, labels are those above 0. A label
        that is known has NaN."""
        decision: Numbers = self._ask("ranking", np.float64, X, known, n_jobs, settings) - self._thresholds()
        return decision

    def scores(self, X: Any, *, n_jobs: int | None = None) -> Numbers:
        """W'x for each row of X: the linear part alone."""
        return self._ask("scores", np.float64, X, None, n_jobs, {})

    def probabilities(self, X: Any, *, known: Any = None, n_jobs: int | None = None, **settings: Any) -> Numbers:
        """The probability of each label given those that are known, for each row of X. They are those of
        the joint of method "likelihood", else those that the calibration of validation makes of the decision function."""
        return self._ask("probabilities", np.float64, X, known, n_jobs, settings)

    def _thresholds(self) -> Numbers | float:
        """One number, or one for each label; 0 where the rule is another (a rounding, the expected F1)."""
        levels = self.block("thresholds").ravel()
        is_calibration = self.config.get("predict", {}).get("threshold") == "expected-f1"
        return 0.0 if levels.size == 0 or is_calibration else levels

    def _ask(self, what: str, dtype: Any, X: Any, known: Any, n_jobs: int | None,
             settings: Mapping[str, Any]) -> npt.NDArray[Any]:
        """One field of concord_predictions, instances x labels."""
        require_names(column_names(X), self.feature_names, "X", "the model")
        rows = features_struct(X)
        answer = np.empty((rows.rows, self.n_labels), dtype)
        query = s.Query(features=pointer(rows), known=self._known(known, answer.shape),
                        settings=to_json(settings) if settings else None)
        predictions = s.Predictions(**{what: answer})
        function, opened = library().concord_predict, session()
        call(lambda run: int(function(opened, self._handle, byref(query), run, byref(predictions))), n_jobs)
        return answer

    def _known(self, known: Any, shape: tuple[int, ...]) -> npt.NDArray[np.int8] | None:
        """1, -1 and 0 for unknown, as the library has them."""
        if known is None:
            return None
        given = self._aligned(known) if hasattr(known, "reindex") else numbers(known, "known", 2)
        if given.shape != shape:
            raise InputError(f"known has the shape {given.shape}; it must be instances x labels, {shape}", subject="known")
        wrong = ~(np.isnan(given) | (given == 0) | (given == 1))
        if wrong.any():
            row, label = np.argwhere(wrong)[0]
            raise InputError(f"known has {given[row, label]:g} in row {row}, label {label} (counted from 0); it must be 1, "
                             "0, or NaN for unknown", subject="known")
        return np.where(np.isnan(given), 0, 2 * np.nan_to_num(given) - 1).astype(np.int8)

    def _aligned(self, known: Any) -> Numbers:
        """The columns of a DataFrame in the order of the labels, NaN where there is none. Columns that are only counted,
        and are no names of labels, stay in their places."""
        labels, names = self.label_names, [str(name) for name in known.columns]
        wrong = [name for name in names if name not in labels]
        if wrong and column_names(known) is not None:
            raise InputError(f"known has the column {wrong[0]!r}, which is no label of the model"
                             f"{did_you_mean(wrong[0], labels)}", subject="known", remedy="name columns as in label_names")
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise InputError(f"known has the column {twice[0]!r} twice; give each label once", subject="known")
        table = known if wrong else known.set_axis(names, axis=1).reindex(columns=labels)
        try:
            return np.ascontiguousarray(table.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError) as error:
            raise InputError(f"known must be 1, 0, or NaN for unknown: {error}", subject="known") from error

    # ---- its file ----

    def to_bytes(self) -> bytes:
        """The bytes of the model file; `Model(data)` reads them."""
        text, length = c_void_p(), c_size_t()
        check(library().concord_model_write(self._handle, byref(text), byref(length)))
        return take_text(text, length.value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which `concord predict` reads too. A reader sees the old file or the new one."""
        target = Path(path)
        part = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            part.write_bytes(self.to_bytes())
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise FileError(f"{target}: {error.strerror}", subject=str(target)) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.to_bytes(),)


def train(X: Any, Y: Any, config: str | Mapping[str, Any], *, label_names: Sequence[str] | None = None,
          feature_names: Sequence[str] | None = None, name: str = "data", n_jobs: int | None = None,
          event: Event | None = None) -> Model:
    """Trains with a config as `concord train` reads it: TOML, or its sections as a dict. With the data and the config of
    a file the model is that of the command line, byte for byte.

    X              instances x features: an array, a DataFrame or a scipy.sparse matrix.
    Y              instances x labels, 0 and 1.
    label_names, feature_names
                   by default the columns of Y and X, if they are DataFrames with names.
    event          called with each event of the training, a dict; what it raises ends the training.

    >>> import concord, numpy as np
    >>> X = np.random.default_rng(1).normal(size=(60, 3))
    >>> model = concord.train(X, X > 0, {"train": {"epochs": 5}, "select": {"holdout": 0}}, label_names=["a", "b", "c"])
    >>> model
    <concord.Model: 3 labels, 3 features>
    >>> model.W.shape, model.A.shape
    ((4, 3), (3, 3))
    """
    rows = features_struct(X)
    truth = indicator(Y, "Y")
    if truth.shape[0] != rows.rows:
        raise InputError(f"X has {rows.rows} rows and Y has {truth.shape[0]}; they must be the same instances", subject="Y")
    training = s.Training(features=pointer(rows), labels=truth.shape[1], truth=truth,
                          label_names=texts(column_names(Y) if label_names is None else label_names),
                          feature_names=texts(column_names(X) if feature_names is None else feature_names), name=name.encode(),
                          config=config.encode() if isinstance(config, str) else to_json(config))
    handle = c_void_p()
    function, opened = library().concord_train, session()
    try:
        call(lambda run: int(function(opened, byref(training), run, byref(handle))), n_jobs, event)
    except BaseException:
        library().concord_model_free(handle)  # what an interrupted call had reached
        raise
    model = Model.__new__(Model)
    model._keep(handle)
    return model
