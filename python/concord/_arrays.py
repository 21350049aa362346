# SPDX-License-Identifier: MIT
"""Arrays as the library reads them."""
from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from . import _structs as s
from ._errors import InputError

Numbers = npt.NDArray[np.float64]


def numbers(array: Any, what: str, *dimensions: int) -> Numbers:
    """A float64 array without padding, with one of these numbers of dimensions."""
    try:
        result = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers: {error}", subject=what) from error
    if np.ndim(array) not in dimensions:
        wanted = " or ".join(f"{d}" for d in dimensions)
        raise InputError(f"{what} has the shape {np.shape(array)}; it must have {wanted} dimensions", subject=what)
    return result


def prior_struct(A: Any) -> s.Prior:
    """A symmetric matrix, dense or of scipy.sparse. What rounding made unequal is made equal; the library refuses more."""
    if sparse.issparse(A):
        csr = sparse.csr_matrix(A, dtype=np.float64, copy=True)
        csr.sum_duplicates()
        square(csr.shape, "A")
        require_finite(csr, "A")
        csr = symmetrised(csr)
        return s.Prior(labels=csr.shape[0], row_start=csr.indptr.astype(np.int64),
                       column=csr.indices.astype(np.int64), entry=csr.data)
    dense = numbers(A, "A", 2)
    square(dense.shape, "A")
    require_finite(dense, "A")
    dense = symmetrised(dense)
    return s.Prior(labels=dense.shape[0], dense=dense)


def symmetrised(matrix: Any) -> Any:
    """(M + M')/2 of a matrix that is symmetric up to rounding; any other matrix as it is. Dense or CSR."""
    difference = abs(matrix - matrix.T)
    most = difference.max() if matrix.shape[0] else 0.0
    if most == 0 or most > 1e-12 * abs(matrix).max():
        return matrix
    return sparse.csr_matrix((matrix + matrix.T) / 2) if sparse.issparse(matrix) else (matrix + matrix.T) / 2


def require_finite(array: Any, what: str, names: Sequence[Any] | None = None) -> None:
    """Refuses NaN and infinity, and says where they are: by numbers from 0, or by the names of rows and columns."""
    place: tuple[int, ...]
    if sparse.issparse(array):
        entries = array.tocoo()
        wrong = np.flatnonzero(~np.isfinite(entries.data))
        if wrong.size == 0:
            return
        value, place = entries.data[wrong[0]], (int(entries.row[wrong[0]]), int(entries.col[wrong[0]]))
    else:
        where = np.argwhere(~np.isfinite(array))
        if where.size == 0:
            return
        place = tuple(where[0].tolist())
        value = array[place]
    if names is not None:
        told = f"({', '.join(repr(names[i]) for i in place)})"
    else:
        told = f"{place if len(place) > 1 else place[0]} (counted from 0)"
    raise InputError(f"{what} holds {value:g} at {told}; all numbers must be finite", subject=what)


def square(shape: tuple[int, ...], what: str) -> None:
    """Refuses a matrix that is not square."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"{what} has the shape {shape}; it must be square", subject=what)


def features_struct(X: Any) -> s.Features:
    """Instances as rows: dense, a DataFrame, or scipy.sparse with indices of 32 or 64 bits."""
    if sparse.issparse(X):
        csr = sparse.csr_matrix(X, dtype=np.float64)
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        return s.Features(index_bytes=csr.indices.itemsize, rows=csr.shape[0], columns=csr.shape[1],
                          row_start=csr.indptr, column=csr.indices, entry=csr.data)
    dense = numbers(X, "X", 2)
    return s.Features(rows=dense.shape[0], columns=dense.shape[1], dense=dense)


def indicator(Y: Any, what: str, *, signed: bool = False) -> npt.NDArray[np.int8]:
    """Labels of instances, n x V, as 0 and 1. What is given may be 0/1, booleans, sparse or a DataFrame; -1/+1 too, if
    `signed`."""
    dense = np.asarray(Y.toarray() if sparse.issparse(Y) else Y)
    if dense.ndim != 2:
        raise InputError(f"{what} has the shape {dense.shape}; it must be instances x labels", subject=what)
    if dense.dtype.kind in "OSU":
        text = next((value for value in dense.flat if isinstance(value, (str, bytes))), None)
        if text is not None:
            remedy = "sklearn.preprocessing.MultiLabelBinarizer makes such a matrix of sets of names"
            raise InputError(f"{what} holds the text {text!r}; labels must be 0 or 1. {remedy}", subject=what, remedy=remedy)
        dense = numbers(dense, what, 2)
    wrong = ~np.isin(dense, (-1, 0, 1) if signed else (0, 1))
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        value = dense[row, label]
        remedy = f"give ({what} + 1) // 2" if value == -1 else "give 1 where an instance has the label, and 0 elsewhere"
        raise InputError(f"{what} holds {value:g} in row {row}, label {label} (counted from 0); labels must be 0 or 1: "
                         f"{remedy}", subject=what, remedy=remedy)
    return np.ascontiguousarray(dense > 0, dtype=np.int8)


def column_names(table: Any) -> list[str] | None:
    """The names of the columns of a DataFrame; None for anything else, and for columns that are only counted."""
    columns = getattr(table, "columns", None)
    if columns is None or list(columns) == list(range(len(columns))):
        return None
    return [str(name) for name in columns]


def require_names(given: list[str] | None, wanted: list[str] | None, what: str, whose: str) -> None:
    """Refuses names that are not those wanted, in their order. Where one side has no names, places count."""
    if given is None or not wanted or given == wanted:
        return
    place = next((i for i, (one, other) in enumerate(zip(given, wanted)) if one != other), min(len(given), len(wanted)))
    if place < min(len(given), len(wanted)):
        text = f"column {place} (counted from 0) of {what} is {given[place]!r}, and {wanted[place]!r} in {whose}"
    else:
        text = f"{what} has {len(given)} columns, and {whose} has {len(wanted)}"
    remedy = f"give the same columns in the same order; {what}[names] takes them from a DataFrame"
    raise InputError(f"{text}; {remedy}", subject=what, remedy=remedy)


def texts(names: Sequence[str] | None) -> Any:
    """A char*[] of names, or NULL."""
    return None if names is None else (ctypes.c_char_p * len(names))(*(name.encode() for name in names))


def to_json(value: Any) -> bytes:
    """JSON of Python's and NumPy's numbers, texts, lists and dicts; a function that is a decoder stands for its name."""

    def plain(other: Any) -> Any:
        if isinstance(other, (np.generic, np.ndarray)):
            return other.tolist()
        if callable(other):
            from ._decoder import decoder_name

            return decoder_name(other)
        raise TypeError(f"{other!r} is no value of an option; numbers, texts, booleans and lists of them are")

    return json.dumps(value, default=plain).encode()
