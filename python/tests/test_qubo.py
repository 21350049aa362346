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
