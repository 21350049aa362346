# SPDX-License-Identifier: MIT
"""scikit-learn's own checks of an estimator, without expected failures."""
import pytest

pytest.importorskip("sklearn")
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from concord.sklearn import ConcordClassifier, LabelPrior  # noqa: E402


@parametrize_with_checks([ConcordClassifier(), LabelPrior(LogisticRegression())])
def test_scikit_learn(estimator, check):
    check(estimator)
