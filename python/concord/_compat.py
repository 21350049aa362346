# SPDX-License-Identifier: MIT
"""The only place that knows versions of scikit-learn: 1.2 has `_more_tags`, 1.6 and later have `__sklearn_tags__`."""
from __future__ import annotations

from typing import Any


class MultiLabelTags:
    """What the estimators of this package can do; it stands before scikit-learn's own bases."""

    def _more_tags(self) -> dict[str, Any]:  # up to 1.5
        return {"multilabel": True, "X_types": ["2darray", "sparse"]}

    def __sklearn_tags__(self) -> Any:  # from 1.6 on
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


def takes_many_labels(estimator: Any) -> bool:
    """Whether an estimator learns several labels at once, by its tags."""
    try:
        from sklearn.utils import get_tags  # from 1.6 on
    except ImportError:
        from sklearn.utils._tags import _safe_tags

        return bool(_safe_tags(estimator, "multilabel"))
    classifier = get_tags(estimator).classifier_tags
    return classifier is not None and bool(classifier.multi_label)


def validate(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X checked as scikit-learn does: numbers, finite, two dimensions, `n_features_in_` and `feature_names_in_`."""
    rules = {"accept_sparse": "csr", "dtype": "float64", "order": "C", "reset": reset}
    try:
        from sklearn.utils.validation import validate_data  # from 1.6 on
    except ImportError:
        return estimator._validate_data(X, **rules)
    return validate_data(estimator, X, **rules)
