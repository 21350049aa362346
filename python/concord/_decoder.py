# SPDX-License-Identifier: MIT
"""A decoder written in Python: a function becomes a plugin table in memory, which the host checks like any other."""
from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Callable
from ctypes import byref, c_double, cast, c_void_p, pointer, sizeof
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from . import _structs as s
from ._arrays import Numbers
from ._errors import InputError
from ._library import check, library, own_decoders, session
from ._run import failures

Function = TypeVar("Function", bound=Callable[..., Any])

_kept: list[_Table] = []  # tables stay readable until the process ends, also those that others took the place of


if TYPE_CHECKING:  # one definition for readers of the source, such as the page of the API
    @overload
    def decoder(name: Function, /) -> Function: ...

    @overload
    def decoder(name: str | None = None, *, prior: str = "any", cardinality: bool = False, bound: bool = False,
                randomised: bool = False, reentrant: bool = False) -> Callable[[Function], Function]: ...


def decoder(name: str | Callable[..., Any] | None = None, *, prior: str = "any", cardinality: bool = False,
            bound: bool = False, randomised: bool = False, reentrant: bool = False) -> Any:
    """Makes a decoder of a function (A, c, k, seed) -> labels, for `decode`, `ConcordClassifier` and all the rest.

    A, c         the problem: maximise u'c - u'Au; V x V with a zero diagonal, and V numbers. They are read-only.
    k            how many labels must be +1, or None for any number.
    seed         all randomness must come from this number.

    The function returns V labels of -1 and +1. The host recomputes and checks everything; a decoder that returns anything
    else is named in the error.

    name         by default the name of the function, with - for _.
    prior        the widest class of A that it takes: "zero", "attractive" or "any".
    cardinality  whether it takes a k. The loss f-beta needs one.
    bound        whether it returns (labels, bound), where no labelling has more than the bound.
    randomised   whether labels depend on the seed.
    reentrant    whether several threads may be in it at once; Python's lock lets one of them run at a time.

    A name that was there before is replaced. `@concord.decoder` alone has the defaults. The function itself may be given
    where a name may: decode(A, b, decoder=largest_scores).

    >>> import concord, numpy as np
    >>> @concord.decoder(cardinality=True)
    ... def largest_scores(A, c, k, seed):
    ...     if k is None:
    ...         return np.where(c > 0, 1, -1)
    ...     u = -np.ones(len(c))
    ...     u[np.argsort(-c, kind="stable")[:k]] = 1
    ...     return u
    >>> concord.decode(np.zeros((3, 3)), [1, 2, 3], decoder="largest-scores", cardinality=2).labels.tolist()
    [-1, 1, 1]
    """
    if callable(name):
        return decoder()(name)
    if prior not in s.PRIORS:
        raise InputError(f"prior = {prior!r}: it must be one of {', '.join(map(repr, s.PRIORS))}", subject="prior")

    def register(function: Function) -> Function:
        called = name if isinstance(name, str) else function.__name__.replace("_", "-").lower()
        if not re.fullmatch("[a-z0-9-]+", called):
            raise InputError(f"a decoder cannot be called {called!r}; a name has a-z, 0-9 and - only", subject=called)
        capabilities = s.Capabilities(
            prior=s.PRIORS[prior],
            constraints=s.CONSTRAINTS_CARDINALITY if cardinality else s.CONSTRAINTS_NONE,
            moment=s.MOMENT_RANK_ONE,
            guarantee=s.MAY_BE_OPTIMAL if bound else s.HEURISTIC,
            flags=(s.RANDOMISED if randomised else 0) | (s.REENTRANT if reentrant else 0))
        summary = next(iter((function.__doc__ or "").strip().splitlines()), "") or "a decoder in Python"
        table = _Table(called, summary, function, capabilities, bound)
        _kept.append(table)
        check(library().concord_register(session(), byref(table.table)))
        own_decoders.add(called)
        return function

    return register


def decoder_name(given: Any) -> str:
    """The name of a decoder that was given as a name or as the function itself."""
    if isinstance(given, str):
        return given
    table = next((table for table in reversed(_kept) if table.function is given), None)
    if table is None:
        what = getattr(given, "__name__", repr(given))
        raise InputError(f"decoder = {what}: it is no decoder; give a name, or a function under @concord.decoder",
                         subject="decoder", remedy="put @concord.decoder above the function")
    last = next(other for other in reversed(_kept) if other.name == table.name)
    if last.function is not given:
        raise InputError(f"decoder = {table.name}: another function took the name since; register this one again, or "
                         "under another name", subject="decoder")
    return table.name


class _Table:
    """A concord_plugin_table, and the functions behind it."""

    def __init__(self, name: str, summary: str, function: Callable[..., Any], capabilities: s.Capabilities,
                 bound: bool) -> None:
        self.name, self.function = name, function
        self._id, self._bound = f"decoder/{name}", bound
        self._priors: dict[int, Numbers] = {}  # of each object that the host created
        self._numbers = itertools.count(1)
        self._capabilities = capabilities
        self._decoder = s.Decoder(create=s.CreateFunction(self._create), destroy=s.DestroyFunction(self._destroy),
                                  prepare=s.PrepareFunction(self._prepare), solve=s.SolveFunction(self._solve))
        self.table = s.PluginTable(
            magic=s.MAGIC, abi=s.ABI, size=sizeof(s.PluginTable), kind=s.DECODER, name=name.encode(), version=b"0",
            summary=summary.encode(), licence=b"LicenseRef-own", build_tag=b"Python", options=None, option_count=0,
            capabilities=pointer(capabilities), functions=cast(pointer(self._decoder), c_void_p))

    def _create(self, env: Any, values: int, count: int) -> int:
        return next(self._numbers)

    def _destroy(self, handle: int) -> None:
        self._priors.pop(handle, None)

    def _prepare(self, handle: int, env: Any, prior: Any) -> int:
        return self._guard(env, lambda: self._take(handle, prior.contents))

    def _take(self, handle: int, prior: s.Prior) -> None:
        A = _array(prior.dense, prior.labels * prior.labels).reshape(prior.labels, prior.labels).copy()
        A.flags.writeable = False
        self._priors[handle] = A

    def _solve(self, handle: int, env: Any, requests: int, results: int, count: int) -> int:
        def all_of_them() -> None:
            request_bytes = s.Request.from_address(requests).size
            result_bytes = s.Result.from_address(results).size
            for i in range(count):
                request = s.Request.from_address(requests + i * request_bytes)
                result = s.Result.from_address(results + i * result_bytes)
                self._solve_one(self._priors[handle], env.contents, request, result)

        return self._guard(env, all_of_them)

    def _solve_one(self, A: Numbers, env: s.Env, request: s.Request, result: s.Result) -> None:
        V = int(request.labels)
        c = _array(request.c, V).copy()
        c.flags.writeable = False
        k = round((request.rows[0].beta + V) / 2) if request.row_count else None
        proven = float("nan")
        stopped = env.stop_requested(env.host) != 0
        if stopped:  # any labels will do: the call ends
            u = np.where(np.arange(V) < (k or 0), 1.0, -1.0)
        else:
            u, proven = self._read(self.function(A, c, k, int(request.seed)), V)
        value = float(u @ c - u @ (A @ u))
        ctypes.memmove(result.F, np.ascontiguousarray(u).ctypes.data, V * sizeof(c_double))
        result.rank, result.value, result.bound, result.solved = 1, value, float(proven), 1
        is_best = self._bound and proven <= value + 1e-9 * (1 + abs(value))
        result.status = (s.STOPPED if stopped else s.OPTIMAL if is_best else s.RELAXED if self._bound else s.FEASIBLE)

    def _read(self, answer: Any, V: int) -> tuple[Numbers, float]:
        """Labels and bound, which is NaN unless the decoder proves one."""
        has_bound = isinstance(answer, (tuple, list)) and len(answer) == 2 and np.ndim(answer[0]) == 1 \
            and np.ndim(answer[1]) == 0
        if self._bound and not has_bound:
            raise ValueError(f"decoder {self.name} has bound=True, so it must return (labels, bound); it returned "
                             f"{type(answer).__name__}; leave bound=True out if it has no bound")
        if has_bound and not self._bound:
            raise ValueError(f"decoder {self.name} returned (labels, bound); say bound=True in concord.decoder, or return "
                             "the labels alone")
        labels = np.asarray(answer[0] if has_bound else answer)
        if labels.shape != (V,):
            raise ValueError(f"it returned labels of the shape {labels.shape}; {V} labels were wanted")
        wrong = labels if labels.dtype == bool else labels[~np.isin(labels, (-1, 1))]
        if wrong.size:
            raise ValueError(f"labels must be -1 and +1; decoder {self.name} returned {wrong.tolist()[0]}")
        return labels.astype(np.float64), float(answer[1]) if has_bound else float("nan")

    def _guard(self, env: Any, work: Callable[[], None]) -> int:
        """No exception crosses the border: its text goes to the host, and it becomes the cause of the error."""
        try:
            work()
        except BaseException as exception:
            failures[self._id] = exception
            told = env.contents
            told.log(told.host, s.LOG_ERROR, f"{type(exception).__name__}: {exception}".encode())
            return s.FAILED
        return s.OK


def _array(start: int, size: int) -> Numbers:
    return np.ctypeslib.as_array((c_double * size).from_address(start))
