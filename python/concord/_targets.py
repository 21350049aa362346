# SPDX-License-Identifier: MIT
"""Targets of a classifier as labels: a matrix of 0 and 1, and the way back."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._arrays import Numbers, indicator


@dataclass(frozen=True)
class Targets:
    """What y was: several labels for each row, or one of two or more classes."""

    kind: str  #: "multilabel", "binary" or "multiclass"
    classes: npt.NDArray[Any]  #: the classes; the numbers of the labels where there are several for each row
    label_names: list[str]  #: one for each column of the matrix

    @staticmethod
    def read(y: Any) -> tuple[Targets, npt.NDArray[np.int8]]:
        """What y is, and its matrix: one column for each label or class, or a single one for two classes."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        if _is_matrix(y):
            Y = indicator(y, "y")
            names = [str(name) for name in getattr(y, "columns", [f"label{v + 1}" for v in range(Y.shape[1])])]
            return Targets("multilabel", np.arange(Y.shape[1]), names), Y
        with np.errstate(invalid="ignore"):  # NaN is an error, and no warning of a cast too
            check_classification_targets(y)
        classes, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has only one class, {classes[0]!r}; a classifier needs two classes at least")
        if len(classes) == 2:
            return Targets("binary", classes, [str(classes[1])]), codes.astype(np.int8)[:, None]
        one_hot = (codes[:, None] == np.arange(len(classes))).astype(np.int8)
        return Targets("multiclass", classes, [str(name) for name in classes]), one_hot

    def labels(self, chosen: npt.NDArray[np.int8], decision: Numbers | None) -> npt.NDArray[Any]:
        """What `predict` returns. A row of several classes has the one with the largest decision."""
        if self.kind == "multilabel":
            return chosen.astype(np.int64)
        if self.kind == "binary":
            return np.asarray(self.classes[chosen[:, 0].astype(np.intp)])
        assert decision is not None
        return np.asarray(self.classes[decision.argmax(axis=1)])


def _is_matrix(y: Any) -> bool:
    """Whether y has a column for each label. A single column is one label, as scikit-learn has it."""
    try:
        shape = y.shape if sparse.issparse(y) else np.asarray(y).shape
    except ValueError:  # rows of different lengths; scikit-learn says what is wrong with them
        return False
    return len(shape) == 2 and shape[1] > 1
