"""Every colour that carries meaning can be told from its ground."""

import pytest

from callgate.diagrams.themes import GROUNDS, PALETTES, TEXT_ROLES, Theme, contrast, style

LINES = ("line", "edge", "happy", "good-line", "bad-line", "calm-line", "warn-line")
LANES = ("validating", "person", "executing")


@pytest.mark.parametrize("theme", PALETTES)
def test_text_stands_at_four_and_a_half_to_one(theme):
    palette = PALETTES[theme]
    for ground in GROUNDS:
        for role in TEXT_ROLES:
            assert contrast(palette[role], palette[ground]) >= 4.5, (role, ground)
    for tone in ("good", "bad", "calm", "warn"):
        assert contrast(palette["text"], palette[tone]) >= 4.5, tone
        assert contrast(palette[f"{tone}-line"], palette[tone]) >= 4.5, tone


@pytest.mark.parametrize("theme", PALETTES)
def test_lines_stand_at_three_to_one(theme):
    palette = PALETTES[theme]
    for role in (*LINES, *LANES):
        assert contrast(palette[role], palette["page"]) >= 3, role


def test_palettes_have_the_same_roles_and_auto_has_both():
    light, dark = PALETTES[Theme.LIGHT], PALETTES[Theme.DARK]
    assert list(light) == list(dark)
    assert style(Theme.LIGHT) in style(Theme.AUTO)
    assert style(Theme.DARK) in style(Theme.AUTO)


def test_contrast_is_that_of_wcag():
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
    assert contrast("#000000", "#ffffff") == contrast("#ffffff", "#000000") == 21
