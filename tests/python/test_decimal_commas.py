"""In a program that writes numbers with commas, the library's texts keep the point."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

PROGRAM = """
import json, locale
import siliconprof as sp

locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
trace = sp.op("copy", n=4)
here = sp.run(trace, threads=1, sampling="paper")
texts = [repr(sp.predict(trace, "m2-ultra")), repr(sp.compare(here, here)), str(here.notes)]
texts += [repr(reading) for reading in here.counters]
try:
    sp.compare(here, here, margin=1.5)
except sp.Error as error:
    texts.append(str(error))
print(json.dumps(texts))
"""


@pytest.fixture
def german(tmp_path):
    """The environment of a program that has a German locale, made where none is installed."""
    command = ["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", "de_DE.UTF-8"]
    try:
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no German locale can be made here: {error}")
    return {**os.environ, "LOCPATH": str(tmp_path)}


def test_texts_have_points_where_numbers_have_commas(german):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=german, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    texts = json.loads(ran.stdout)
    assert [text for text in texts if re.search(r"\d,\d", text)] == []
    assert len([text for text in texts if re.search(r"\d\.\d", text)]) >= 4
    assert texts[-1] == "[compare] margin is 1.5; needed: 0 to below 1"
