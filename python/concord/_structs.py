# SPDX-License-Identifier: MIT
"""The structs of concord/concord.h and concord/abi.h, field by field; the headers explain the fields."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np

API = 1  # CONCORD_API: the interface that this package calls
ABI = 1
MAGIC = 0x31474C50434E4F43

OK = 0
OPTIMAL, RELAXED, FEASIBLE, LIMIT, STOPPED, UNSUPPORTED, INFEASIBLE, FAILED = range(1, 9)
STATUSES = {OPTIMAL: "optimal", RELAXED: "relaxed", FEASIBLE: "feasible", LIMIT: "limit", STOPPED: "stopped"}
LOG_WARNING, LOG_ERROR = 2, 3

DECODER = 1
PRIORS = {"zero": 0, "attractive": 1, "any": 2}
CONSTRAINTS_NONE, CONSTRAINTS_CARDINALITY = 0, 1
MOMENT_RANK_ONE = 3
HEURISTIC, MAY_BE_OPTIMAL = 0, 2
REENTRANT, RANDOMISED = 1 << 2, 1 << 3


class Sized(ctypes.Structure):
    """A struct whose first field is its own size, as every struct of both headers. An array in the place of a pointer
    lives as long as the struct: a thread that nobody waits for any more may still use it."""

    def __init__(self, **fields: Any) -> None:
        self.arrays = [value for value in fields.values() if isinstance(value, np.ndarray)]
        plain = {name: value.ctypes.data if isinstance(value, np.ndarray) else value for name, value in fields.items()}
        super().__init__(size=ctypes.sizeof(self), **plain)


# ---- concord.h ----------------------------------------------------------------------------------------------

EventFunction = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
RunLogFunction = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p, c_char_p)


class Error(Sized):
    _fields_ = [("size", c_uint32), ("kind", c_int32), ("subject", c_char_p), ("place", c_char_p),
                ("reason", c_char_p), ("remedy", c_char_p), ("text", c_char_p)]


class Run(Sized):
    _fields_ = [("size", c_uint32), ("threads", c_int32), ("stop", c_void_p), ("user", c_void_p),
                ("event", EventFunction), ("log", RunLogFunction)]


class Prior(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("labels", c_int64), ("dense", c_void_p),
                ("row_start", c_void_p), ("column", c_void_p), ("entry", c_void_p)]


class Problems(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("prior", POINTER(Prior)), ("count", c_int64),
                ("c", c_void_p), ("cardinality", c_void_p), ("decoder", c_char_p), ("rounding", c_char_p),
                ("options", c_char_p), ("seed", c_uint64), ("time_limit", c_double)]


class Answers(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("labels", c_void_p), ("objective", c_void_p),
                ("bound", c_void_p), ("status", c_void_p), ("u", c_void_p), ("value", c_void_p),
                ("nodes", c_void_p)]


class Features(Sized):
    _fields_ = [("size", c_uint32), ("index_bytes", c_uint32), ("rows", c_int64), ("columns", c_int64),
                ("dense", c_void_p), ("row_start", c_void_p), ("column", c_void_p), ("entry", c_void_p)]


class Training(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("features", POINTER(Features)), ("labels", c_int64),
                ("truth", c_void_p), ("label_names", POINTER(c_char_p)), ("feature_names", POINTER(c_char_p)),
                ("name", c_char_p), ("config", c_char_p)]


class Query(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("features", POINTER(Features)), ("known", c_void_p),
                ("settings", c_char_p)]


class Predictions(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("labels", c_void_p), ("ranking", c_void_p),
                ("scores", c_void_p), ("probabilities", c_void_p), ("error", c_void_p)]


# ---- abi.h, as far as a decoder in Python needs it ----------------------------------------------------------

LogFunction = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class Env(Sized):
    _fields_ = [("size", c_uint32), ("threads", c_int32), ("host", c_void_p),
                ("stop_requested", ctypes.CFUNCTYPE(c_int32, c_void_p)),
                ("seconds_left", ctypes.CFUNCTYPE(c_double, c_void_p)), ("log", LogFunction), ("run", c_void_p)]


class Row(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("coefficients", c_void_p), ("beta", c_double)]


class Request(Sized):
    _fields_ = [("size", c_uint32), ("row_count", c_uint32), ("labels", c_int64), ("c", c_void_p),
                ("rows", POINTER(Row)), ("seed", c_uint64), ("warm", c_void_p)]


class Result(Sized):
    _fields_ = [("size", c_uint32), ("status", c_int32), ("F", c_void_p), ("F_columns", c_int64), ("rank", c_int64),
                ("value", c_double), ("bound", c_double), ("subproblem", c_int64), ("solved", c_int64),
                ("pruned", c_int64), ("nodes", c_int64), ("message", c_void_p), ("message_bytes", c_size_t)]


class Capabilities(Sized):
    _fields_ = [("size", c_uint32), ("prior", c_int32), ("max_labels", c_int64), ("constraints", c_int32),
                ("moment", c_int32), ("guarantee", c_int32), ("flags", c_uint32)]


CreateFunction = ctypes.CFUNCTYPE(c_void_p, POINTER(Env), c_void_p, c_size_t)
DestroyFunction = ctypes.CFUNCTYPE(None, c_void_p)
PrepareFunction = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(Env), POINTER(Prior))
SolveFunction = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(Env), c_void_p, c_void_p, c_size_t)


class Decoder(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("create", CreateFunction),
                ("destroy", DestroyFunction), ("prepare", PrepareFunction), ("max_rank", c_void_p),
                ("warm_size", c_void_p), ("solve", SolveFunction), ("solve_family", c_void_p), ("flags", c_void_p)]


class PluginTable(ctypes.Structure):
    _fields_ = [("magic", c_uint64), ("abi", c_uint32), ("size", c_uint32), ("kind", c_int32),
                ("reserved", c_uint32), ("name", c_char_p), ("version", c_char_p), ("summary", c_char_p),
                ("licence", c_char_p), ("build_tag", c_char_p), ("capabilities", POINTER(Capabilities)),
                ("options", c_void_p), ("option_count", c_size_t), ("probe", c_void_p), ("functions", c_void_p),
                ("get_extension", c_void_p)]
