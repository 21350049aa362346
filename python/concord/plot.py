# SPDX-License-Identifier: MIT
"""Pictures of a prior; they need matplotlib, and `graph` networkx too.

Red attracts, blue repels. `model` is a `concord.Model`, a fitted estimator, or a symmetric matrix.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Numbers, numbers, square


def prior(model: Any, *, top: int = 40, labels: list[str] | None = None, ax: Any = None) -> Any:
    """A heatmap of -A for the `top` labels with the strongest pairs, neighbours being labels that attract each other.
    Returns the axes.

    >>> import concord, matplotlib
    >>> matplotlib.use("Agg")
    >>> ax = concord.plot.prior([[0, -1.0], [-1.0, 0]], labels=["sea", "beach"])
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['sea', 'beach']
    """
    import matplotlib.pyplot as plt

    A, names = _strongest(model, top, labels)
    order = _neighbours(A)
    shown, names = -A[np.ix_(order, order)], [names[v] for v in order]
    if ax is None:
        size = 1.8 + 0.22 * len(names) + 0.09 * max(map(len, names), default=0)  # inches; names stand on two sides
        _, ax = plt.subplots(figsize=(size + 1, size), layout="constrained")
    _make_room(ax)
    reach = np.abs(shown).max() or 1.0
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-reach, vmax=reach)
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names)), names)
    ax.figure.colorbar(image, ax=ax, label="-A: red attracts, blue repels", shrink=0.8)
    return ax


def graph(model: Any, *, top: int = 40, edges: int = 60, labels: list[str] | None = None, ax: Any = None) -> Any:
    """The `edges` strongest pairs among the `top` labels as a graph, thicker where A is larger. Returns the axes,
    with a legend for the two colours."""
    import matplotlib.pyplot as plt
    import networkx as nx
    from matplotlib.lines import Line2D

    A, names = _strongest(model, top, labels)
    rows, columns = np.triu_indices(len(A), 1)
    strongest = np.argsort(-np.abs(A[rows, columns]), kind="stable")[:edges]
    net = nx.Graph()
    for i, j in zip(rows[strongest], columns[strongest]):
        if A[i, j] != 0:
            net.add_edge(names[i], names[j], weight=-A[i, j], pull=max(-A[i, j], 0.0))
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 6), layout="constrained")
    _make_room(ax)
    place = nx.spring_layout(net, weight="pull", seed=1)
    weights = [weight for _, _, weight in net.edges(data="weight")]
    reach = max((abs(weight) for weight in weights), default=1.0)
    nx.draw_networkx_edges(net, place, ax=ax, edge_color=["tab:red" if w > 0 else "tab:blue" for w in weights],
                           width=[0.5 + 4 * abs(w) / reach for w in weights])
    nx.draw_networkx_labels(net, place, ax=ax, font_size=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    ax.set_axis_off()
    shown = [Line2D([], [], color=colour, label=what) for colour, what, is_there in
             (("tab:red", "attract", any(w > 0 for w in weights)), ("tab:blue", "repel", any(w < 0 for w in weights)))
             if is_there]
    if shown:
        ax.legend(handles=shown, loc="best", fontsize="small", frameon=False)
    return ax


def _make_room(ax: Any) -> None:
    """Names of labels are long. A figure of the caller without a layout would cut them off."""
    if ax.figure.get_layout_engine() is None:
        ax.figure.set_layout_engine("constrained")


def _strongest(model: Any, top: int, labels: list[str] | None) -> tuple[Numbers, list[str]]:
    """A without its diagonal, for the labels whose strongest pair is strongest, and their names."""
    model = getattr(model, "model_", model)
    A = numbers(getattr(model, "A", model), "A", 2).copy()
    square(A.shape, "A")
    np.fill_diagonal(A, 0)
    names = labels if labels is not None else getattr(model, "label_names", None) or [str(v) for v in range(len(A))]
    kept = np.sort(np.argsort(-np.abs(A).max(axis=1), kind="stable")[:top])
    return A[np.ix_(kept, kept)], [names[v] for v in kept]


def _neighbours(A: Numbers) -> Any:
    """An order in which labels stand beside those that they attract: by the eigenvector of A's smallest eigenvalue."""
    return np.argsort(np.linalg.eigh(A)[1][:, 0], kind="stable")
