"""_core.pyi against the live module: the same names, members and parameters, both ways."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from siliconprof import _core

# What every Python class has, or what says nothing about a signature.
ORDINARY = {
    "__module__", "__doc__", "__new__", "__repr__", "__str__", "__hash__", "__dict__",
    "__weakref__", "__annotations__", "__qualname__", "__init__", "__eq__", "__ne__", "__reduce__",
    "__getstate__", "__setstate__", "_pybind11_conduit_v1_", "__firstlineno__",
    "__static_attributes__", "__slotnames__",
}  # fmt: skip


@pytest.fixture(scope="module")
def stub(root: Path) -> ast.Module:
    return ast.parse((root / "python/siliconprof/_core.pyi").read_text())


def stub_classes(stub: ast.Module) -> dict[str, ast.ClassDef]:
    return {n.name: n for n in stub.body if isinstance(n, ast.ClassDef)}


def stub_functions(body: list[ast.stmt]) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in body if isinstance(n, ast.FunctionDef)}


def stub_values(stub: ast.Module) -> dict[str, str]:
    """Names and types of the module's plain values."""
    values = [n for n in stub.body if isinstance(n, ast.AnnAssign)]
    return {n.target.id: n.annotation.id for n in values}


def decorators(node: ast.FunctionDef) -> set[str]:
    return {d.id for d in node.decorator_list if isinstance(d, ast.Name)}


def stub_parameters(node: ast.FunctionDef) -> list[str]:
    """Parameter names in order, with `*` where the keyword-only ones begin, without self."""
    names = [a.arg for a in [*node.args.posonlyargs, *node.args.args]]
    if names[:1] == ["self"]:
        names = names[1:]
    if node.args.vararg:
        names.append("*args")  # pybind11 knows no other name for them
    elif node.args.kwonlyargs:
        names.append("*")
    return names + [a.arg for a in node.args.kwonlyargs]


def split_parameters(signature: str) -> list[str]:
    """The parameter texts of `name(a: int, b: str = 'x') -> r`: commas at depth zero split."""
    texts, depth, current, quote = [], 0, "", ""
    for character in signature[signature.index("(") + 1 :]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and not current.endswith("-")):
            if depth == 0:
                break
            depth -= 1
        elif character == "," and depth == 0:
            texts.append(current.strip())
            current = ""
            continue
        current += character
    return [*texts, current.strip()] if current.strip() else texts


def live_signatures(function: object) -> list[list[str]]:
    """Parameter names of each overload, without self.

    Of pybind11's functions from the signature lines that it writes into the docstring; of methods
    that Python attaches, or that are written against Python's C interface, by inspection.
    """
    if inspect.isfunction(function) or getattr(function, "__text_signature__", None):
        parameters = inspect.signature(function).parameters.values()
        names = ["*args" if p.kind is p.VAR_POSITIONAL else p.name for p in parameters]
        return [[name for name in names if name != "self"]]
    lines = (getattr(function, "__doc__", None) or "").splitlines()
    name = getattr(function, "__name__", "")
    if len(lines) > 1 and lines[1] == "Overloaded function.":
        lines = [re.sub(r"^\d+\. ", "", n) for n in lines if re.match(rf"\d+\. {name}\(", n)]
    else:
        lines = lines[:1]
    signatures = []
    for line in (n for n in lines if "(" in n):
        names = [t.split(":")[0].split("=")[0].strip() for t in split_parameters(line)]
        signatures.append(names[1:] if names[:1] == ["self"] else names)
    return signatures


def constructor(live: type) -> object | None:
    """What builds the class from Python, or None: pybind11 gives all classes an `__init__`, which
    raises where the class has no constructor; a class written in C shows its own signature."""
    if (live.__init__.__doc__ or "").startswith("__init__("):
        return live.__init__
    return live if type(live) is type and "__new__" in vars(live) else None


def public(names) -> set[str]:
    return {n for n in names if not n.startswith("_")}


def test_module_names_agree(stub):
    stubbed = set(stub_classes(stub)) | set(stub_functions(stub.body)) | set(stub_values(stub))
    assert public(vars(_core)) == {n for n in stubbed if not n.startswith("__")}


def test_values_have_the_types_that_the_stub_says(stub):
    found = {name: type(getattr(_core, name)).__name__ for name in stub_values(stub)}
    assert found == stub_values(stub) and "__version__" in found


def test_function_parameters_agree(stub):
    wrong = {}
    for name, node in stub_functions(stub.body).items():
        found = live_signatures(getattr(_core, name))
        if stub_parameters(node) not in found:
            wrong[name] = (stub_parameters(node), found)
    assert wrong == {}


def test_class_bases_agree(stub):
    for name, node in stub_classes(stub).items():
        live = getattr(_core, name)
        bases = {b.id for b in node.bases if isinstance(b, ast.Name)} or {"object"}
        known = {b.__name__ for b in live.__bases__} - {"pybind11_object"} or {"object"}
        assert known == bases, name


def members(node: ast.ClassDef) -> set[str]:
    fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
    return set(stub_functions(node.body)) | fields


def test_class_members_agree_both_ways(stub):
    wrong = {}
    for name, node in stub_classes(stub).items():
        if "Error" in {b.__name__ for b in getattr(_core, name).__mro__}:
            continue
        live = set(vars(getattr(_core, name)))
        stubbed = members(node)
        missing = stubbed - live - {"__init__"}
        extra = live - stubbed - ORDINARY
        constructible = constructor(getattr(_core, name)) is not None
        if missing or extra or constructible != ("__init__" in stubbed):
            wrong[name] = {"not live": missing, "not in stub": extra, "__init__": constructible}
    assert wrong == {}


def test_properties_and_methods_are_of_the_same_kind(stub):
    wrong = []
    for name, node in stub_classes(stub).items():
        for member, function in stub_functions(node.body).items():
            live = vars(getattr(_core, name)).get(member)
            if ("property" in decorators(function)) != isinstance(live, property):
                wrong.append(f"{name}.{member}")
            elif isinstance(live, property) and live.fset is not None:
                wrong.append(f"{name}.{member} is writable")
    assert wrong == []


def test_method_parameters_agree(stub):
    wrong = {}
    for name, node in stub_classes(stub).items():
        for member, function in stub_functions(node.body).items():
            live = getattr(_core, name)
            if "property" in decorators(function) or member in ("__eq__", "__getattr__"):
                continue
            found = live_signatures(
                constructor(live) if member == "__init__" else getattr(live, member)
            )
            if stub_parameters(function) not in found:
                wrong[f"{name}.{member}"] = (stub_parameters(function), found)
    assert wrong == {}


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("f() -> int", []),
        ("f(a: int, b: str = 'x, y)') -> None", ["a", "b"]),
        ("f(a: Dict[str, int], *, b: Callable[[int], str] = None) -> int", ["a", "*", "b"]),
        ("f(s: _core.Sampling = <_core.Sampling object at 0x7f>, n: int = 0) -> x", ["s", "n"]),
    ],
)
def test_the_signature_reader_splits_at_depth_zero(signature, names):
    assert [t.split(":")[0].strip() for t in split_parameters(signature)] == names


def test_the_stub_reader_sees_a_difference():
    node = ast.parse("def f(a: int, *, b: str = ...) -> None: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert stub_parameters(node) == ["a", "*", "b"]
    assert stub_parameters(node) != ["a", "b"]
