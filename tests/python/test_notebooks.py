from __future__ import annotations

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
SMALL = {"batch, size": "2, 16", "budget_s": "0.02"}


def small(notebook):
    """The notebook with the values of its parameters cell replaced by small ones."""
    (cell,) = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    for name, value in SMALL.items():
        cell.source, count = re.subn(
            rf"^{re.escape(name)} = .*$", f"{name} = {value}", cell.source, flags=re.MULTILINE
        )
        assert count == 1, f"the parameters cell lacks {name}"
    return notebook


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_from_top_to_bottom(path):
    notebook = small(nbformat.read(path, as_version=4))
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.execute()
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert not [o for o in outputs if o.output_type == "error"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_is_stored_without_outputs(path):
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
