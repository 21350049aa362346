# SPDX-License-Identifier: MIT
"""Pictures of a prior, and what the program does in processes of its own."""
import numpy as np
import pytest

import concord
from concord import _command


def test_prior_and_graph(data):
    pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    from concord.sklearn import ConcordClassifier

    clf = ConcordClassifier(epochs=5).fit(data["X"], data["Y"])
    ax = concord.plot.prior(clf, top=4)
    shown = [text.get_text() for text in ax.get_yticklabels()]
    strongest = np.argsort(-np.abs(clf.prior_ - np.diag(clf.prior_.diagonal())).max(axis=1), kind="stable")[:4]
    assert set(shown) == {clf.label_names_[v] for v in strongest}
    picture = ax.images[0].get_array()
    i, j = (clf.label_names_.index(name) for name in shown[:2])
    assert picture[0, 1] == -clf.prior_[i, j]
    assert {text.get_text() for text in concord.plot.graph(clf.model_, edges=3).texts} <= set(clf.label_names_)
    concord.plot.graph(np.zeros((3, 3)))


@pytest.mark.parametrize("own", [False, True])
def test_names_are_not_cut_off(own):
    plt = pytest.importorskip("matplotlib.pyplot")
    names = ["a label with quite a long name indeed, longer than most", "b"]
    ax = plt.subplots()[1] if own else None
    ax = concord.plot.prior([[0, -1.0], [-1.0, 0]], labels=names, ax=ax)
    ax.figure.canvas.draw()
    inside, whole = ax.get_tightbbox(), ax.figure.bbox
    assert inside.x0 >= 0 and inside.y0 >= 0 and inside.x1 <= whole.x1 and inside.y1 <= whole.y1


def test_a_legend_of_the_graph():
    pytest.importorskip("matplotlib")
    pytest.importorskip("networkx")
    A = np.array([[0, -1.0, 0], [-1, 0, 1], [0, 1, 0]])
    told = lambda A: [text.get_text() for text in concord.plot.graph(A).get_legend().get_texts()]
    assert told(A) == ["attract", "repel"] and told(-np.abs(A)) == ["attract"]


def test_check_and_compare(planted, tmp_path):
    assert concord.check("rounding/sign")["passed"] > 3
    with pytest.raises(concord.UnavailableError, match="did you mean sign"):
        concord.check("rounding/sgin")
    (tmp_path / "c.toml").write_text(
        f'[compare]\n[dataset.planted]\ntraining = "{planted}-train.arff"\ntest = "{planted}-test.arff"\n'
        '[method.ovr]\ntrain.method = "ovr"\n')
    results = concord.compare(tmp_path / "c.toml", tmp_path / "out")
    assert "cells" in results and (tmp_path / "out" / "report.html").exists()
    with pytest.raises(OSError, match="missing.toml"):
        concord.compare(tmp_path / "missing.toml", tmp_path / "out2")


def test_the_program_is_that_of_the_library(monkeypatch, tmp_path):
    near = _command.library_path().parents[1] / "bin" / "concord"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _command.program() == str(near)
    monkeypatch.setattr(_command, "library_path", lambda: tmp_path / "lib" / "libconcord.so.1")
    with pytest.raises(concord.UnavailableError, match="no program concord"):
        _command.program()
