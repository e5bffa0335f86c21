"""Who may import whom: the table of rooms, as data."""

import ast
from pathlib import Path

import pytest

import callgate

SOURCE = Path(callgate.__file__).parent
ROOMS = {
    "kernel": set(),
    "policy": {"kernel"},
    "tools": {"kernel"},
    "responses": {"kernel", "tools"},
    "journal": {"kernel"},
    "drivers": {"kernel", "policy", "tools", "responses", "journal"},
    "turn": {"kernel", "drivers"},
    "diagrams": {"kernel", "policy", "journal"},
    "proof": {"kernel", "journal"},
    "testing": {"kernel", "policy", "tools", "responses", "journal", "drivers", "proof"},
    "cli": {
        *("kernel", "policy", "tools", "responses", "journal"),
        *("drivers", "turn", "diagrams", "proof", "testing"),
    },
}
OUTSIDE_KERNEL = {"attrs", "pyrsistent", "statemachine"}
PURE = {"__future__", "collections", "enum", "itertools", "math", "types", "typing"}
FILES = sorted(SOURCE.rglob("*.py"))


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_only_from_rooms_above(path):
    room = path.relative_to(SOURCE).parts[0]
    if room.endswith(".py"):
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "callgate" and len(parts) > 1:
            assert parts[1] in ROOMS[room] | {room}, f"{path.name} imports {name}"
        elif room == "kernel" and parts[0] != "callgate":
            assert parts[0] in OUTSIDE_KERNEL | PURE, f"the kernel touches the world: {name}"


def test_every_room_is_in_the_table():
    rooms = {path.relative_to(SOURCE).parts[0] for path in FILES if path.parent != SOURCE}
    assert rooms <= set(ROOMS)


def test_at_most_forty_public_names():
    assert len(callgate.__all__) <= 40
    assert sorted(callgate.__all__) == dir(callgate)
    for name in callgate.__all__:
        documentation = getattr(callgate, name).__doc__
        assert documentation, f"{name} is not documented"
        assert ">>>" in documentation or name == "effects", f"{name} has no example"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_small(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree), f"{path.name} does not say why it exists"
    assert text.count("\n") <= 350
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Assert), "an assert that python -O removes"
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 50, f"{node.name} is long"
