# SPDX-License-Identifier: MIT
"""Max-cut and QUBO in their own terms: labels 0 and 1, the weight of a cut or x'Qx, and a proven bound on it."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._arrays import numbers, require_finite, square, symmetrised
from ._decode import Decoded, decode
from ._errors import InputError


@dataclass(frozen=True)
class Solution:
    """What `qubo` and `maxcut` have in common."""

    labels: npt.NDArray[np.int8]  #: 0 and 1, in the order of `variables`
    bound: float  #: no labelling is better; nan without a proof
    gap: float  #: how far apart the two are, relative to max(1, |bound|); nan without a proof
    status: str  #: "optimal", "relaxed", "feasible", "limit" or "stopped"
    variables: list[Hashable]  #: nodes of the graph or keys of the dict; 0, 1, ... of a matrix
    decoded: Decoded  #: the answer in the canonical form: maximise u'c - u'Au

    def __repr__(self) -> str:
        kind, name, value = self._told()
        return (f"<concord.{kind}: {self.labels.size} labels, {name} {value:g}, bound {self.bound:g}, gap {self.gap:g}, "
                f"{self.status}>")

    @property
    def sample(self) -> dict[Hashable, int]:
        """The label of each variable."""
        return dict(zip(self.variables, self.labels.tolist()))

    def to_dimod(self) -> Any:
        """The labels as a `dimod.SampleSet` of one sample; it needs the package dimod."""
        import dimod

        return dimod.SampleSet.from_samples([self.sample], vartype="BINARY", energy=[self._energy()],
                                            info={"bound": self.bound, "gap": self.gap, "status": self.status})

    def _energy(self) -> float:
        raise NotImplementedError

    def _told(self) -> tuple[str, str, float]:
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Assignment(Solution):
    """The answer of `qubo`."""

    energy: float  #: x'Qx of the labels

    def _energy(self) -> float:
        return self.energy

    def _told(self) -> tuple[str, str, float]:
        return "Assignment", "energy", self.energy


@dataclass(frozen=True, repr=False)
class Cut(Solution):
    """The answer of `maxcut`."""

    cut: float  #: the weight of the edges between labels 0 and labels 1

    def _energy(self) -> float:
        return -self.cut

    def _told(self) -> tuple[str, str, float]:
        return "Cut", "cut", self.cut


def qubo(Q: Any, *, decoder: str | Callable[..., Any] = "sdp-mixing", **settings: Any) -> Assignment:
    """Minimises x'Qx = sum of Q_ij x_i x_j over x of 0 and 1.

    Q          a NumPy array or scipy.sparse matrix, symmetric or triangular: only x'Qx counts. Or a dict {(i, j): q} of
               terms q x_i x_j, or a networkx graph of such terms with the edge attribute `weight`; (i, i) is linear.
    settings   those of `concord.decode`: cardinality, time_limit, n_jobs, seed, rounding, options of the decoder.

    A term off the diagonal of a symmetric matrix stands there twice, so it counts twice: in Q = [[0, 1], [1, 0]] both
    variables together cost 2, in [[0, 1], [0, 0]] and {(0, 1): 1} they cost 1.

    >>> import concord
    >>> r = concord.qubo({("a", "a"): -1, ("b", "b"): -2, ("a", "b"): 3}, decoder="exact")
    >>> r.sample, r.energy, r.bound, r.status
    ({'a': 0, 'b': 1}, -2.0, -2.0, 'optimal')
    """
    matrix, variables = _read(Q, "Q")
    half = (matrix + matrix.T) / 2
    # With x = (u + 1)/2:  x'Qx = 1'Q1/4 + tr Q/4 - (u'c - u'Au),  c = -Q1/2,  A = Q/4 without its diagonal.
    sums, diagonal = np.asarray(half.sum(axis=1)).ravel(), half.diagonal()
    solved = decode(_without_diagonal(half) / 4, -sums / 2, decoder=decoder, **settings)
    x = (solved.labels + 1) // 2
    energy = float(x @ (matrix @ x))
    # Rounding may lift the bound above the energy. np.minimum keeps NaN, which min() would drop.
    bound = float(np.minimum(energy, (sums.sum() + diagonal.sum()) / 4 - solved.bound))
    return Assignment(labels=x.astype(np.int8), bound=bound, gap=_gap(energy, bound), status=solved.status,
                      variables=variables, decoded=solved, energy=energy)


def maxcut(W: Any, *, decoder: str | Callable[..., Any] = "sdp-mixing", **settings: Any) -> Cut:
    """Maximises the weight of the edges between two sides of a graph.

    W          weights: a symmetric NumPy array or scipy.sparse matrix, or one triangle of it; a dict {(i, j): w} with
               each edge once; or a networkx graph with the edge attribute `weight`, 1 where it is absent.
    settings   those of `concord.decode`: cardinality, time_limit, n_jobs, seed, rounding, options of the decoder.

    >>> import concord
    >>> r = concord.maxcut({(0, 1): 1, (1, 2): 1, (2, 0): 1}, decoder="exact")
    >>> r.cut, r.bound, r.status
    (2.0, 2.0, 'optimal')
    """
    matrix, variables = _read(W, "W")
    is_list = _is_graph(W) or (isinstance(W, Mapping) and not sparse.issparse(W))
    weights = _both_triangles(_without_diagonal(matrix), is_list)  # a loop is never cut
    solved = decode(weights / 4, np.zeros(weights.shape[0]), decoder=decoder, **settings)  # cut = sum/4 - u'(W/4)u
    x = (solved.labels + 1) // 2
    cut = float(x @ (weights @ (1 - x)))
    # Rounding may press the bound below the cut. np.maximum keeps NaN, which max() would drop.
    bound = float(np.maximum(cut, weights.sum() / 4 + solved.bound))
    return Cut(labels=x.astype(np.int8), bound=bound, gap=_gap(cut, bound), status=solved.status, variables=variables,
               decoded=solved, cut=cut)


def _gap(value: float, bound: float) -> float:
    return abs(value - bound) / max(1.0, abs(bound))


def _read(given: Any, what: str) -> tuple[Any, list[Hashable]]:
    """A square matrix, dense or CSR, and the names of its rows. Terms of a graph or a dict stand where they are named."""
    matrix: Any
    variables: list[Hashable]
    if sparse.issparse(given):  # before Mapping, as a dok_matrix may be a dict too
        matrix, names = sparse.csr_matrix(given, dtype=np.float64), None
    elif _is_graph(given):
        variables = names = list(given.nodes)
        matrix = _from_terms(list(given.edges(data="weight", default=1)), variables, what)
    elif isinstance(given, Mapping):
        wrong = [key for key in given if not (isinstance(key, tuple) and len(key) == 2)]
        if wrong:
            raise InputError(f"{what} has the key {wrong[0]!r}; a key is a pair of variables, as in {{('a', 'b'): 1}}",
                             subject=what)
        variables = names = list(dict.fromkeys(variable for pair in given for variable in pair))
        matrix = _from_terms([(i, j, value) for (i, j), value in given.items()], variables, what)
    else:
        matrix, names = numbers(given, what, 2), None
    square(matrix.shape, what)
    if matrix.shape[0] == 0:
        raise InputError(f"{what} is empty; it must have one variable at least", subject=what)
    require_finite(matrix, what, names)
    return matrix, list(range(matrix.shape[0])) if names is None else names


def _is_graph(given: Any) -> bool:
    """Whether it is a graph of networkx, without the import."""
    return hasattr(given, "nodes") and hasattr(given, "edges")


def _from_terms(terms: list[tuple[Hashable, Hashable, Any]], variables: list[Hashable], what: str) -> Any:
    """The sum of the terms, as a sparse matrix."""
    place = {variable: index for index, variable in enumerate(variables)}
    rows, columns = [place[i] for i, _, _ in terms], [place[j] for _, j, _ in terms]
    for i, j, value in terms:
        if not isinstance(value, (Real, np.generic)):
            raise InputError(f"{what} has {value!r} at ({i!r}, {j!r}); it must be a number", subject=what)
    values = np.array([float(value) for _, _, value in terms])
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(variables), len(variables)))


def _both_triangles(matrix: Any, is_list: bool) -> Any:
    """The symmetric matrix of weights that is meant by a symmetric one, by one triangle, or by a list of edges."""
    if not is_list:
        matrix = symmetrised(matrix)  # up to rounding
    lower, upper = _triangle(matrix, -1), _triangle(matrix, 1)
    if not is_list and _is_zero(lower - upper.T):
        return matrix
    if _is_zero(lower) or _is_zero(upper) or (is_list and _is_zero(lower.multiply(upper.T))):
        return matrix + matrix.T
    raise InputError("W gives the weight of an edge in both directions, and they differ or are listed twice; "
                     "give each edge once, or a symmetric matrix", subject="W",
                     remedy="give each edge once, or a symmetric matrix")


def _without_diagonal(matrix: Any) -> Any:
    if not sparse.issparse(matrix):
        return matrix - np.diag(matrix.diagonal())
    rest = sparse.csr_matrix(matrix - sparse.diags(matrix.diagonal()))
    rest.eliminate_zeros()
    return rest


def _triangle(matrix: Any, side: int) -> Any:
    """The entries above (side 1) or below (side -1) the diagonal."""
    if sparse.issparse(matrix):
        return sparse.triu(matrix, 1) if side > 0 else sparse.tril(matrix, -1)
    return np.triu(matrix, 1) if side > 0 else np.tril(matrix, -1)


def _is_zero(matrix: Any) -> bool:
    return not (matrix.count_nonzero() if sparse.issparse(matrix) else np.count_nonzero(matrix))
