# SPDX-License-Identifier: MIT
"""Decoding: the best labels for a prior and scores, with a bound that is proven."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import byref, pointer
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _structs as s
from ._arrays import Numbers, numbers, prior_struct, require_finite, to_json
from ._decoder import decoder_name
from ._errors import InputError, did_you_mean
from ._library import library, session
from ._run import call


@dataclass(frozen=True)
class Decoded:
    """The answer of `decode`. Of one problem the fields are numbers and arrays of V; of n problems, arrays with n rows."""

    labels: npt.NDArray[np.int8]  #: -1 and +1
    objective: Any  #: u'b - u'Au of the labels
    bound: Any  #: no labelling has more; nan without a proof
    status: Any  #: "optimal", "relaxed", "feasible", "limit" or "stopped"
    u: Numbers  #: the relaxed solution
    value: Any  #: of the relaxed solution
    nodes: Any  #: of a branch and bound

    @property
    def gap(self) -> Any:
        """(bound - objective) / max(1, |bound|): 0 where the labels are proven to be best, nan without a proof."""
        gap = (self.bound - self.objective) / np.maximum(1, np.abs(self.bound))
        return gap if np.ndim(gap) else float(gap)

    def __repr__(self) -> str:
        if self.labels.ndim == 1:
            return (f"<concord.Decoded: {self.labels.size} labels, objective {self.objective:g}, bound {self.bound:g}, "
                    f"gap {self.gap:g}, {self.status}>")
        n, V = self.labels.shape
        counts = ", ".join(f"{count} {name}" for name, count in zip(*np.unique(self.status, return_counts=True)))
        spans = "".join(f", {name} {_span(numbers)}" for name, numbers in
                        (("objective", self.objective), ("bound", self.bound), ("gap", self.gap)))
        return f"<concord.Decoded: {n} problems of {V} labels{spans}" + (f", {counts}>" if counts else ">")


def _span(values: Numbers) -> str:
    """The smallest and the largest number; those that are NaN count only if all are."""
    known = values[~np.isnan(values)]
    return f"{known.min():g} to {known.max():g}" if known.size else "nan"


def decode(A: Any, b: Any, *, decoder: str | Callable[..., Any] = "sdp-mixing", cardinality: Any = None, rounding: str | None = None,
           n_jobs: int | None = None, seed: int = 1, time_limit: float | None = None,
           options: Mapping[str, Any] | None = None, **decoder_options: Any) -> Decoded:
    """Maximises u'b - u'Au over labels u of -1 and +1.

    A             V x V and symmetric, a NumPy array or a scipy.sparse matrix. An entry below zero attracts two labels,
                  one above zero repels them.
    b             (V,) for one problem, (n, V) for n problems with the same prior.
    decoder       the name or path of a decoder, as `concord.plugins()` lists them; or a function under
                  `concord.decoder`.
    cardinality   None, or how many labels are +1: one number, or one for each problem; below 0 means any number.
    rounding      "a+b", or None for the default, which runs only where the decoder's u is no labelling.
    n_jobs        threads, as scikit-learn counts; no answer depends on it.
    seed          problem i is solved with seed + i.
    time_limit    seconds for all problems together; what is cut has the status "limit".
    options       {"decoder.tol": 1e-4, "gaussian.samples": 50}; the scope is `decoder`, `rounding` or a plugin's name.

    Other keywords are options of the decoder: tol=1e-4 means options={"decoder.tol": 1e-4}. An option that nobody takes
    is an error.

    Labels 0 and 1 attract, 1 and 2 repel; label 1 alone would not be chosen:

    >>> import concord
    >>> A = [[0, -1, 0], [-1, 0, 1], [0, 1, 0]]
    >>> r = concord.decode(A, [2, -1, -1], decoder="exact")
    >>> r.labels.tolist(), r.objective, r.bound, r.status
    ([1, 1, -1], 6.0, 6.0, 'optimal')

    A batch shares one prior, and every problem may have its own number of labels:

    >>> r = concord.decode(A, [[2, -1, -1], [0, 0, 1]], decoder="exact", cardinality=[1, 2])
    >>> r.labels.tolist()
    [[-1, -1, 1], [1, 1, -1]]
    """
    prior = prior_struct(A)
    c = numbers(b, "b", 1, 2)
    single, V = c.ndim == 1, int(prior.labels)
    if c.shape[-1] != V:
        raise InputError(f"b has the shape {c.shape}; its last dimension must be the {V} labels of A", subject="b")
    require_finite(c, "b")
    n = 1 if single else c.shape[0]
    k = _cardinalities(cardinality, n)
    given = {**(options or {}), **{f"decoder.{key}": value for key, value in decoder_options.items()}}
    if time_limit is not None and not time_limit > 0:
        raise InputError(f"time_limit = {time_limit!r}: it must be above 0 seconds, or None", subject="time_limit")
    problems = s.Problems(prior=pointer(prior), count=n, c=c, cardinality=k,
                          decoder=decoder_name(decoder).encode(), rounding=None if rounding is None else rounding.encode(),
                          options=to_json(given) if given else None, seed=seed, time_limit=time_limit or 0.0)
    labels, u = np.empty((n, V), np.int8), np.empty((n, V))
    objective, bound, value = np.empty((3, n))
    status, nodes = np.empty(n, np.int32), np.empty(n, np.int64)
    answers = s.Answers(labels=labels, objective=objective, bound=bound, status=status, u=u, value=value, nodes=nodes)
    concord_decode, opened = library().concord_decode, session()
    try:
        call(lambda run: int(concord_decode(opened, byref(problems), run, byref(answers))), n_jobs, short=_is_short(n, V))
    except InputError as error:
        _explain_keyword(error, decoder_options)
        raise
    if single:
        return Decoded(labels[0], float(objective[0]), float(bound[0]), s.STATUSES[int(status[0])], u[0],
                       float(value[0]), int(nodes[0]))
    statuses = np.array([s.STATUSES[code] for code in status.tolist()], dtype="U8")
    return Decoded(labels, objective, bound, statuses, u, value, nodes)


def _explain_keyword(error: InputError, given: Mapping[str, Any]) -> None:
    """A keyword that the decoder does not take may be a misspelt one of `decode`."""
    own = ("decoder", "cardinality", "rounding", "n_jobs", "seed", "time_limit", "options")
    for key in given:
        hint = did_you_mean(key, own, alike=0.75)
        if hint and f"has no option '{key}'" in error.text:
            raise InputError(f"there is no keyword {key!r}{hint} ({error.text})", subject=key,
                             remedy=hint.removeprefix("; ")) from None


def _is_short(n: int, V: int) -> bool:
    """16 labels have 65536 labellings, which any decoder goes through in a millisecond."""
    return n * V <= 64 and V <= 16


def _cardinalities(cardinality: Any, n: int) -> npt.NDArray[np.int64] | None:
    if cardinality is None:
        return None
    k = np.asarray(cardinality)
    if k.dtype.kind not in "iu" or k.shape not in ((), (n,)):
        raise InputError(f"cardinality = {cardinality!r}: it must be a whole number, or {n} of them, one for each problem",
                         subject="cardinality")
    return np.ascontiguousarray(np.broadcast_to(k, (n,)), dtype=np.int64)
