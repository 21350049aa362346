# SPDX-License-Identifier: MIT
"""A decoder written in Python: a function becomes a plugin table in memory, which the host checks like any other."""
from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Callable
from ctypes import byref, c_double, cast, c_void_p, pointer, sizeof
from typing import Any, TypeVar

import numpy as np

from . import _structs as s
from ._arrays import Numbers
from ._errors import InputError
from ._library import check, library, session
from ._run import failures

Function = TypeVar("Function", bound=Callable[..., Any])

_kept: list[_Table] = []  # tables stay readable until the process ends, also those that others took the place of


def decoder(name: str | None = None, *, prior: str = "any", cardinality: bool = False, bound: bool = False,
            randomised: bool = False, reentrant: bool = False) -> Callable[[Function], Function]:
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

    A name that was there before is replaced.

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
    if prior not in s.PRIORS:
        raise InputError(f"prior = {prior!r}: it must be one of {', '.join(map(repr, s.PRIORS))}", subject="prior")

    def register(function: Function) -> Function:
        called = name if name is not None else function.__name__.replace("_", "-").lower()
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
        return function

    return register


class _Table:
    """A concord_plugin_table, and the functions behind it."""

    def __init__(self, name: str, summary: str, function: Callable[..., Any], capabilities: s.Capabilities,
                 bound: bool) -> None:
        self._id, self._function, self._bound = f"decoder/{name}", function, bound
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
            answer = self._function(A, c, k, int(request.seed))
            labels, proven = answer if self._bound else (answer, proven)
            u = np.asarray(labels, dtype=np.float64)
            if u.shape != (V,):
                raise ValueError(f"it returned labels of the shape {u.shape}; {V} labels were wanted")
        value = float(u @ c - u @ (A @ u))
        ctypes.memmove(result.F, np.ascontiguousarray(u).ctypes.data, V * sizeof(c_double))
        result.rank, result.value, result.bound, result.solved = 1, value, float(proven), 1
        is_best = self._bound and proven <= value + 1e-9 * (1 + abs(value))
        result.status = (s.STOPPED if stopped else s.OPTIMAL if is_best else s.RELAXED if self._bound else s.FEASIBLE)

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
