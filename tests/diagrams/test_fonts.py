"""The shipped font: what is measured is what is drawn."""

from fontTools.ttLib import TTFont

from callgate.diagrams import fonts


def test_widths_are_those_of_the_shipped_files():
    regular, semibold, units = fonts._widths()
    for name, table in zip(fonts.NAMES, (regular, semibold), strict=True):
        font = TTFont(str(fonts.FOLDER / name))
        glyphs, advances = font.getBestCmap(), font["hmtx"]
        assert font["head"].unitsPerEm == units
        assert {chr(code): advances[glyph][0] for code, glyph in glyphs.items()} == table


def test_the_font_is_small_and_has_its_licence():
    assert sum((fonts.FOLDER / name).stat().st_size for name in fonts.NAMES) < 400_000
    licence = (fonts.FOLDER / "OFL.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE" in licence
    assert "The Inter Project Authors" in licence


def test_bold_is_wider_and_unknown_letters_are_one_em():
    assert fonts.width("validated", 10, bold=True) > fonts.width("validated", 10)
    assert fonts.width("漢", 10) == 10
    assert fonts.missing("a漢b漢") == "漢"
