"""`callgate diagram` as it is typed."""

import pytest

from callgate.cli.main import main
from callgate.diagrams import gallery

README = """# Mine

<!-- callgate diagram call --format mermaid --detail low -->
old
<!-- end callgate diagram -->

Between.

<!-- callgate diagram tests.diagrams.machines:Order --format markdown --detail full -->
<!-- end callgate diagram -->
The end.
"""


MODULES = {
    "raises": "\nraise RuntimeError('no database')\n",
    "exits": "raise SystemExit(3)\n",
    "garbled": "class Order(:\n",
    "twofold": """
from statemachine import State, StateMachine
class Order(StateMachine):
    a = State(initial=True)
    b = State(initial=True)
    go = a.to(b)
""",
}


@pytest.mark.parametrize("machine", ["call", "batch", "tests.diagrams.machines:Player"])
@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("mermaid", b"stateDiagram-v2"),
        ("dot", b"digraph {"),
        ("plantuml", b"@startuml"),
        ("markdown", b"| event |"),
        ("scxml", b"<?xml"),
        ("json", b'{\n  "digest"'),
        ("svg", b"<svg "),
        ("png", b"\x89PNG"),
    ],
)
def test_every_format_of_every_machine(capfdbinary, machine, form, begins):
    assert main(["diagram", machine, "--format", form]) == 0
    assert capfdbinary.readouterr().out.startswith(begins)


def test_the_format_follows_from_the_file(tmp_path):
    for name, begins in (("a.svg", b"<svg "), ("a.mmd", b"state"), ("a.puml", b"@start")):
        assert main(["diagram", "batch", "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert main(["diagram", "batch", "-o", str(tmp_path / "a.gif")]) == 2


def test_without_a_format_it_is_for_people(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["diagram", "call"]) == 0
    shown = capsys.readouterr().out
    assert "● ━▶ Validating" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_happy_path_can_be_told(capsys):
    arguments = ["diagram", "tests.diagrams.machines:Order", "--format", "json", "--happy"]
    assert main([*arguments, "draft,cancelled"]) == 0
    assert capsys.readouterr().out.count('"happy": true') == 1
    assert main([*arguments, "draft,nowhere"]) == 2
    assert "no state 'nowhere'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("nonsense", "right: call, batch, or MODULE:CLASS"),
        ("no.such.module:Machine", "cannot be loaded: No module named"),
        ("tests.diagrams.machines:Nothing", "cannot be loaded"),
        ("tests.diagrams.machines:HOSTILE", "no machine (right: a subclass of StateMachine"),
        ("callgate.diagrams.graph:Kind", "is the class Kind, no machine"),
        ("statemachine:StateMachine", "is a machine without states"),
        ("./shop.py:Order", "'./shop.py' is no module (right: as in `import`, shop."),
        ("..shop:Order", "'..shop' is no module"),
        ("raises:Order", "cannot be loaded: RuntimeError: no database (raises.py:2)"),
        ("exits:Order", "cannot be loaded: SystemExit: 3 (exits.py:1)"),
        ("garbled:Order", "cannot be loaded: SyntaxError: "),
        ("twofold:Order", "cannot be loaded: InvalidDefinition: There should be one and only one"),
    ],
)
def test_a_machine_that_is_none_is_explained(capsys, tmp_path, monkeypatch, where, said):
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["diagram", where, "--format", "mermaid"]) == 2
    assert said in capsys.readouterr().err


def test_an_instance_is_drawn_as_its_class(capsys, tmp_path, monkeypatch):
    source = "from tests.diagrams.machines import Light\nlight = Light()\n"
    (tmp_path / "street.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["diagram", "street:light", "--format", "json"]) == 0
    assert '"title": "Light"' in capsys.readouterr().out


def test_pictures_are_written_and_checked(tmp_path, capsys, monkeypatch):
    quick = [picture for picture in gallery.GALLERY if not picture.name.endswith(".svg")]
    monkeypatch.setattr(gallery, "GALLERY", quick)
    folder = ["--dir", str(tmp_path / "new")]
    assert main(["diagram", "--check", *folder]) == 1
    assert main(["diagram", "--write", *folder]) == 0
    assert main(["diagram", "--check", *folder]) == 0
    (tmp_path / "new" / "call.mmd").write_text("old", encoding="utf-8")
    capsys.readouterr()
    assert main(["diagram", "--check", *folder]) == 1
    assert "call.mmd is stale: run callgate diagram --write" in capsys.readouterr().err


def test_blocks_are_injected_once_and_checked(tmp_path, capsys):
    path = tmp_path / "README.md"
    path.write_text(README, encoding="utf-8")
    inject = ["diagram", "--inject", str(path)]
    assert main([*inject, "--check"]) == 1
    assert "is stale" in capsys.readouterr().err
    assert path.read_text("utf-8") == README
    assert main(inject) == 0
    once = path.read_text("utf-8")
    assert main(inject) == 0
    assert path.read_text("utf-8") == once
    assert main([*inject, "--check"]) == 0
    assert "```mermaid\nstateDiagram-v2\n" in once
    assert "| from | event | guards |" in once
    assert "\nold\n" not in once
    assert once.startswith("# Mine\n")
    assert once.endswith("<!-- end callgate diagram -->\nThe end.\n")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("nothing", "no block"),
        ("<!-- callgate diagram call -->\n", "line 1: no <!-- end"),
        (
            "<!-- callgate diagram call --format svg -->\n<!-- end callgate diagram -->",
            "link to it",
        ),
        (
            "<!-- callgate diagram call --color -->\n<!-- end callgate diagram -->",
            "unknown --color",
        ),
        (
            "<!-- callgate diagram call -->\n<!-- callgate diagram batch -->\n"
            "<!-- end callgate diagram -->\n<!-- end callgate diagram -->",
            "line 2: a block inside a block",
        ),
        (
            '<!-- callgate diagram "call -->\n<!-- end callgate diagram -->',
            "line 1: No closing quotation in '\"call'",
        ),
        (
            "<!-- callgate diagram --format mermaid -->\n<!-- end callgate diagram -->",
            "a marker: the following arguments are required: machine",
        ),
        ("<!-- callgate diagram call --help -->\n<!-- end callgate diagram -->", "unknown --help"),
        (
            "<!-- callgate diagram call --detail mid -->\n<!-- end callgate diagram -->",
            "'mid' is none of low, full",
        ),
        (
            "<!-- callgate diagram call --format gif -->\n<!-- end callgate diagram -->",
            "invalid choice: 'gif' (choose from",
        ),
        ("```\n<!-- callgate diagram call -->\n<!-- end callgate diagram -->\n```\n", "no block"),
    ],
)
def test_a_broken_block_is_explained(tmp_path, capsys, document, said):
    path = tmp_path / "a.md"
    path.write_text(document, encoding="utf-8")
    assert main(["diagram", "--inject", str(path)]) == 2
    assert said in capsys.readouterr().err
    assert path.read_text("utf-8") == document


def test_line_ends_and_examples_are_left_as_they_are(tmp_path):
    path = tmp_path / "README.md"
    example = "~~~\n<!-- callgate diagram call -->\n<!-- end callgate diagram -->\n~~~\n"
    path.write_bytes((example + README).replace("\n", "\r\n").encode())
    assert main(["diagram", "--inject", str(path)]) == 0
    once = path.read_bytes()
    assert once.startswith(example.replace("\n", "\r\n").encode())
    assert b"\r\nstateDiagram-v2\r\n" in once
    assert once.count(b"\n") == once.count(b"\r\n")
    assert b"\r\r" not in once
    assert main(["diagram", "--inject", str(path), "--check"]) == 0
    assert once == path.read_bytes()


def test_a_document_that_is_not_utf_8_is_refused(tmp_path, capsys):
    path = tmp_path / "README.md"
    path.write_bytes(b"\xff\xfe")
    assert main(["diagram", "--inject", str(path)]) == 2
    assert "README.md is not UTF-8" in capsys.readouterr().err
