from __future__ import annotations

import siliconprof as sp


def test_the_version_is_that_of_the_package(call):
    assert call("--version") == (0, f"siliconprof {sp.__version__}\n")
