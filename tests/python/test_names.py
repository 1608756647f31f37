from __future__ import annotations

import pytest

import siliconprof as sp
from siliconprof.names import unknown_name


def test_the_message_names_the_value_the_nearest_and_all_that_exist():
    error = unknown_name("engine", "openbals", ["eigen", "openblas"])
    assert "unknown engine 'openbals'" in str(error)
    assert "did you mean 'openblas'" in str(error)
    assert "eigen, openblas" in str(error)


def test_the_error_is_a_lookup_error_and_ours():
    with pytest.raises(LookupError):
        raise unknown_name("engine", "x", [])
    assert isinstance(unknown_name("engine", "x", []), sp.Error)
