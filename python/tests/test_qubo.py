# SPDX-License-Identifier: MIT
import itertools
import json
import sys
import types

import numpy as np
import pytest
from scipy import sparse

import concord
from support import symmetric


def lowest(Q):
    return min(np.array(x) @ Q @ np.array(x) for x in itertools.product((0, 1), repeat=len(Q)))


@pytest.mark.parametrize("decoder", ["exact", "sdp-mixing", "spectral"])
def test_qubo_against_enumeration(decoder, rng):
    for V in range(1, 8):
        Q = rng.normal(size=(V, V))  # neither symmetric nor triangular: only x'Qx counts
        best = lowest(Q)
        for form in (Q, (Q + Q.T) / 2, np.triu(Q + Q.T) - np.diag(Q.diagonal()), sparse.csr_matrix(Q),
                     {(i, j): Q[i, j] for i in range(V) for j in range(V)}):
            r = concord.qubo(form, decoder=decoder)
            assert r.energy == pytest.approx(r.labels @ Q @ r.labels)
            assert r.bound <= best + 1e-9 and best <= r.energy + 1e-9
            assert decoder != "exact" or (r.energy == pytest.approx(best) and r.gap <= 1e-9 and r.status == "optimal")


def test_qubo_equals_the_command_line(command, tmp_path, rng):
    V, Q = 6, np.rint(10 * symmetric(rng, 6)) + np.diag(np.arange(-3.0, 3.0))
    file = tmp_path / "q.sparse"
    listed = [f"{i + 1} {j + 1} {Q[i, j]:g}" for i in range(V) for j in range(i, V) if Q[i, j] != 0]
    file.write_text("\n".join([f"{V} {len(listed)}", *listed]))
    told = json.loads(command("decode", "--problem", file, "--decoder", "spectral", "--json"))
    ours = concord.qubo(Q, decoder="spectral")
    assert ours.labels.tolist() == told["labels"] and ours.energy == told["objective"]
    assert ours.bound == pytest.approx(told["objective_bound"], rel=1e-14)


def test_cardinality_of_a_qubo():
    assert concord.qubo(-np.eye(5), decoder="exact", cardinality=2).labels.sum() == 2


def test_maxcut_forms():
    W = np.zeros((5, 5))
    for i in range(5):
        W[i, (i + 1) % 5] = W[(i + 1) % 5, i] = 2.0
    for form in (W, np.triu(W), np.tril(W), sparse.csr_matrix(W), sparse.coo_matrix(np.triu(W)), W + np.eye(5),
                 {(i, (i + 1) % 5): 2 for i in range(5)}):
        r = concord.maxcut(form, decoder="exact")
        assert (r.cut, r.bound, r.status, r.gap) == (8.0, 8.0, "optimal", 0.0)
    assert concord.maxcut(W).bound == pytest.approx(10 * (5 + np.sqrt(5)) / 8, rel=1e-3)  # the SDP bound of a 5-cycle


def test_networkx_graphs():
    nx = pytest.importorskip("networkx")
    r = concord.maxcut(nx.petersen_graph(), decoder="exact")
    assert (r.cut, r.bound) == (12.0, 12.0) and set(r.sample) == set(range(10))
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=3)
    graph.add_edge("a", "a", weight=-1)
    graph.add_edge("b", "b", weight=-2)
    assert concord.qubo(graph, decoder="exact").sample == {"a": 0, "b": 1}
    assert concord.maxcut(nx.MultiGraph([("a", "b"), ("a", "b")]), decoder="exact").cut == 2


@pytest.mark.parametrize(("W", "text"), [
    (np.array([[0, 1], [2, 0]]), "both directions"),
    ({(0, 1): 1, (1, 0): 1}, "listed twice"),
    (np.zeros((2, 3)), "square"),
])
def test_maxcut_refusals(W, text):
    with pytest.raises(concord.InputError, match=text):
        concord.maxcut(W)


def test_to_dimod(monkeypatch):
    seen = {}
    module = types.ModuleType("dimod")
    module.SampleSet = types.SimpleNamespace(from_samples=lambda samples, **more: seen.update(samples=samples, **more))
    monkeypatch.setitem(sys.modules, "dimod", module)
    concord.qubo({("a", "a"): -1.0}, decoder="exact").to_dimod()
    assert seen["samples"] == [{"a": 1}] and seen["energy"] == [-1.0] and seen["info"]["bound"] == -1.0


@pytest.mark.parametrize("settings", [{"decoder": "no-bound"}, {"decoder": "tabu"}, {"time_limit": 1e-4}],
                         ids=["own", "tabu", "limit"])
def test_without_a_bound_nothing_is_claimed(settings, rng):
    concord.decoder("no-bound")(lambda A, c, k, seed: -np.ones(len(c)))
    Q = symmetric(rng, 300)
    for r in (concord.qubo(Q, **settings), concord.maxcut(Q, **settings)):
        assert r.status != "optimal" and np.isnan(r.decoded.bound)
        assert np.isnan(r.bound) and np.isnan(r.gap)


def test_a_matrix_of_keys_is_a_matrix(rng):
    Q = np.round(symmetric(rng, 6), 1)
    for kind in (sparse.dok_matrix, sparse.dok_array, sparse.lil_matrix):
        assert concord.qubo(kind(Q), decoder="exact").energy == pytest.approx(lowest(Q))
        assert concord.maxcut(kind(Q), decoder="exact").cut == concord.maxcut(Q, decoder="exact").cut
        assert concord.qubo(kind((6, 6)), decoder="exact").labels.shape == (6,)


def test_weights_that_are_symmetric_up_to_rounding(rng):
    W = symmetric(rng, 6)
    nearly = W * (1 + 1e-14 * np.triu(np.ones((6, 6))))
    assert (nearly != nearly.T).any()
    for form in (nearly, sparse.csr_matrix(nearly)):
        assert concord.maxcut(form, decoder="exact").cut == pytest.approx(concord.maxcut(W, decoder="exact").cut)
    with pytest.raises(concord.InputError, match="both directions"):
        concord.maxcut(W * (1 + 1e-9 * np.triu(np.ones((6, 6)))))


@pytest.mark.parametrize(("given", "text"), [
    (np.empty((0, 0)), "is empty"), ({}, "is empty"), (sparse.csr_matrix(np.array([[0, np.nan], [0, 0]])), r"nan at \(0, 1\)"),
    ([[0, 1], [np.inf, 0]], r"inf at \(1, 0\) \(counted from 0\); all numbers must be finite"),
    ({("a", "b"): 1, ("b", "c"): np.nan}, r"nan at \('b', 'c'\); all"), ({("a", "b"): None}, r"has None at \('a', 'b'\)"),
    ({"ab": 1}, "has the key 'ab'; a key is a pair"), ({3: 1}, "has the key 3"),
])
def test_what_is_wrong_is_named(given, text):
    for solve, name in ((concord.qubo, "Q"), (concord.maxcut, "W")):
        with pytest.raises(concord.InputError, match=f"^{name} .*{text}"):
            solve(given)


def test_an_empty_graph():
    nx = pytest.importorskip("networkx")
    with pytest.raises(concord.InputError, match="^W is empty"):
        concord.maxcut(nx.Graph())


def test_one_line():
    assert repr(concord.qubo([[-1.0]], decoder="exact")) == \
        "<concord.Assignment: 1 labels, energy -1, bound -1, gap 0, optimal>"
    cut = concord.maxcut({(0, 1): 2.5}, decoder="exact")
    assert repr(cut) == "<concord.Cut: 2 labels, cut 2.5, bound 2.5, gap 0, optimal>"
    assert repr(cut.decoded) == "<concord.Decoded: 2 labels, objective 1.25, bound 1.25, gap 0, optimal>"
    many = repr(concord.decode([[0.0]], [[1], [2]], decoder="exact"))
    assert many == "<concord.Decoded: 2 problems of 1 labels, objective 1 to 2, bound 1 to 2, gap 0 to 0, 2 optimal>"
    assert "0 problems" in repr(concord.decode([[0.0]], np.empty((0, 1))))
