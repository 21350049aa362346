# SPDX-License-Identifier: MIT
"""Decoders in Python: the right ones work everywhere, and those that lie are named."""
import itertools
import threading

import numpy as np
import pytest
from sklearn.base import clone

import concord
from concord.sklearn import ConcordClassifier, LabelPrior
from support import symmetric


@concord.decoder("by-enumeration", cardinality=True, bound=True)
def by_enumeration(A, c, k, seed):
    """Goes through all labellings."""
    best = max((u for u in map(np.array, itertools.product((-1, 1), repeat=len(c))) if k in (None, (u > 0).sum())),
               key=lambda u: u @ c - u @ A @ u)
    return best, best @ c - best @ A @ best


def test_as_good_as_exact(rng):
    A, B = symmetric(rng, 5), rng.normal(size=(30, 5))
    k = rng.integers(-1, 6, size=30)
    mine, theirs = (concord.decode(A, B, decoder=name, cardinality=k) for name in ("by-enumeration", "exact"))
    np.testing.assert_array_equal(mine.labels, theirs.labels)
    assert set(mine.status) == {"optimal"}
    np.testing.assert_allclose(mine.bound, theirs.bound)


def test_in_fit(data):
    """Ties are broken otherwise than by `exhaustive`, so the objective is compared and not the bits."""
    X, Y = data["X"][:60], data["Y"][:60]
    mine = ConcordClassifier("by-enumeration", epochs=5, holdout=0).fit(X, Y)
    again = ConcordClassifier("by-enumeration", epochs=5, holdout=0, n_jobs=2).fit(X, Y)
    theirs = ConcordClassifier("exhaustive", epochs=5, holdout=0).fit(X, Y)
    assert mine.model_.to_bytes() == again.model_.to_bytes()
    assert mine.model_.record["objective"] == pytest.approx(theirs.model_.record["objective"], rel=0.1)
    assert (mine.predict(X) == theirs.predict(X)).mean() > 0.9


def test_it_is_listed():
    listed = next(p for p in concord.plugins() if p["name"] == "by-enumeration")
    assert listed["summary"] == "Goes through all labellings." and listed["capabilities"]["constraints"] == "cardinality"
    assert not listed["capabilities"]["reentrant"]


def test_the_last_of_a_name_counts():
    for label in (-1, 1):
        concord.decoder("constant")(lambda A, c, k, seed, label=label: np.full(len(c), label))
        assert concord.decode([[0.0]], [0.0], decoder="constant").labels.tolist() == [label]


@pytest.mark.parametrize(("lie", "more"), [
    (lambda A, c, k, seed: 0.5 * np.ones(len(c)), {}),  # no labels
    (lambda A, c, k, seed: np.full(len(c), np.nan), {}),
    (lambda A, c, k, seed: np.ones(len(c)), {"cardinality": True}),  # not k of them
    (lambda A, c, k, seed: (-np.ones(len(c)), -1e6), {"bound": True}),  # a bound below its own value
])
def test_a_decoder_that_lies_is_named(lie, more, rng):
    concord.decoder("liar", **more)(lie)
    for V, cardinality in ((4, 2 if "cardinality" in more else None), (30, 3 if "cardinality" in more else None)):
        with pytest.raises(concord.PluginError, match="decoder/liar"):
            concord.decode(symmetric(rng, V), rng.normal(size=V), decoder="liar", cardinality=cardinality)


@pytest.mark.parametrize("V", [3, 30])
def test_what_it_raises_is_the_cause(V):
    @concord.decoder()
    def fails(A, c, k, seed):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(concord.PluginError, match="decoder/fails.*ZeroDivisionError: on purpose") as caught:
        concord.decode(np.zeros((V, V)), np.zeros(V), decoder="fails")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_labels_of_a_wrong_shape():
    concord.decoder("short")(lambda A, c, k, seed: [1])
    with pytest.raises(concord.PluginError, match=r"labels of the shape \(1,\); 2 labels were wanted"):
        concord.decode(np.zeros((2, 2)), [0, 0], decoder="short")


def test_a_problem_that_it_does_not_take(rng):
    concord.decoder("modest", prior="attractive")(lambda A, c, k, seed: -np.ones(len(c)))
    with pytest.raises(concord.UnsupportedError, match="decoder/modest"):
        concord.decode([[0, 1], [1, 0]], [0, 0], decoder="modest")
    with pytest.raises(concord.UnsupportedError, match="decoder/modest"):
        concord.decode([[0, -1], [-1, 0]], [0, 0], decoder="modest", cardinality=1)


def test_one_thread_at_a_time_unless_reentrant():
    inside, most = [0], [0]

    def count(A, c, k, seed):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        threading.Event().wait(0.002)
        inside[0] -= 1
        return np.ones(len(c))

    concord.decoder("counts")(count)
    concord.decode(np.zeros((2, 2)), np.zeros((60, 2)), decoder="counts", n_jobs=4)
    assert most[0] == 1
    concord.decoder("counts", reentrant=True)(count)
    concord.decode(np.zeros((2, 2)), np.zeros((60, 2)), decoder="counts", n_jobs=4)
    assert most[0] > 1


@pytest.mark.parametrize(("arguments", "text"), [
    ({"prior": "some"}, "prior = 'some'"), ({"name": "My Decoder"}, "cannot be called 'My Decoder'")])
def test_refusals(arguments, text):
    with pytest.raises(concord.InputError, match=text):
        concord.decoder(**arguments)(lambda A, c, k, seed: c)


@concord.decoder
def all_of_them(A, c, k, seed):
    return np.ones(len(c))


def test_the_function_itself_is_accepted(data):
    assert concord.decode([[0.0]], [-1.0], decoder="all-of-them").labels.tolist() == [1]
    assert concord.decode([[0.0]], [-1.0], decoder=all_of_them).labels.tolist() == [1]
    assert concord.qubo([[1.0]], decoder=all_of_them).labels.tolist() == [1]
    assert concord.maxcut([[0, 1], [1, 0]], decoder=all_of_them).labels.tolist() == [1, 1]
    X, Y = data["X"][:40], data["Y"][:40]
    for given in (by_enumeration, {"name": by_enumeration}, [by_enumeration]):
        clf = clone(ConcordClassifier(given, epochs=2)).fit(X, Y)
        assert "by-enumeration" in str(clf.model_.config["train"]["decoder"])
    named = ConcordClassifier("by-enumeration", epochs=2).fit(X, Y)
    np.testing.assert_array_equal(named.predict(X), clf.model_.predict(X, decoder=by_enumeration))
    assert LabelPrior(decoder=by_enumeration, epochs=2).fit(scores=Y - 0.5, y=Y).predict(scores=Y - 0.5).shape == Y.shape
    with pytest.raises(concord.InputError, match="decoder = <lambda>: it is no decoder; .*@concord.decoder"):
        concord.decode([[0.0]], [0.0], decoder=lambda A, c, k, seed: c)


def test_a_function_whose_name_was_taken():
    first = concord.decoder("taken")(lambda A, c, k, seed: np.ones(len(c)))
    concord.decoder("taken")(lambda A, c, k, seed: -np.ones(len(c)))
    with pytest.raises(concord.InputError, match="decoder = taken: another function took the name"):
        concord.decode([[0.0]], [0.0], decoder=first)


@pytest.mark.parametrize(("answer", "more", "text"), [
    (np.array([0, 1]), {}, r"labels must be -1 and \+1; decoder wrong returned 0"),
    (np.array([True, True]), {}, r"labels must be -1 and \+1; decoder wrong returned True"),
    (["1", "-1"], {}, r"labels must be -1 and \+1; decoder wrong returned 1"),
    (np.array([1, -1]), {"bound": True}, r"decoder wrong has bound=True, so it must return \(labels, bound\)"),
    ([1, -1], {"bound": True}, "decoder wrong has bound=True"),
    (([1, -1], 9.0), {}, r"decoder wrong returned \(labels, bound\); say bound=True"),
])
def test_what_is_wrong_with_an_answer(answer, more, text):
    concord.decoder("wrong", **more)(lambda A, c, k, seed: answer)
    with pytest.raises(concord.PluginError, match=text):
        concord.decode(np.zeros((2, 2)), [0, 0], decoder="wrong")


def test_an_underscore_in_the_name(data):
    with pytest.raises(concord.UnavailableError, match="no decoder 'all_of_them'; did you mean all-of-them") as caught:
        concord.decode([[0.0]], [0.0], decoder="all_of_them")
    assert "did you mean all-of-them" in caught.value.reason
    with pytest.raises(concord.UnavailableError, match="did you mean all-of-them"):
        ConcordClassifier("all_of_them").fit(data["X"], data["Y"])
