"""The project's own rules, read from its files: layout, dependencies, version, documents."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import siliconprof
from siliconprof import _core

LINE_LIMIT = 350
FUNCTION_LIMIT = 50
SOURCES = (".cpp", ".h", ".inc", ".py")  # the stub lists one module in one file, however long
TEXTS = (
    *SOURCES,
    ".pyi",
    ".md",
    ".toml",
    ".txt",
    ".csv",
    ".json",
    ".sh",
    ".ipynb",
    ".html",
    ".css",
)

# Which folders of cpp/siliconprof a folder may include, itself aside.
MAY_INCLUDE = {
    "core": set(),
    "ops": {"core"},
    "counters": {"core"},
    "profile": {"core", "ops", "counters"},
    "workloads": {"core", "ops"},
    "kernels": {"core", "ops", "counters", "profile"},
    "devices": {"core", "ops", "counters", "profile"},
}

# One file in several forms, for platforms and instruction sets: one test serves them all.
FORMS = ("_linux", "_posix", "_elsewhere", "_generic", "_avx2", "_avx512", "_avx512_bf16", "_amx")

# Python tests that mirror no module: of the project as a whole, or of programs outside the package.
WHOLE_PROJECT_TESTS = {
    "test_validation_document.py",
    "test_validation_scores.py",
    "test_against_torch.py",
    "test_benchmarks.py",
    "test_bench_floors.py",
    "test_bench_instructions.py",
    "test_codebase.py",
    "test_cpu_call_tools.py",
    "test_cpu_suite_tools.py",
    "test_decimal_commas.py",
    "test_energy.py",
    "test_extending.py",
    "test_flops_against_torch.py",
    "test_bound.py",
    "test_gil.py",
    "test_fit_tools.py",
    "test_compile_tools.py",
    "test_layout_tools.py",
    "test_graph_tools.py",
    "test_notebooks.py",
    "test_page_compression.py",
    "test_stub.py",
    "test_host_chains.py",
    "test_host_tools.py",
    "test_published_steps.py",
    "test_power_tools.py",
    "test_suite_tools.py",
    "test_tools.py",
    "test_framework_agreement.py",
    "test_framework_versions.py",
    "test_torch_agreement.py",
    "test_torch_special_values.py",
    "test_training_against_torch.py",
}


def tracked(root: Path) -> list[Path]:
    """The project's own files: git's where there is git, else all but the outputs."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        paths = [root / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        outputs = {"build", "report", ".git"}
        paths = [p for p in root.rglob("*") if p.relative_to(root).parts[0] not in outputs]
    return sorted(p for p in paths if p.is_file())


@pytest.fixture(scope="module")
def files(root: Path) -> list[Path]:
    return tracked(root)


def relative(paths: list[Path], folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in paths if p.is_relative_to(folder)}


# ---- layout -----------------------------------------------------------------------------


def without_form(stem: str) -> str:
    """`resident_linux` and `resident_elsewhere` are forms of `resident`."""
    return next((stem.removesuffix(form) for form in FORMS if stem.endswith(form)), stem)


def test_every_cpp_source_has_a_test_and_every_test_a_source(root, files):
    names = relative(files, root / "cpp/siliconprof")
    sources = {n.removesuffix(".cpp") for n in names if n.endswith(".cpp")}
    headers = {n.removesuffix(".h") for n in names if n.endswith(".h")}
    found = relative(files, root / "tests/cpp")
    tests = {n.removesuffix("_test.cpp") for n in found if n.endswith("_test.cpp")}
    wanted = {without_form(n) for n in sources}
    assert sorted(wanted - tests) == []
    # A newcomer's op; the gradients of all ops; what holds for every op.
    across = {"ops/throwaway_op", "kernels/cpu/vjp", "kernels/cpu/every_op"}
    stray = tests - {without_form(n) for n in sources | headers} - across
    assert sorted(stray) == []


def test_every_python_module_has_a_test_and_every_test_a_module(root, files):
    modules = {
        n
        for n in relative(files, root / "python/siliconprof")
        if n.endswith(".py") and not n.endswith("__init__.py")
    }
    tests = {n for n in relative(files, root / "tests/python") if Path(n).name.startswith("test_")}
    assert modules
    wanted = {str(Path(n).with_name(f"test_{Path(n).stem.strip('_')}.py")) for n in modules}
    packages = {
        "test_init.py" if parent == "." else f"{parent}/test_init.py"
        for parent in {Path(n).parent.as_posix() for n in modules}
    }
    assert wanted - tests == set()
    assert tests - wanted - packages - WHOLE_PROJECT_TESTS == set()


def test_no_file_is_longer_than_the_limit(files):
    lengths = sorted(
        ((len(p.read_text().splitlines()), p.name) for p in files if p.suffix in SOURCES),
        reverse=True,
    )
    print("the ten longest files:", *(f"{n:5d} {name}" for n, name in lengths[:10]), sep="\n")
    assert [row for row in lengths if row[0] > LINE_LIMIT] == []


def test_no_python_function_is_longer_than_the_limit(root, files):
    """From its `def` to its end; clang-tidy says the same of C++."""
    lengths = [
        (node.end_lineno - node.lineno + 1, f"{path.relative_to(root)}:{node.lineno} {node.name}")
        for path in files
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert lengths
    assert [row for row in sorted(lengths, reverse=True) if row[0] > FUNCTION_LIMIT] == []


def test_files_are_named_by_what_they_hold(files):
    vague = re.compile(r"(^|_)(utils?|helpers?|common|misc)(_|$)")
    assert [p for p in files if vague.search(p.stem)] == []


# ---- dependencies -----------------------------------------------------------------------


def includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def cpp_sources(root: Path, files: list[Path]) -> list[Path]:
    folder = root / "cpp/siliconprof"
    return [p for p in files if p.is_relative_to(folder) and p.suffix in (".h", ".cpp")]


def test_cpp_folders_depend_in_one_direction(root, files):
    wrong = []
    for path in cpp_sources(root, files):
        folder = path.relative_to(root / "cpp/siliconprof").parts[0]
        allowed = MAY_INCLUDE[folder] | {folder}
        for name in includes(path):
            if name.startswith("siliconprof/") and name.split("/")[1] not in allowed:
                wrong.append(f"{path.relative_to(root)} includes {name}")
    assert wrong == []


def test_includes_are_rooted_at_the_library_name(root, files):
    known = relative(files, root / "cpp")
    wrong = [
        f"{path.relative_to(root)} includes {name}"
        for path in cpp_sources(root, files)
        for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.MULTILINE)
        if name not in known
    ]
    assert wrong == []


def test_the_core_knows_no_python_and_no_file_format(root, files):
    foreign = re.compile(r"^(pybind11/|Python\.h|numpy/)|(toml|json|yaml|csv)", re.IGNORECASE)
    wrong = [
        f"{path.relative_to(root)} includes {name}"
        for path in cpp_sources(root, files)
        for name in includes(path)
        if foreign.search(name)
    ]
    assert wrong == []


def test_every_header_opens_with_pragma_once(root, files):
    headers = [p for p in cpp_sources(root, files) if p.suffix == ".h"]
    assert [p for p in headers if "#pragma once" not in p.read_text()] == []


def first_include(path: Path) -> str:
    found = re.search(r'^#include ["<](.+)[">]', path.read_text(), re.MULTILINE)
    return found[1] if found else ""


def test_every_header_is_compiled_alone(root, files):
    """First in the source of its name, as tidy reads it, or in a translation unit of its own."""
    text = (root / "tests/cpp/CMakeLists.txt").read_text()
    assert re.search(r"add_library\(siliconprof_headers OBJECT", text)
    assert re.search(r"GLOB_RECURSE headers [^)]*cpp/siliconprof/\*\.h", text)
    headers = {n for n in relative(files, root / "cpp") if re.match(r"siliconprof/.*\.h$", n)}
    sources = {n: root / "cpp" / f"{n.removesuffix('h')}cpp" for n in headers}
    served = {n for n in headers if sources[n].is_file()}
    assert [n for n in sorted(served) if first_include(sources[n]) != n] == []
    commands = Path(siliconprof.__file__).parents[2] / "compile_commands.json"
    if commands.is_file() and "/headers/" in commands.read_text():
        compiled = {Path(e["file"]).stem for e in json.loads(commands.read_text())}
        units = {re.sub(r"[/.]", "_", n) for n in headers - served}
        assert sorted(units - compiled) == []


# ---- version and packaging --------------------------------------------------------------


def project_table(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text())


def test_the_version_stands_in_one_place(root):
    version = project_table(root)["project"]["version"]
    assert _core.__version__ == version
    assert siliconprof.__version__ == version
    assert version not in (root / "CMakeLists.txt").read_text()
    newest = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None and newest.group(1) == version


def test_pyproject_names_things_that_exist(root):
    table = project_table(root)
    for package in table["tool"]["scikit-build"]["wheel"]["packages"]:
        assert (root / package / "__init__.py").is_file()
    module, function = table["project"]["scripts"]["siliconprof"].split(":")
    source = (root / "python" / Path(*module.split("."))).with_suffix(".py")
    assert re.search(rf"\b{function}\b", source.read_text())
    targets = table["tool"]["scikit-build"]["build"]["targets"]
    cmake = (root / "CMakeLists.txt").read_text()
    assert targets and all(re.search(rf"\b{target}\b", cmake) for target in targets)


def test_python_dependencies_are_debian_packages_too(root):
    packages = (root / "scripts/packages.txt").read_text()
    for name in project_table(root)["project"]["dependencies"]:
        assert re.search(rf"^report python3-{name} ", packages, re.MULTILINE), name


# ---- documents --------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "limit"), [("README.md", 120), ("CONTRIBUTING.md", 60)])
def test_documents_stay_short(root, name, limit):
    assert len((root / name).read_text().splitlines()) <= limit


def test_every_path_in_contributing_exists(root):
    """`<name>` stands for the newcomer's own file: its folder, and a neighbour, must be there."""
    text = (root / "CONTRIBUTING.md").read_text()
    quoted = [
        q for q in re.findall(r"`([^`\s]+)`", text) if "/" in q or q.endswith((".md", ".txt"))
    ]
    paths = [q for q in quoted if not q.startswith(("-", "/"))]
    assert len(paths) > 10
    missing = [p for p in paths if not any(root.glob(re.sub(r"<[^>]+>", "*", p).rstrip("/")))]
    assert missing == []


def test_every_file_the_readme_links_or_lists_exists(root):
    text = (root / "README.md").read_text()
    linked = [n for n in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in n]
    folders = re.findall(r"^\| `((?:cpp|python)/[^`]+)` \|", text, re.MULTILINE)
    assert linked and folders
    assert [n for n in [*linked, *folders] if not (root / n).exists()] == []


def test_every_folder_of_the_core_is_in_the_readme(root, files):
    folders = {p.relative_to(root / "cpp").parts[1] for p in cpp_sources(root, files)}
    text = (root / "README.md").read_text()
    assert folders == set(MAY_INCLUDE)
    assert [f for f in folders if f"`cpp/siliconprof/{f}`" not in text] == []


def test_every_make_target_in_the_documents_exists(root):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        text = (root / name).read_text()
        named = set(re.findall(r"(?:^|`)(?:\$ )?make ([a-z-]+)", text, re.MULTILINE))
        assert named and named <= targets, (name, named - targets)


def test_every_citation_key_resolves(root, files):
    sources = (root / "docs/sources.md").read_text()
    resolved = set(re.findall(r"^- `\[([a-z0-9-]+)\]`", sources, re.MULTILINE))
    cited: dict[str, set[str]] = {}
    for path in files:
        if path.suffix in (".h", ".cpp", ".py", ".toml"):
            pattern = r"\[([a-z][a-z-]*(?:19|20)\d\d[a-z]?|torch-ops)\]"
            for key in re.findall(pattern, path.read_text()):
                cited.setdefault(key, set()).add(path.name)
    assert {key: where for key, where in cited.items() if key not in resolved} == {}


def test_no_text_names_a_path_of_one_machine(root, files):
    machine_path = re.compile(r"(?<![\w.<}/-])/(?:work|root|home)/\w|\.\./" + "shared")
    wrong = [
        f"{path.relative_to(root)}:{number}: {line.strip()[:100]}"
        for path in files
        if path.suffix in TEXTS or path.name in ("Makefile", "run", ".gitignore")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if machine_path.search(line)
    ]
    assert wrong == []
