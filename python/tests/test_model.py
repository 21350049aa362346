# SPDX-License-Identifier: MIT
"""Training and models against the command line, and models as Python objects."""
import gc
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import concord
from support import read_arff

CONFIG = """[data]
train = "{train}"
[preprocess]
bias = 2.0
[train]
decoder = "{decoder}"
lambda_w = [0.01, 0.1]
epochs = 6
[select]
folds = 3
[predict]
threshold = "{threshold}"
min_labels = 1
"""


@pytest.mark.parametrize(("decoder", "threshold"), [("spectral", "tuned"), ("sdp-mixing", "none"), ("spectral", "per-label"),
                                                    ("spectral", "expected-f1")])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_fit_and_pickle_and_predict_as_the_command_line(decoder, threshold, form, planted, command, tmp_path):
    train = Path(f"{planted}-train.arff")
    if form == "sparse":
        train = tmp_path / "sparse-train.arff"
        as_sparse(Path(f"{planted}-train.arff"), train)
        (tmp_path / "sparse.xml").write_bytes(Path(f"{planted}.xml").read_bytes())
    config = CONFIG.format(train=train, decoder=decoder, threshold=threshold)
    (tmp_path / "config.toml").write_text(config)
    command("train", tmp_path / "config.toml", "--model", tmp_path / "theirs.model", "--quiet")
    data = read_arff(Path(f"{planted}-train.arff"), labels=6)
    X = data["X"] if form == "dense" else sparse.csr_matrix(data["X"])
    ours = concord.train(X, data["Y"], config, label_names=data["label_names"], feature_names=data["feature_names"],
                         name=data["name"], n_jobs=2)
    assert ours.to_bytes() == (tmp_path / "theirs.model").read_bytes()

    copy = pickle.loads(pickle.dumps(ours))
    assert copy.to_bytes() == ours.to_bytes()
    copy.save(tmp_path / "ours.model")
    for model, name in ((copy, "ours"), (concord.load(tmp_path / "theirs.model"), "theirs")):
        test = read_arff(Path(f"{planted}-test.arff"), labels=6)["X"]
        told = command("predict", "--model", tmp_path / f"{name}.model", "--data", f"{planted}-test.arff").splitlines()
        assert told[0].split(",") == model.label_names
        assert model.predict(test).tolist() == [[int(label) for label in line.split(",")] for line in told[1:]]
        told = command("predict", "--model", tmp_path / f"{name}.model", "--data", f"{planted}-test.arff", "--output",
                       "scores").splitlines()
        ranking = np.array([line.split(",") for line in told[1:]], dtype=float)
        shift = 0 if threshold in ("none", "expected-f1") else model.block("thresholds").ravel()
        np.testing.assert_array_equal(model.decision_function(test, n_jobs=2), ranking - shift)


def as_sparse(dense, target):
    """The ARFF file in its sparse form."""
    head, rows = dense.read_text().split("@data\n")
    lines = ["{" + ",".join(f"{j} {number}" for j, number in enumerate(row.split(",")) if float(number) != 0) + "}"
             for row in rows.splitlines()]
    target.write_text(head + "@data\n" + "\n".join(lines) + "\n")


@pytest.fixture
def model(data):
    return concord.train(data["X"], data["Y"], {"train": {"epochs": 3}, "select": {"folds": 2}},
                         label_names=data["label_names"], feature_names=data["feature_names"])


def test_a_config_as_a_dict_and_as_text_are_the_same(data):
    text = concord.train(data["X"], data["Y"], "[train]\nepochs = 2\nlambda_w = [0.01, 0.1]")
    given = concord.train(data["X"], data["Y"], {"train": {"epochs": np.int64(2), "lambda_w": np.array([0.01, 0.1])}})
    assert text.to_bytes() == given.to_bytes()
    assert text.label_names == [f"label{v}" for v in range(1, 7)] and text.feature_names == []


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_indices_of_both_sizes(data, index, model):
    X = sparse.csr_matrix(data["X"])
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    np.testing.assert_array_equal(model.predict(X), model.predict(data["X"]))
    unsorted = X[:, ::-1][:, ::-1].tocsr()
    np.testing.assert_array_equal(model.predict(unsorted), model.predict(data["X"]))


def test_blocks_are_views_that_keep_the_model(model):
    W, A = model.W, model.A
    assert W.shape == (7, 6) and A.shape == (6, 6) and (A == A.T).all()
    with pytest.raises(ValueError, match="read-only"):
        A[0, 0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        A.flags.writeable = True
    kept, data = A.copy(), model.to_bytes()
    del model
    gc.collect()
    noise = [concord.Model(data) for _ in range(20)]
    np.testing.assert_array_equal(A, kept)
    assert W.sum() == noise[0].W.sum()


def test_fields(model):
    assert (model.n_labels, model.n_features) == (6, 6) and "6 labels" in repr(model)
    assert model.config["train"]["epochs"] == 3 and model.record["data"]["instances"] == 150
    assert model.prior_helped in (True, False, None)
    assert model.feature_names and len(model.label_names) == 6


def test_predicting_otherwise(model, data):
    scores = model.scores(data["X"])
    np.testing.assert_allclose(scores, np.column_stack([data["X"], np.ones(150)]) @ model.W)
    decoded = concord.decode(model.A - np.diag(model.A.diagonal()), scores, decoder="exact", seed=1)
    np.testing.assert_array_equal(model.predict(data["X"], decoder="exact"), decoded.labels > 0)
    assert (model.predict(data["X"], **{"predict.min_labels": 3}).sum(axis=1) >= 3).all()
    with pytest.raises(concord.InputError, match="min_label.*did you mean"):
        model.predict(data["X"], **{"predict.min_label": 3})


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_a_damaged_model_is_refused(model, cut):
    with pytest.raises(concord.InputError, match="spoilt"):
        concord.Model(model.to_bytes()[:cut], "spoilt")


def test_files(model, tmp_path):
    model.save(tmp_path / "m.model")
    assert [p.name for p in tmp_path.iterdir()] == ["m.model"]
    assert concord.load(str(tmp_path / "m.model")).to_bytes() == model.to_bytes()
    with pytest.raises(OSError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "m.model")


def test_refusals(data):
    with pytest.raises(concord.InputError, match="epoch.*did you mean epochs"):
        concord.train(data["X"], data["Y"], {"train": {"epoch": 3}})
    with pytest.raises(ValueError, match="150 rows and Y has 149"):
        concord.train(data["X"], data["Y"][1:], {})
    with pytest.raises(ValueError, match="Y holds 2"):
        concord.train(data["X"], data["Y"] * 2, {})
    with pytest.raises(ValueError, match="finite"):
        concord.train(np.full_like(data["X"], np.inf), data["Y"], {})


def test_evaluate_as_the_command_line(model, planted, command, tmp_path):
    import json

    model.save(tmp_path / "m.model")
    told = json.loads(command("evaluate", "--model", tmp_path / "m.model", "--data", f"{planted}-test.arff", "--json"))
    test = read_arff(Path(f"{planted}-test.arff"), labels=6)
    ours = concord.evaluate(test["Y"], model.predict(test["X"]), ranking=model.decision_function(test["X"]), resamples=1000)
    for name in ("example-f1-loss", "hamming-loss", "subset-loss", "micro-f1", "macro-f1", "lrap", "recall-at-3"):
        assert ours[name] == told[name]
        assert ours["intervals"][name] == told["intervals"][name]
    with pytest.raises(ValueError, match="same"):
        concord.evaluate([[1, 0]], [[1]])


def test_known_labels_and_probabilities(data):
    model = concord.train(data["X"], data["Y"], {"train": {"method": "likelihood"}, "select": {"holdout": 0}})
    free = model.probabilities(data["X"])
    assert ((free > 0) & (free < 1)).all()
    known = np.full(data["Y"].shape, np.nan)
    known[:, :2] = data["Y"][:, :2]
    labels = model.predict(data["X"], known=known)
    np.testing.assert_array_equal(labels[:, :2], data["Y"][:, :2])
    assert np.isnan(model.decision_function(data["X"], known=known)[:, :2]).all()
    given = model.probabilities(data["X"], known=known)
    wrong = [np.abs(p[:, 2:] - data["Y"][:, 2:]).mean() for p in (free, given)]
    assert wrong[1] < wrong[0]
    for spoilt in (known[:, :2], known - 1, 0.5 * known):
        with pytest.raises(concord.InputError, match="known"):
            model.predict(data["X"], known=spoilt)


def test_no_probabilities_without_validation(data):
    blind = concord.train(data["X"], data["Y"], {"train": {"epochs": 3}, "select": {"holdout": 0}})
    with pytest.raises(concord.ConcordError, match="no data were held out.*select.holdout.*likelihood"):
        blind.probabilities(data["X"])


@pytest.mark.parametrize(("rule", "block"), [("expected-f1", "thresholds"), ("none", "calibration")])
def test_probabilities_of_any_rule(data, rule, block):
    calibrated = concord.train(data["X"], data["Y"], {"train": {"epochs": 3}, "predict": {"threshold": rule}})
    slope, *offsets = calibrated.block(block).ravel()
    ranking = calibrated.decision_function(data["X"])  # its rule has no threshold to take away
    likely = calibrated.probabilities(data["X"])
    np.testing.assert_allclose(likely, 1 / (1 + np.exp(-(slope * ranking + offsets))), rtol=1e-12)
    known = np.full(data["Y"].shape, np.nan)
    known[:, 0] = data["Y"][:, 0]
    given = calibrated.probabilities(data["X"], known=known)
    np.testing.assert_array_equal(given[:, 0], data["Y"][:, 0])
    assert (given[:, 1:] != likely[:, 1:]).any()


def test_known_labels_of_a_frame_have_names(model, data):
    X, names = data["X"], data["label_names"]
    known = np.full(data["Y"].shape, np.nan)
    known[:, [4, 1]] = data["Y"][:, [4, 1]]
    wanted = model.predict(X, known=known)
    some = pd.DataFrame(data["Y"][:, [4, 1]], columns=[names[4], names[1]])
    np.testing.assert_array_equal(model.predict(X, known=some), wanted)
    np.testing.assert_array_equal(model.predict(X, known=some.astype("Int64")), wanted)
    frame = pd.DataFrame(known, columns=names)
    np.testing.assert_array_equal(model.predict(X, known=frame[names[::-1]]), wanted)
    np.testing.assert_array_equal(model.predict(X, known=pd.DataFrame(known)), wanted)  # columns without names
    with pytest.raises(concord.InputError, match=f"'{names[0]}x', which is no label of the model; did you mean {names[0]}"):
        model.predict(X, known=frame.rename(columns={names[0]: f"{names[0]}x"}))
    with pytest.raises(concord.InputError, match=f"'{names[1]}' twice"):
        model.predict(X, known=pd.concat([some, some[[names[1]]]], axis=1))


@pytest.mark.parametrize("ask", ["predict", "decision_function", "scores", "probabilities"])
def test_features_of_a_frame_have_names(ask, data):
    frame = pd.DataFrame(data["X"], columns=data["feature_names"])
    model = concord.train(frame, pd.DataFrame(data["Y"], columns=data["label_names"]),
                          {"train": {"method": "likelihood"}, "select": {"holdout": 0}})
    assert (model.feature_names, model.label_names) == (data["feature_names"], data["label_names"])
    function, first = getattr(model, ask), data["feature_names"][0]
    for same in (frame, pd.DataFrame(data["X"])):
        np.testing.assert_array_equal(function(same), function(data["X"]))
    with pytest.raises(concord.InputError, match=f"column 0 .* of X is .*, and '{first}' in the model"):
        function(frame[data["feature_names"][::-1]])
    with pytest.raises(concord.InputError, match="X has 5 columns, and the model has 6"):
        function(frame[data["feature_names"][:5]])


def test_evaluate_wants_the_same_columns(data):
    truth = pd.DataFrame(data["Y"], columns=data["label_names"])
    assert concord.evaluate(truth, truth)["hamming-loss"] == concord.evaluate(truth, data["Y"])["hamming-loss"] == 0
    with pytest.raises(concord.InputError, match="column 0 .* of predicted is .* in truth"):
        concord.evaluate(truth, truth[data["label_names"][::-1]])


@pytest.mark.parametrize(("value", "text"), [
    (-1, r"Y holds -1 in row 0, label 1 .*labels must be 0 or 1: give \(Y \+ 1\) // 2"),
    (np.nan, "Y holds nan in row 0, label 1 .*labels must be 0 or 1"), (2, "Y holds 2"),
    ("sea", "Y holds the text 'sea'; labels must be 0 or 1. .*MultiLabelBinarizer")])
def test_labels_are_0_and_1(value, text, data):
    Y = data["Y"].astype(type(value) if value != "sea" else object)
    Y[0, 1] = value
    with pytest.raises(concord.InputError, match=text):
        concord.train(data["X"], Y, {})
