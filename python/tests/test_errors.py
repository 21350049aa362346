# SPDX-License-Identifier: MIT
import pickle

import numpy as np
import pytest

import concord


def raised(kind, *arguments, **more):
    with pytest.raises(kind) as caught:
        concord.decode(*arguments, **more)
    return caught.value


def test_fields_of_an_error():
    error = raised(concord.UnavailableError, [[0.0]], [1.0], decoder="spectal")
    assert error.kind == "unavailable" and "did you mean spectral" in error.text and str(error) == error.text
    assert isinstance(error, LookupError) and isinstance(error, concord.ConcordError)
    error = raised(concord.UnsupportedError, [[0, 1], [1, 0]], [1, 1], decoder="modular")
    assert error.kind == "unsupported" and isinstance(error, ValueError)
    assert "decoder/modular" in error.text
    error = raised(concord.InputError, [[0, 1], [2, 0]], [1, 1])
    assert (error.kind, error.subject) == ("input", "A") and "symmetric" in error.reason and error.remedy


def test_errors_can_be_pickled():
    error = raised(concord.InputError, [[0, 1], [2, 0]], [1, 1])
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)


def test_every_kind_is_the_builtin_one_expects():
    for own, builtin in ((concord.InputError, ValueError), (concord.UnsupportedError, ValueError),
                         (concord.UnavailableError, LookupError), (concord.FileError, OSError),
                         (concord.PluginError, RuntimeError), (concord.OutOfMemoryError, MemoryError)):
        assert issubclass(own, builtin) and issubclass(own, concord.ConcordError)


def test_plugins_and_describe():
    found = {f"{p['kind']}/{p['name']}": p for p in concord.plugins()}
    assert found["decoder/spectral"]["status"] == "ok"
    keys = {f"{key['section']}.{key['key']}" for key in concord.describe("config")["keys"]}
    assert "train.lambda_w" in keys
    with pytest.raises(concord.UnavailableError, match="did you mean"):
        concord.describe("decoder/spectal")


def test_numpy_scalars_as_options():
    assert concord.decode([[0.0]], [1.0], tol=np.float64(1e-3)).labels.tolist() == [1]
