"""Every colour that carries meaning can be told from its ground."""

from itertools import product

import pytest

from callgate.diagrams.runs.timeline import FILLS, OUTLINES
from callgate.diagrams.themes import GROUNDS, PALETTES, TEXT_ROLES, Theme, contrast, style

LINES = ("line", "edge", "happy", "good-line", "bad-line", "calm-line", "warn-line")


@pytest.mark.parametrize("theme", PALETTES)
def test_text_stands_at_four_and_a_half_to_one(theme):
    palette = PALETTES[theme]
    for ground in GROUNDS:
        for role in TEXT_ROLES:
            assert contrast(palette[role], palette[ground]) >= 4.5, (role, ground)
    for tone in ("good", "bad", "calm", "warn"):
        assert contrast(palette["text"], palette[tone]) >= 4.5, tone
        assert contrast(palette[f"{tone}-line"], palette[tone]) >= 4.5, tone
    # A cell of a policy has the ground of its last line, and lines of every decision.
    for tone, ground in product(("good", "bad", "warn"), repeat=2):
        assert contrast(palette[f"{tone}-line"], palette[ground]) >= 4.5, (tone, ground)


@pytest.mark.parametrize("theme", PALETTES)
def test_lines_stand_at_three_to_one(theme):
    palette = PALETTES[theme]
    for role in LINES:
        assert contrast(palette[role], palette["page"]) >= 3, role


@pytest.mark.parametrize("theme", PALETTES)
def test_the_bars_of_a_timeline_stand_at_three_to_one_by_their_fill_or_their_outline(theme):
    palette = PALETTES[theme]
    for phase, fill in FILLS.items():
        edge = OUTLINES.get(phase, fill)
        for ground in GROUNDS:
            assert contrast(palette[edge], palette[ground]) >= 3, (phase, ground)
    assert contrast(palette["page"], palette["executing"]) >= 4.5, "the number of an attempt"


def test_palettes_have_the_same_roles_and_auto_has_both():
    light, dark = PALETTES[Theme.LIGHT], PALETTES[Theme.DARK]
    assert list(light) == list(dark)
    assert style(Theme.LIGHT) in style(Theme.AUTO)
    assert style(Theme.DARK) in style(Theme.AUTO)


def test_contrast_is_that_of_wcag():
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
    assert contrast("#000000", "#ffffff") == contrast("#ffffff", "#000000") == 21
