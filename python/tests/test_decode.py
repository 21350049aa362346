# SPDX-License-Identifier: MIT
import json

import numpy as np
import pytest
from scipy import sparse

import concord
from support import symmetric

USABLE = [p for p in concord.plugins() if p["kind"] == "decoder" and p["status"] == "ok"]
DECODERS = [p["name"] for p in USABLE]


def objective(A, b, u):
    return u @ b - u @ A @ u


@pytest.mark.parametrize("kind", ["any", "attractive", "zero"])
@pytest.mark.parametrize("first", range(0, 69, 23))
def test_equals_the_command_line(kind, first, rng, command, tmp_path):
    """Every decoder, also on problems that it refuses; 3 x 69 problems with V = 1 to 6 and all cardinalities."""
    rng = np.random.default_rng(first)
    cases = [(V, k) for V in range(1, 7) for k in (None, *range(V + 1))]
    for i in range(first, first + 23):
        V, k = cases[i % len(cases)]
        A = symmetric(rng, V)
        A = {"any": A, "attractive": -np.abs(A), "zero": 0 * A}[kind]
        b = rng.normal(size=V)
        problem = tmp_path / "problem.json"
        problem.write_text(json.dumps({"A": A.tolist(), "b": b.tolist(), "cardinality": k}))
        told = json.loads(command("decode", "--problem", problem, "--compare", ",".join(DECODERS), "--seed", i, "--json",
                                  codes=(0, 1)))
        for name, theirs in zip(DECODERS, told["results"], strict=True):
            if theirs["status"] == "unsupported":
                with pytest.raises(concord.UnsupportedError, match=name):
                    concord.decode(A, b, decoder=name, cardinality=k, seed=i)
                continue
            ours = concord.decode(A, b, decoder=name, cardinality=k, seed=i)
            assert ours.labels.tolist() == theirs["labels"]
            assert ours.status == theirs["status"] and ours.nodes == theirs["nodes"]
            assert (ours.objective, ours.value) == (theirs["objective"], theirs["value"])
            assert ours.bound == theirs["bound"] or (theirs["bound"] is None and np.isnan(ours.bound))
            assert ours.gap == theirs["gap"] or (theirs["gap"] is None and np.isnan(ours.gap))


@pytest.mark.parametrize("name", ["spectral", "sdp-mixing", "exact"])
def test_batch_equals_one_by_one_with_any_threads(name, rng):
    A, B = symmetric(rng, 7), rng.normal(size=(40, 7))
    k = rng.integers(-1, 8, size=40)
    batch = concord.decode(A, B, decoder=name, cardinality=k, seed=5)
    threaded = concord.decode(A, B, decoder=name, cardinality=k, seed=5, n_jobs=2)
    for field in ("labels", "objective", "bound", "status", "u", "value", "nodes"):
        np.testing.assert_array_equal(getattr(batch, field), getattr(threaded, field))
    for i in range(40):
        one = concord.decode(A, B[i], decoder=name, cardinality=None if k[i] < 0 else int(k[i]), seed=5 + i)
        assert one.labels.tolist() == batch.labels[i].tolist() and one.status == batch.status[i]
        assert k[i] < 0 or (one.labels > 0).sum() == k[i]
        assert one.objective == pytest.approx(objective(A, B[i], one.labels.astype(float)))
        assert one.objective <= one.bound + 1e-9 and one.gap == pytest.approx(batch.gap[i])


def test_sparse_prior(rng):
    A, b = symmetric(rng, 9), rng.normal(size=9)
    A[np.abs(A) < 1] = 0
    dense = concord.decode(A, b, decoder="exact")
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        np.testing.assert_array_equal(concord.decode(kind(A), b, decoder="exact").labels, dense.labels)


def test_a_prior_that_is_symmetric_up_to_rounding(rng):
    A, b = symmetric(rng, 9), rng.normal(size=9)
    nearly = A * (1 + 1e-14 * np.triu(np.ones((9, 9))))
    kept = nearly.copy()
    for form in (nearly, sparse.csr_matrix(nearly)):
        r = concord.decode(form, b, decoder="exact")
        assert r.objective == pytest.approx(concord.decode(A, b, decoder="exact").objective)
    np.testing.assert_array_equal(nearly, kept)


def test_inputs_stay_as_they_are(rng):
    A, b = symmetric(rng, 5), rng.normal(size=5)
    kept = A.copy(), b.copy()
    csr = sparse.csr_matrix(A)
    for prior in (A, csr, A.astype(np.float32).astype(float), np.asfortranarray(A), A.tolist()):
        concord.decode(prior, b)
    np.testing.assert_array_equal(A, kept[0])
    np.testing.assert_array_equal(b, kept[1])
    np.testing.assert_array_equal(csr.toarray(), kept[0])


def test_options():
    A, b = [[0, 1], [1, 0]], [1, 1]
    assert concord.decode(A, b, decoder="sdp-mixing", tol=1e-2).bound >= concord.decode(A, b, tol=1e-9).bound
    r = concord.decode(A, b, decoder="spectral", rounding="threshold", options={"threshold.mode": "level"})
    assert r.labels.tolist() == np.where(r.u > 0, 1, -1).tolist()
    with pytest.raises(ValueError, match="no option 'prun'; did you mean prune"):
        concord.decode(A, b, decoder="spectral", prun=False)
    with pytest.raises(ValueError, match="no option 'mod'; did you mean mode"):
        concord.decode(A, b, decoder="spectral", options={"rounding.mod": "level"}, rounding="threshold")
    with pytest.raises(TypeError, match="no value of an option"):
        concord.decode(A, b, decoder="spectral", prune=object())


@pytest.mark.parametrize(("A", "b", "more", "text"), [
    ([[0, 1], [2, 0]], [1, 1], {}, "not symmetric"),
    ([[0, 1]], [1, 1], {}, r"A has the shape \(1, 2\); it must be square"),
    ([[0]], [1, 2], {}, "b has the shape"),
    ([[0]], [[[1]]], {}, r"b has the shape \(1, 1, 1\); it must have 1 or 2 dimensions"),
    ([["x"]], [1], {}, "A must be numbers"),
    ([[0, np.nan], [1, 0]], [1, 1], {}, r"^A holds nan at \(0, 1\) \(counted from 0\); all numbers must be finite"),
    (sparse.csr_matrix([[0, np.inf], [1, 0]]), [1, 1], {}, r"^A holds inf at \(0, 1\)"),
    ([[0, 1], [1, 0]], [1, np.nan], {}, r"^b holds nan at 1 \(counted from 0\)"),
    ([[0, 1], [1, 0]], [[1, 1], [1, np.nan]], {}, r"^b holds nan at \(1, 1\)"),
    ([[0]], [1], {"timelimit": 3}, "no keyword 'timelimit'; did you mean time_limit?"),
    ([[0]], [1], {"njobs": 3, "tol": 1e-3}, "no keyword 'njobs'; did you mean n_jobs?"),
    (np.array([[0, 1], [1 + 1e-9, 0]]), [1, 1], {}, "not symmetric"),
    ([[0]], [1], {"cardinality": 2}, "cardinality"),
    ([[0]], [1], {"cardinality": 0.5}, "cardinality = 0.5: it must be a whole number"),
    ([[0]], [1], {"cardinality": [1, 0]}, "one for each problem"),
    ([[0]], [1], {"time_limit": 0}, "time_limit = 0"),
    ([[0]], [1], {"n_jobs": 0}, "n_jobs = 0"),
    ([[0]], [1], {"decoder": "exact", "rounding": "nosuch"}, "nosuch"),
])
def test_refusals(A, b, more, text):
    with pytest.raises((ValueError, LookupError), match=text):
        concord.decode(A, b, **more)


def test_time_limit(rng):
    r = concord.decode(symmetric(rng, 120), np.zeros(120), decoder="exact", time_limit=0.2)
    assert r.status == "limit" and r.objective <= r.bound and r.gap > 0


def test_no_problem_at_all():
    assert concord.decode([[0.0]], np.empty((0, 1))).labels.shape == (0, 1)
