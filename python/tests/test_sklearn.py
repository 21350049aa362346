# SPDX-License-Identifier: MIT
"""The estimators where scikit-learn's checks do not look."""
import inspect
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import concord
from concord.sklearn import ConcordClassifier, LabelPrior


def f1_loss(clf, data):
    return concord.evaluate(data["Y"], clf.predict(data["X"]))["example-f1-loss"]


def test_defaults_are_those_of_the_core():
    """So that a parameter with its default may be left out of the config."""
    core = {f"{key['section']}.{key['key']}": key["default"] for key in concord.describe("config")["keys"]}
    signature = inspect.signature(ConcordClassifier).parameters
    for name, (key, default) in ConcordClassifier._KEYS.items():
        assert default == signature[name].default
        if name not in ("holdout", "bias", "method"):  # None: decided by the number of rows, or by other keys
            assert default == core[key], name
    assert list(inspect.signature(LabelPrior).parameters)[2:] == list(signature)


def test_the_model_of_the_command_line(data, command, planted, tmp_path):
    (tmp_path / "c.toml").write_text(
        f'[data]\ntrain = "{planted}-train.arff"\n[train]\nprior = "repulsive"\nlambda_w = [0.1, 0.01]\nepochs = 5\n'
        '[predict]\nthreshold = "tuned"\n[preprocess]\nscale = "l2"\n[select]\nfolds = 3')
    command("train", tmp_path / "c.toml", "--model", tmp_path / "m.model", "--quiet")
    X = pd.DataFrame(data["X"], columns=data["feature_names"])
    Y = pd.DataFrame(data["Y"], columns=data["label_names"])
    clf = ConcordClassifier(prior="repulsive", lambda_w=[0.1, 0.01], epochs=5, threshold="tuned", scale="l2", folds=3,
                            config={"data.train": f"{planted}-train.arff"}).fit(X, Y)
    theirs = concord.load(tmp_path / "m.model")
    np.testing.assert_array_equal(clf.prior_, theirs.A)
    np.testing.assert_array_equal(clf.predict(X), theirs.predict(data["X"]))
    assert clf.model_.config == theirs.config and clf.model_.label_names == theirs.label_names
    record = {**theirs.record, "data": {**theirs.record["data"], "name": "data"}}
    assert clf.model_.record == record  # the name of the data is all that differs


def test_frames_and_sparse(data):
    X = pd.DataFrame(data["X"], columns=data["feature_names"])
    Y = pd.DataFrame(data["Y"], columns=data["label_names"])
    clf = ConcordClassifier(epochs=3).fit(X, Y)
    assert clf.label_names_ == data["label_names"] and list(clf.feature_names_in_) == data["feature_names"]
    assert clf.model_.feature_names == data["feature_names"] and clf.classes_.tolist() == list(range(6))
    plain = ConcordClassifier(epochs=3).fit(data["X"], sparse.csr_matrix(data["Y"]))
    assert plain.label_names_[0] == "label1" and (plain.prior_ == clf.prior_).all()
    frame = ConcordClassifier(epochs=3).fit(pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(data["X"])), Y)
    thin = ConcordClassifier(epochs=3).fit(sparse.csr_matrix(data["X"]), data["Y"] > 0)
    assert thin.predict(sparse.csc_matrix(data["X"])).shape == (150, 6) and frame.predict(data["X"]).shape == (150, 6)
    with pytest.warns(UserWarning, match="feature names"):
        clf.predict(data["X"])


def test_it_learns(data):
    plain = f1_loss(ConcordClassifier(method="ovr").fit(data["X"], data["Y"]), data)
    clf = ConcordClassifier("sdp-mixing", lambda_w=[0.01, 0.1], lambda_a=0.1, folds=2, n_jobs=2).fit(data["X"], data["Y"])
    assert f1_loss(clf, data) < plain
    assert clf.prior_helped_ in (True, None)
    assert clf.prior_.shape == (6, 6) and clf.score(data["X"], data["Y"]) > 0.5


def test_decision_function(data):
    clf = ConcordClassifier(threshold="tuned", epochs=5).fit(data["X"], data["Y"])
    np.testing.assert_array_equal(clf.decision_function(data["X"]) > 0, clf.predict(data["X"]))
    fixed = ConcordClassifier(threshold=0.25, epochs=5, holdout=0).fit(data["X"], data["Y"])
    np.testing.assert_array_equal(fixed.decision_function(data["X"]) > 0, fixed.predict(data["X"]))


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"], [3, 1, 2]])
def test_classes(classes, data):
    y = np.array(classes)[np.minimum(data["Y"][:, :2].sum(axis=1), len(classes) - 1)]
    clf = ConcordClassifier(epochs=5).fit(data["X"], y)
    assert set(clf.predict(data["X"])) <= set(classes) and clf.classes_.tolist() == sorted(classes)
    assert clf.score(data["X"], y) > 0.6
    assert clf.decision_function(data["X"]).shape == ((150,) if len(classes) == 2 else (150, 3))
    assert len(clf.label_names_) == (1 if len(classes) == 2 else 3)


@pytest.mark.parametrize("rows", [1, 2, 3, 19])
def test_tiny_data(rows, data):
    clf = ConcordClassifier(epochs=2).fit(data["X"][:rows], data["Y"][:rows])
    assert clf.model_.config["select"]["holdout"] == 0 and clf.prior_helped_ is None
    assert clf.predict(data["X"]).shape == (150, 6)


def test_enough_data_is_validated(data):
    assert ConcordClassifier(epochs=2).fit(data["X"][:20], data["Y"][:20]).model_.config["select"]["holdout"] == 0.25
    grid = ConcordClassifier(epochs=[1, 2]).fit(data["X"][:8], data["Y"][:8])
    assert grid.model_.config["select"]["holdout"] == 0.25 and len(grid.model_.record["selection"]["cells"]) == 2


def test_in_the_company_of_scikit_learn(data, tmp_path):
    pipeline = make_pipeline(StandardScaler(), ConcordClassifier(epochs=3))
    grid = GridSearchCV(pipeline, {"concordclassifier__lambda_w": [0.01, 0.1]}, cv=2, n_jobs=2).fit(data["X"], data["Y"])
    assert grid.best_params_["concordclassifier__lambda_w"] in (0.01, 0.1)
    found = cross_val_predict(ConcordClassifier(epochs=3), data["X"], data["Y"], cv=3, method="decision_function")
    assert found.shape == (150, 6)
    clf = clone(ConcordClassifier("spectral", lambda_w=[0.1, 1], epochs=2)).fit(data["X"], data["Y"])
    labels = clf.predict(data["X"])
    joblib.dump(clf, tmp_path / "clf")
    for copy in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "clf")):
        np.testing.assert_array_equal(copy.predict(data["X"]), labels)
        assert copy.model_.to_bytes() == clf.model_.to_bytes()


def test_random_state(data):
    fit = [ConcordClassifier(epochs=2, random_state=seed, holdout=0).fit(data["X"], data["Y"]).model_.config["run"]["seed"]
           for seed in (7, np.random.RandomState(0), np.random.RandomState(0), None)]
    assert fit[0] == 7 and fit[1] == fit[2] != fit[3]


def test_other_keys(data):
    clf = ConcordClassifier(epochs=2, config={"preprocess.fourier": 8, "train.diagonal": False}).fit(data["X"], data["Y"])
    assert clf.model_.W.shape == (9, 6) and (clf.prior_.diagonal() == 0).all()
    with pytest.raises(concord.InputError, match="fouriers.*did you mean"):
        ConcordClassifier(config={"preprocess.fouriers": 8}).fit(data["X"], data["Y"])
    with pytest.raises(concord.InputError, match="SECTION.KEY"):
        ConcordClassifier(config={"fourier": 8}).fit(data["X"], data["Y"])
    with pytest.raises(concord.UnavailableError, match="did you mean spectral"):
        ConcordClassifier("spectal").fit(data["X"], data["Y"])


def test_a_divergence_is_a_warning(data):
    with pytest.warns(concord.ConcordWarning, match="diverge"):
        ConcordClassifier(method="subgradient", lambda_w=1e-6, epochs=1, holdout=0).fit(data["X"], data["Y"])


def test_progress(data, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ConcordClassifier(epochs=3, verbose=1).fit(data["X"], data["Y"])
    out, err = capfd.readouterr()
    assert out == "" and "epoch" in err and "3/3" in err
    ConcordClassifier(epochs=3).fit(data["X"], data["Y"])
    assert capfd.readouterr() == ("", "")


# ---- LabelPrior ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), RandomForestClassifier(20, random_state=1),
                                       KNeighborsClassifier(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_a_prior_on_anybody(estimator, data):
    prior = LabelPrior(estimator, cv=3, epochs=5).fit(data["X"], data["Y"])
    assert prior.prior_.shape == (6, 6) and prior.model_.n_features == 6
    assert concord.evaluate(data["Y"], prior.predict(data["X"]))["hamming-loss"] < 0.3
    assert prior.decision_function(data["X"]).shape == (150, 6)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prior)).predict(data["X"]), prior.predict(data["X"]))


def test_scores_are_out_of_fold(data):
    """A forest knows the rows that it has seen by heart, so its scores of them would be nearly certain."""
    prior = LabelPrior(ExtraTreesClassifier(20, random_state=1), cv=KFold(3)).fit(data["X"], data["Y"])
    Y = np.random.default_rng(0).permutation(data["Y"])
    scores = prior._out_of_fold(data["X"], Y, Y.astype(np.int8))
    assert ((scores > 0) == Y).mean() < 0.75  # labels were shuffled: nobody can know them
    assert ((prior.estimator_.predict(data["X"]) > 0) == data["Y"]).all()
    with pytest.raises(concord.InputError, match="cv"):
        LabelPrior(LogisticRegression(), cv=[(np.arange(100), np.arange(100, 120))]).fit(data["X"], data["Y"])


def test_a_label_that_a_fold_lacks(data):
    Y = data["Y"].copy()
    Y[:, 0] = 0
    Y[0, 0] = 1
    for estimator in (LogisticRegression(), RandomForestClassifier(5, random_state=1)):
        assert LabelPrior(estimator, cv=3, epochs=2).fit(data["X"], Y).predict(data["X"]).shape == (150, 6)


def test_scores_of_a_net(data):
    logits = data["X"] @ np.linalg.lstsq(data["X"], 2.0 * data["Y"] - 1, rcond=None)[0]
    prior = LabelPrior(epochs=5).fit(scores=logits, y=pd.DataFrame(data["Y"], columns=data["label_names"]))
    assert prior.label_names_ == data["label_names"] and prior.predict(scores=logits).shape == (150, 6)
    assert prior.decision_function(scores=logits).shape == (150, 6)
    with pytest.raises(ValueError, match=r"predict\(scores=...\)"):
        prior.predict(data["X"])
    with pytest.raises(ValueError, match="no estimator"):
        LabelPrior().fit(data["X"], data["Y"])
    with pytest.raises(ValueError, match="6 labels"):
        prior.predict(scores=logits[:, :5])


def test_known_labels_and_probabilities(data):
    X, Y = data["X"], data["Y"]
    clf = ConcordClassifier(method="likelihood", threshold="tuned", config={"train.known": 0.5}).fit(X, Y)
    likely = clf.predict_proba(X)
    assert likely.shape == Y.shape and (0 <= likely).all() and (likely <= 1).all()
    known = np.full(Y.shape, np.nan)
    known[:, 0] = Y[:, 0]
    assert (clf.predict(X, known=known)[:, 0] == Y[:, 0]).all()
    assert (clf.predict_proba(X, known=known)[:, 0] == Y[:, 0]).all()
    for rule in ("none", "tuned", "expected-f1"):
        margin = ConcordClassifier(threshold=rule).fit(X, Y)
        assert concord.evaluate(Y, probabilities=margin.predict_proba(X))["brier-score"] < 0.25
    assert not hasattr(ConcordClassifier().fit(X, Y[:, 0]), "predict_proba")
    classes = ConcordClassifier(method="likelihood").fit(X, Y[:, :3].sum(axis=1))
    assert np.allclose(classes.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(concord.InputError, match="known labels are for a matrix"):
        classes.predict(X, known=known)
    prior = LabelPrior(LogisticRegression(), cv=3, method="likelihood").fit(X, Y)
    assert (prior.predict(X, known=known)[:, 0] == Y[:, 0]).all()
    assert prior.predict_proba(X).shape == Y.shape


@pytest.mark.parametrize(("spoil", "text"), [
    (lambda Y: 2 * Y - 1, r"y holds -1 .*labels must be 0 or 1: give \(y \+ 1\) // 2"),
    (lambda Y: np.where(Y > 0, "yes", "no"), "y holds the text '(yes|no)'; labels must be 0 or 1. .*MultiLabelBinarizer"),
    (lambda Y: np.where(Y > 0, "1", "0").astype(object), "y holds the text '[01]'"),
    (lambda Y: np.where(Y > 0, np.nan, 0), "y holds nan"),
    (lambda Y: np.where(Y[:, 0] > 0, np.nan, 0), "NaN"),
    (lambda Y: Y * np.arange(6), "y holds [2-5]"),
])
def test_targets_that_are_no_labels(spoil, text, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for estimator in (ConcordClassifier(), LabelPrior(LogisticRegression())):
            with pytest.raises(ValueError, match=text):
                estimator.fit(data["X"], spoil(data["Y"]))


def test_known_labels_and_scores_of_a_frame(data):
    Y = pd.DataFrame(data["Y"], columns=data["label_names"])
    clf = ConcordClassifier(epochs=3).fit(data["X"], Y)
    known = Y[data["label_names"][2:0:-1]]
    assert (clf.predict(data["X"], known=known)[:, 1:3] == data["Y"][:, 1:3]).all()
    prior = LabelPrior(epochs=3).fit(scores=Y - 0.5, y=Y)
    with pytest.raises(concord.InputError, match="column 0 .* of scores"):
        prior.predict(scores=Y[data["label_names"][::-1]])


def test_an_array_is_a_grid(data):
    listed = ConcordClassifier(lambda_w=[0.01, 0.1], epochs=2).fit(data["X"], data["Y"])
    for grid in (np.array([0.01, 0.1]), (0.01, 0.1)):
        clf = clone(ConcordClassifier(lambda_w=grid, epochs=2)).fit(data["X"], data["Y"])
        assert clf.model_.to_bytes() == listed.model_.to_bytes()
    clf = ConcordClassifier(epochs=2, config={"train.lambda_w": np.array([0.01, 0.1])}).fit(data["X"][:9], data["Y"][:9])
    assert len(clf.model_.record["selection"]["cells"]) == 2


def test_a_fit_that_has_not_converged_is_a_warning_and_tol_ends_one_that_has(data):
    X, Y = data["X"], data["Y"]
    with pytest.warns(ConvergenceWarning, match=r"not converged: gap \d.* %, try epochs=\d+"):
        open_gap = ConcordClassifier(lambda_w=1e-4, lambda_a=1e-3, epochs=2).fit(X, Y)
    assert open_gap.prior_helped_ is None and open_gap.model_.record["prior"]["converged"] is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        closed = ConcordClassifier(lambda_w=1.0, lambda_a=1.0, epochs=1000, tol=0.05).fit(X, Y)
    assert closed.model_.record["epochs"] < 1000 and closed.model_.record["gap"] <= 0.05
    assert closed.get_params()["tol"] == 0.05


def test_labels_are_those_above_0_where_scores_are_normalised(data):
    X, Y = data["X"], data["Y"]
    clf = ConcordClassifier(decoder="modular", lambda_w=1.0, epochs=20, threshold="tuned",
                            config={"predict.normalise": True}).fit(X, Y)
    assert ((clf.decision_function(X) > 0) == clf.predict(X)).all()
