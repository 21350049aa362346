# SPDX-License-Identifier: MIT
"""Metrics of rankings and probabilities beside scikit-learn's."""
import numpy as np
import pytest

import concord

metrics = pytest.importorskip("sklearn.metrics")


def drawn(seed, V=6, n=40):
    """Labels and a ranking with many ties; some instances have no label, some have all."""
    random = np.random.default_rng(seed)
    truth = (random.random((n, V)) < random.uniform(-0.3, 1.3, (n, 1))).astype(int)
    return truth, random.integers(0, 1 + seed % 9, (n, V)) / 4


@pytest.mark.parametrize("seed", range(30))
def test_the_conventions_of_scikit_learn(seed):
    truth, ranking = drawn(seed)
    ours = concord.evaluate(truth, ranking=ranking)
    assert ours["ranking-loss"] == pytest.approx(metrics.label_ranking_loss(truth, ranking), abs=1e-12)
    assert ours["coverage"] == pytest.approx(metrics.coverage_error(truth, ranking), abs=1e-12)
    assert ours["lrap"] == pytest.approx(metrics.label_ranking_average_precision_score(truth, ranking), abs=1e-12)
    # scikit-learn counts an instance without a label as 0, and we as 1.
    empty = np.mean(truth.sum(axis=1) == 0)
    for k in (1, 3, 5):
        assert ours[f"ndcg-at-{k}"] == pytest.approx(metrics.ndcg_score(truth, ranking, k=k) + empty, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_probabilities(seed):
    random = np.random.default_rng(seed)
    truth, _ = drawn(seed)
    p = random.random(truth.shape)
    ours = concord.evaluate(truth, probabilities=p, resamples=100)
    assert ours["brier-score"] == pytest.approx(metrics.brier_score_loss(truth.ravel(), p.ravel()), abs=1e-12)
    low, high = ours["intervals"]["brier-score"]
    assert low < ours["brier-score"] < high
    assert sum(b["count"] for b in ours["reliability"]) == truth.size
    from sklearn.calibration import calibration_curve

    share, mean = calibration_curve(truth.ravel(), p.ravel(), n_bins=15)
    filled = [b for b in ours["reliability"] if b["count"]]
    assert [b["share"] for b in filled] == pytest.approx(list(share))
    assert [b["probability"] for b in filled] == pytest.approx(list(mean))


def test_known_labels_are_left_out():
    truth = np.array([[1, 0, 1, 0]])
    ranking = np.array([[np.nan, 3.0, 2.0, 1.0]])
    ours = concord.evaluate(truth, ranking=ranking, probabilities=np.array([[1.0, 0.5, 0.5, 0.5]]))
    assert ours["ranking-loss"] == concord.evaluate(truth[:, 1:], ranking=ranking[:, 1:])["ranking-loss"] == 0.5
    assert ours["brier-score"] == 0.25


def test_what_is_measured_together_is_measured_apart():
    truth, ranking = drawn(3)
    both = concord.evaluate(truth, ranking > 0.5, ranking=ranking, resamples=20)
    labels, ranks = concord.evaluate(truth, ranking > 0.5, resamples=20), concord.evaluate(truth, ranking=ranking, resamples=20)
    assert both == {**labels, **ranks, "intervals": {**labels["intervals"], **ranks["intervals"]}}


def test_refusals():
    with pytest.raises(concord.InputError, match="nothing to measure"):
        concord.evaluate([[1, 0]])
    with pytest.raises(concord.InputError, match="ranking.*same"):
        concord.evaluate([[1, 0]], ranking=[[1.0, 0.0, 2.0]])
    with pytest.raises(concord.InputError, match="probability 1.5"):
        concord.evaluate([[1, 0]], probabilities=[[1.5, 0.0]])
    with pytest.raises(concord.InputError, match="every label is known"):
        concord.evaluate([[1, 0]], ranking=[[np.nan, np.nan]])
