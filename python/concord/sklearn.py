# SPDX-License-Identifier: MIT
"""Concord for scikit-learn: `ConcordClassifier` learns labels with a prior, `LabelPrior` puts one on anybody's scores.

Both take y as a matrix of 0 and 1 (an array, a DataFrame, or scipy.sparse), and also two or more classes. Both work in
`Pipeline`, `GridSearchCV` and `cross_val_predict`, and can be cloned and pickled.
"""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ._arrays import Numbers, column_names, numbers, require_names
from ._compat import MultiLabelTags, takes_many_labels, validate
from ._errors import ConcordWarning, InputError
from ._model import Model, train
from ._progress import progress
from ._targets import Targets

FEWEST = 20  # rows that can be divided for validation; with fewer, nothing is held out unless something must be chosen


class _Settings(MultiLabelTags, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """From the parameters of an estimator to a config and a model."""

    model_: Model
    targets_: Targets

    # parameter: (key of the config, its default in the core). A key with its default is left out, as the core refuses
    # keys without effect, such as a decoder for the method "ovr".
    _KEYS = {"decoder": ("train.decoder", "spectral"), "loss": ("train.loss", "f-beta"), "prior": ("train.prior", None),
             "lambda_w": ("train.lambda_w", 0.01), "lambda_a": ("train.lambda_a", 1.0), "epochs": ("train.epochs", 30),
             "tol": ("train.tol", None), "method": ("train.method", None), "batch": ("train.batch", 10),
             "scale": ("preprocess.scale", None), "bias": ("preprocess.bias", None),
             "threshold": ("predict.threshold", "none"), "min_labels": ("predict.min_labels", None),
             "rounding": ("predict.rounding", None), "folds": ("select.folds", 0), "holdout": ("select.holdout", None),
             "metric": ("select.metric", "example-f1-loss")}

    def _config(self, rows: int) -> dict[str, Any]:
        """The sections of the config: the parameters, then the keys of `config`."""
        given = {key: (_plain(getattr(self, name)), default) for name, (key, default) in self._KEYS.items()}
        keys = {key: value for key, (value, default) in given.items() if isinstance(value, list) or value != default}
        keys.update({key: _plain(value) for key, value in (self.config or {}).items()})
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(2**31)
        keys.setdefault("run.seed", int(seed))
        chooses = any(isinstance(value, list) for value in keys.values()) or \
            keys.get("predict.threshold") in ("tuned", "per-label", "expected-f1")
        if rows < FEWEST and not chooses and "select.folds" not in keys:
            keys.setdefault("select.holdout", 0)
        config: dict[str, Any] = {}
        for key, value in keys.items():
            section, dot, name = key.partition(".")
            if not dot:
                raise InputError(f"config has {key!r}; a key is SECTION.KEY, as in 'train.hinge'", subject=key)
            config.setdefault(section, {})[name] = value
        return config

    def _learn(self, X: Any, Y: npt.NDArray[np.int8], feature_names: list[str] | None) -> None:
        bar = progress() if self.verbose else None
        try:
            self.model_ = train(X, Y, self._config(X.shape[0]), label_names=self.targets_.label_names,
                                feature_names=feature_names, n_jobs=self.n_jobs, event=bar)
        finally:
            if bar is not None:
                bar.close()
        record = self.model_.record
        for text in record.get("warnings", []):
            warnings.warn(text, ConcordWarning, stacklevel=3)
        if record.get("try_epochs") is not None:
            warnings.warn(f"not converged: gap {100 * record['gap']:.2g} %, try epochs={record['try_epochs']}",
                          ConvergenceWarning, stacklevel=3)

    def _labels(self, features: Any, known: Any) -> npt.NDArray[Any]:
        self._require_labels(known)
        decision = self._decision(features) if self.targets_.kind == "multiclass" else None
        return self.targets_.labels(self.model_.predict(features, known=known, n_jobs=self.n_jobs), decision)

    def _probabilities(self, features: Any, known: Any) -> Numbers:
        self._require_labels(known)
        likely = self.model_.probabilities(features, known=known, n_jobs=self.n_jobs)
        if self.targets_.kind == "binary":
            return np.column_stack((1 - likely, likely))
        if self.targets_.kind == "multiclass":
            return np.asarray(likely / likely.sum(axis=1, keepdims=True))
        return likely

    def _require_labels(self, known: Any) -> None:
        if known is not None and self.targets_.kind != "multilabel":
            raise InputError("known labels are for a matrix of labels; y had classes", subject="known")

    def _decision(self, features: Any) -> Numbers:
        """One column for each label. A single label has no prior, so its score says more than its u."""
        if self.targets_.kind == "binary":
            return self.model_.scores(features, n_jobs=self.n_jobs)
        return self.model_.decision_function(features, n_jobs=self.n_jobs)

    def _decision_of(self, features: Any) -> Numbers:
        decision = self._decision(features)
        return decision[:, 0] if self.targets_.kind == "binary" else decision

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The classes, or the numbers of the labels."""
        return self.targets_.classes

    @property
    def label_names_(self) -> list[str]:
        """The columns of y if it was a DataFrame, else label1, label2, ..., or the classes."""
        return self.targets_.label_names

    @property
    def prior_(self) -> Numbers:
        """A, labels x labels: below zero two labels attract, above zero they repel."""
        return self.model_.A

    @property
    def prior_helped_(self) -> bool | None:
        """Whether the prior helped in validation, by more than two standard errors; None: it cannot be told; the
        reason is `why` in `model_.record["prior"]`. The figures are in `model_.record["prior"]`."""
        return self.model_.prior_helped


def _plain(value: Any) -> Any:
    """A tuple or a NumPy array as a list, which is a grid."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


_PARAMETERS = """
    decoder       solves the problems of training and prediction; a name, a function under
                  `concord.decoder`, or {"name": ..., OPTION: ...}.
    loss          what training makes small: "f-beta", "hamming" or "weighted-hamming".
    prior         "any", "attractive", "repulsive" or "none"; None: the widest that the decoder takes.
    lambda_w, lambda_a, epochs, tol, method, batch, scale, bias, threshold, min_labels, rounding, folds, holdout, metric
                  keys of the config (docs/config.md). A list or an array is a grid: Concord tries all combinations on parts of
                  the training data, chooses by `metric`, and fits the best on all. holdout None: see below. method
                  None: "bcfw", with {"train.known": ...} in `config` "likelihood". bias None: 1, with the method "ovr"
                  chosen among 1, 10 and 30.
    config        {"SECTION.KEY": value} for any other key, such as {"preprocess.fourier": 500}.
    n_jobs        threads, as scikit-learn counts; no result depends on it.
    random_state  seeds everything; the same seed gives the same model.
    verbose       1: a progress bar.
"""


def _has_probabilities(estimator: Any) -> bool:
    """Labels have probabilities by any method; those of classes must agree with the class that is predicted. Which of them y
    has is known after fit()."""
    targets = getattr(estimator, "targets_", None)
    return bool(estimator.method == "likelihood" or estimator.threshold == "expected-f1"
                or (targets is not None and targets.kind == "multilabel"))


class ConcordClassifier(_Settings):
    """A linear model of labels with a learned prior: D(x, y) = y'W'x - y'Ay.

    Parameters
    {parameters}
    By default a quarter of the rows is held out to measure whether the prior helped; below 20 rows nothing is, unless a
    list or a tuned threshold has to be chosen by it.

    After `fit`: `model_` (a `concord.Model`), `prior_`, `label_names_`, `prior_helped_`, `classes_`, `n_features_in_`.

    >>> import numpy as np
    >>> from concord.sklearn import ConcordClassifier
    >>> X = np.random.default_rng(1).normal(size=(200, 5))
    >>> Y = X[:, :3] + X[:, 3:4] > 0
    >>> clf = ConcordClassifier(lambda_w=[0.01, 0.1], epochs=20).fit(X, Y)
    >>> clf.predict(X[:2]).shape, clf.prior_.shape, clf.label_names_
    ((2, 3), (3, 3), ['label1', 'label2', 'label3'])
    >>> clf.score(X, Y) > 0.7
    True
    """

    def __init__(self, decoder: Any = "spectral", loss: Any = "f-beta", prior: Any = None, lambda_w: Any = 0.01,
                 lambda_a: Any = 1.0, epochs: Any = 30, *, tol: float | None = None, method: Any = None,
                 batch: Any = 10, scale: Any = None, bias: Any = None, threshold: Any = "none", min_labels: Any = None,
                 rounding: Any = None, folds: int = 0, holdout: float | None = None, metric: str = "example-f1-loss",
                 config: Mapping[str, Any] | None = None, n_jobs: int | None = None, random_state: Any = 1,
                 verbose: int = 0) -> None:
        self.decoder, self.loss, self.prior = decoder, loss, prior
        self.lambda_w, self.lambda_a, self.epochs, self.tol = lambda_w, lambda_a, epochs, tol
        self.method, self.batch, self.scale, self.bias = method, batch, scale, bias
        self.threshold, self.min_labels, self.rounding = threshold, min_labels, rounding
        self.folds, self.holdout, self.metric, self.config = folds, holdout, metric, config
        self.n_jobs, self.random_state, self.verbose = n_jobs, random_state, verbose

    def fit(self, X: Any, y: Any) -> ConcordClassifier:
        """Learns W and A. Names of columns of a DataFrame become names of features and labels."""
        X = validate(self, X, reset=True)
        self.targets_, Y = Targets.read(y)
        check_consistent_length(X, Y)
        self._learn(X, Y, list(getattr(self, "feature_names_in_", [])) or None)
        return self

    def predict(self, X: Any, *, known: Any = None) -> npt.NDArray[Any]:
        """Labels, instances x labels of 0 and 1; or one class for each row if y had classes. `known` has 1 and 0 where a
        label is known beforehand and NaN where not: known labels stay, and the others are predicted given them. Columns
        of a DataFrame are names of labels, some or all of them."""
        check_is_fitted(self)
        return self._labels(validate(self, X, reset=False), known)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any, *, known: Any = None) -> Numbers:
        """How likely each label is given those that are known, instances x labels: by the joint of method="likelihood", else
        by a calibration on the rows that were held out. Of classes only with method="likelihood" or
        threshold="expected-f1"."""
        check_is_fitted(self)
        return self._probabilities(validate(self, X, reset=False), known)

    def decision_function(self, X: Any) -> Numbers:
        """What labels are chosen by, larger being more likely; see `concord.Model.decision_function`."""
        check_is_fitted(self)
        return self._decision_of(validate(self, X, reset=False))


class LabelPrior(_Settings):
    """A label prior on anybody's scores.

    Scores of `estimator` become the features of a Concord model: W learns how to weigh them, A which labels go together.
    With method="likelihood" one weight and an offset for each label make log-odds of the scores, and A is learned beside.
    While it learns, every row has the scores of an estimator that has not seen the row (`cv` folds); then the estimator
    is fitted on all rows. Scores are those of decision_function, or else the logits of predict_proba. An estimator that
    learns one label at a time is used for each label (OneVsRestClassifier).

    Parameters
    estimator     any classifier of scikit-learn; None if scores are given to `fit` and `predict`.
    cv            the number of folds, or a splitter.
    {parameters}
    The scores are standardised unless `scale` says otherwise. After `fit`: `estimator_`, and what ConcordClassifier has.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from concord.sklearn import LabelPrior
    >>> X = np.random.default_rng(1).normal(size=(200, 5))
    >>> Y = X[:, :3] + X[:, 3:4] > 0
    >>> LabelPrior(LogisticRegression(), cv=3).fit(X, Y).predict(X[:2]).shape
    (2, 3)

    The logits of a net, by rows that it has not been trained on:

    >>> logits = X[:, :3] + X[:, 3:4]
    >>> LabelPrior().fit(scores=logits, y=Y).predict(scores=logits[:2]).shape
    (2, 3)
    """

    def __init__(self, estimator: Any = None, cv: Any = 5, decoder: Any = "spectral", loss: Any = "f-beta",
                 prior: Any = None, lambda_w: Any = 0.01, lambda_a: Any = 1.0, epochs: Any = 30, *,
                 tol: float | None = None, method: Any = None, batch: Any = 10, scale: Any = "standardise",
                 bias: Any = None, threshold: Any = "none", min_labels: Any = None, rounding: Any = None, folds: int = 0,
                 holdout: float | None = None, metric: str = "example-f1-loss",
                 config: Mapping[str, Any] | None = None, n_jobs: int | None = None, random_state: Any = 1,
                 verbose: int = 0) -> None:
        self.estimator, self.cv = estimator, cv
        self.decoder, self.loss, self.prior = decoder, loss, prior
        self.lambda_w, self.lambda_a, self.epochs, self.tol = lambda_w, lambda_a, epochs, tol
        self.method, self.batch, self.scale, self.bias = method, batch, scale, bias
        self.threshold, self.min_labels, self.rounding = threshold, min_labels, rounding
        self.folds, self.holdout, self.metric, self.config = folds, holdout, metric, config
        self.n_jobs, self.random_state, self.verbose = n_jobs, random_state, verbose

    def _config(self, rows: int) -> dict[str, Any]:
        """With method="likelihood" the scores are a base: weighed and calibrated, not features for a W."""
        config = super()._config(rows)
        train_keys = config.get("train", {})
        if train_keys.get("method", "likelihood" if train_keys.get("known", 0) > 0 else "bcfw") == "likelihood":
            config.setdefault("scores", {}).setdefault("given", 1)
        return config

    def fit(self, X: Any = None, y: Any = None, *, scores: Any = None) -> LabelPrior:
        """Learns from instances X, or from scores of instances, n x labels, that are held-out ones."""
        if scores is None:
            X = validate(self, X, reset=True)
        self.targets_, Y = Targets.read(y)
        if scores is None:
            check_consistent_length(X, Y)
            scores = self._out_of_fold(X, y, Y)
            self.estimator_ = _fit_quietly(self._fresh(Y), X, Y)
        else:
            scores = self._given(scores)
        self._learn(scores, Y, None)
        return self

    def predict(self, X: Any = None, *, scores: Any = None, known: Any = None) -> npt.NDArray[Any]:
        """Labels, instances x labels of 0 and 1; or one class for each row if y had classes. `known` as for
        ConcordClassifier."""
        check_is_fitted(self)
        return self._labels(self._scores(X, scores), known)

    @available_if(_has_probabilities)  # type: ignore[misc]
    def predict_proba(self, X: Any = None, *, scores: Any = None, known: Any = None) -> Numbers:
        """How likely each label is given those that are known; as for ConcordClassifier."""
        check_is_fitted(self)
        return self._probabilities(self._scores(X, scores), known)

    def decision_function(self, X: Any = None, *, scores: Any = None) -> Numbers:
        """What labels are chosen by, larger being more likely; see `concord.Model.decision_function`."""
        check_is_fitted(self)
        return self._decision_of(self._scores(X, scores))

    def _scores(self, X: Any, scores: Any) -> Numbers:
        if scores is not None:
            return self._given(scores)
        if not hasattr(self, "estimator_"):
            raise InputError("this prior was fitted on scores, so it predicts from scores: predict(scores=...)",
                             subject="scores")
        return _scores_of(self.estimator_, validate(self, X, reset=False), len(self.label_names_))

    def _given(self, scores: Any) -> Numbers:
        """Scores of a caller: one column for each label."""
        names = column_names(scores)
        if names is not None and sorted(names) == sorted(self.label_names_):  # other names say nothing of the labels
            require_names(names, self.label_names_, "scores", "y")
        given = numbers(scores, "scores", 2)
        if given.shape[1] != len(self.label_names_):
            raise InputError(f"scores have the shape {given.shape}; there are {len(self.label_names_)} labels",
                             subject="scores")
        return given

    def _fresh(self, Y: npt.NDArray[np.int8]) -> Any:
        if self.estimator is None:
            raise InputError("LabelPrior has no estimator; give one, or scores: fit(scores=..., y=...)",
                             subject="estimator")
        fresh = clone(self.estimator)
        return fresh if Y.shape[1] == 1 or takes_many_labels(fresh) else OneVsRestClassifier(fresh)

    def _out_of_fold(self, X: Any, y: Any, Y: npt.NDArray[np.int8]) -> Numbers:
        """The scores of each row by an estimator that has not seen the row."""
        if isinstance(self.cv, (int, np.integer)):
            several = self.targets_.kind == "multilabel"
            folds = (KFold if several else StratifiedKFold)(self.cv, shuffle=True, random_state=self.random_state)
        else:
            folds = check_cv(self.cv)
        scores = np.full(Y.shape, np.nan)
        for seen, held_out in folds.split(X, None if self.targets_.kind == "multilabel" else y):
            scores[held_out] = _scores_of(_fit_quietly(self._fresh(Y), X[seen], Y[seen]), X[held_out], Y.shape[1])
        if np.isnan(scores).any():
            raise InputError(f"cv = {self.cv!r} leaves rows without a fold that holds them out", subject="cv")
        return scores


def _fit_quietly(estimator: Any, X: Any, Y: npt.NDArray[np.int8]) -> Any:
    """A label that a fold lacks is no news: its scores are constant there."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Label .* is present in all training examples")
        return estimator.fit(X, Y.ravel() if Y.shape[1] == 1 else Y)


def _scores_of(estimator: Any, X: Any, labels: int) -> Numbers:
    """Decision values, or logits of probabilities, n x labels."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=np.float64).reshape(-1, labels)
    probability = estimator.predict_proba(X)
    if isinstance(probability, list):  # of forests and neighbours: one array for each label, a column for each class
        columns = [_positive(p, classes) for p, classes in zip(probability, estimator.classes_)]
        probability = np.column_stack(columns)
    elif labels == 1:
        probability = _positive(probability, estimator.classes_)[:, None]
    likely = np.clip(np.asarray(probability, dtype=np.float64), 1e-3, 1 - 1e-3)
    return np.log(likely / (1 - likely))


def _positive(probability: Numbers, classes: npt.NDArray[Any]) -> Any:
    """The column of class 1; zeros if no row had it."""
    where = np.flatnonzero(np.asarray(classes) == 1)
    return probability[:, where[0]] if where.size else np.zeros(len(probability))


for _class in (ConcordClassifier, LabelPrior):
    _class.__doc__ = (_class.__doc__ or "").replace("    {parameters}\n", _PARAMETERS.lstrip("\n"))
del _class
