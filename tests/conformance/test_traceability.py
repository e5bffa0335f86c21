"""Every rule is cited by a vector and by a line of code or test; every defect has both."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "statemachine_spec"
RULES = re.findall(r"\*\*([A-Z]+-\d+)\*\*", (SPEC / "rules.md").read_text("utf-8"))
CITED = {
    path.stem: json.loads(path.read_text("utf-8"))["rules"]
    for path in sorted((SPEC / "vectors").glob("*.json"))
}
CODE = "\n".join(
    path.read_text("utf-8")
    for room in ("src", "tests")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path != Path(__file__)
)
DEFECTS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (SPEC / "defects.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and re.search(r"\b(CALL|BATCH|TIME)-\d", line)
]


def test_rules_are_numbered_without_gaps():
    for kind in ("CALL", "BATCH", "TIME"):
        numbers = [int(rule.split("-")[1]) for rule in RULES if rule.startswith(kind)]
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("rule", RULES)
def test_rule_is_cited(rule):
    assert any(rule in rules for rules in CITED.values()), f"{rule} has no vector"
    assert re.search(rf"\b{rule}\b", CODE), f"{rule} is cited by no line of src or tests"


def test_vectors_cite_only_rules_and_cells():
    cited = {rule for rules in CITED.values() for rule in rules if "." not in rule}
    assert cited <= set(RULES)


@pytest.mark.parametrize("row", DEFECTS, ids=lambda row: row[0])
def test_defect_is_held(row):
    rules, vector = row[2].split(), row[3]
    assert set(rules) <= set(RULES)
    assert set(rules) & set(CITED[vector]), f"{vector} cites none of {rules}"
    for path in row[4:]:
        assert (ROOT / path).is_file()


def test_all_known_defects_stand_there():
    names = [row[0] for row in DEFECTS]
    assert {f"N{n}" for n in range(1, 8)} <= set(names)
    assert {name.split()[0] for name in names} >= {"1.2", "1.6", "1.8"}
    assert sum(" #" in name for name in names) == 15
