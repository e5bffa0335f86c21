"""The report in a real browser: it works alone, by keyboard, and no text in it is more than text.

Each safety that the page rests on is taken away once, and the same visit must find that.
"""

import json
import re

import pytest

from callgate.cli.main import main
from callgate.diagrams.report import page as making
from callgate.diagrams.report.page import embed, report
from callgate.diagrams.report.telling import ITEMS_MAX, TEXT_MAX, cut, report_data
from callgate.journal.record import Record, dumps
from tests.browser import Visit, browser
from tests.diagrams.runs.acting import five, hostile, many, several
from tests.journal.histories import HOSTILE, vector_records

PROBE = """async () => {
  const script = document.createElement("script");
  try { script.textContent = "window.foreign = true"; document.head.append(script); } catch {}
  const image = new Image();
  const failed = new Promise((done) => { image.onerror = done; });
  image.src = "https://example.invalid/x.png";
  await failed;
  return window.foreign === true;
}"""


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture
def visit(chromium):
    visits = []

    def open_page(text, tmp_path, **options):
        file = tmp_path / "run.html"
        file.write_text(text, encoding="utf-8")
        visits.append(Visit(chromium, **options))
        return visits[-1], visits[-1].open(file)

    yield open_page
    for each in visits:
        each.close()


def at(page):
    return page.locator("#position").inner_text()


def problems(visited, page, events):
    """Use the whole page, and list whatever a safe and working one would not do."""
    found = []
    if page.locator("#events [role=option]").count():
        for _ in range(events):
            page.keyboard.press("ArrowRight")
        for text in ("alert", "</script", "onerror"):
            page.fill("#search", text)
        page.keyboard.press("Escape")
        page.locator("#calls .who").first.click()
        page.keyboard.press("Escape")
    else:
        found.append("no events are shown")
    found += [f"said: {text}" for text in visited.said]
    if page.locator("img, iframe, object, embed, link, form").count():
        found.append("a text became an element")
    if page.locator("script").count() != 2:
        found.append("there are more scripts than two")
    found += [f"asked for {url}" for url in visited.requests if url != page.url]
    if page.evaluate(PROBE):
        found.append("a foreign script runs")
    found += [f"would ask for {url}" for url, why in visited.failed if why != "csp"]
    return found


@pytest.mark.parametrize("make", [five, several, hostile])
def test_the_page_works_alone_and_asks_for_nothing(make, visit, tmp_path):
    record = make()
    visited, page = visit(report(record), tmp_path)
    assert problems(visited, page, len(record.events)) == []


def no_escaping(monkeypatch):
    monkeypatch.setattr(making, "_ESCAPES", {})


def outside_script(monkeypatch):
    add(monkeypatch, "</head>", '<script src="https://example.invalid/x.js"></script></head>')


def outside_style(monkeypatch):
    style = '<link rel="stylesheet" href="https://example.invalid/x.css"></head>'
    add(monkeypatch, "</head>", style)


def no_policy(monkeypatch):
    add(monkeypatch, re.compile(r"<meta http-equiv[^\n]*\n"), "")


def weak_policy(monkeypatch):
    weak = "default-src 'unsafe-inline' https:; script-src 'unsafe-inline' https:"
    monkeypatch.setattr(making, "_POLICY", weak)


def wrong_hash(monkeypatch):
    monkeypatch.setattr(making, "_hash", lambda text: "A" * 43 + "=")


def markup(monkeypatch):
    add(monkeypatch, "into.append(shown);", "into.innerHTML = shown;")


def markup_without_policy(monkeypatch):
    no_policy(monkeypatch)
    markup(monkeypatch)


def add(monkeypatch, old, new):
    """Change the page where it is read, and insist that something was changed."""
    read = making._text

    def changed(name):
        text = read(name)
        return old.sub(new, text) if isinstance(old, re.Pattern) else text.replace(old, new)

    assert any(changed(name) != read(name) for name in ("page.html", *making.SCRIPTS))
    monkeypatch.setattr(making, "_text", changed)


MUTANTS = {
    no_escaping: "no events are shown",
    outside_script: "there are more scripts than two",
    outside_style: "a text became an element",
    no_policy: "a foreign script runs",
    weak_policy: "would ask for https://example.invalid/x.png",
    wrong_hash: "no events are shown",
    markup: "TrustedHTML",
    markup_without_policy: "dialog: 1",
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_each_safety_that_is_taken_away_is_missed(mutant, monkeypatch, visit, tmp_path):
    record = hostile()
    mutant(monkeypatch)
    visited, page = visit(report(record), tmp_path)
    found = problems(visited, page, len(record.events))
    assert any(MUTANTS[mutant] in problem for problem in found), found


def test_step_by_keyboard_and_by_button(visit, tmp_path):
    _, page = visit(report(five()), tmp_path)
    assert at(page) == "event 1 of 13 · 0 ms"
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Next event").click()
    assert at(page) == "event 3 of 13 · 90 ms"
    page.keyboard.press("ArrowLeft")
    assert at(page) == "event 2 of 13 · 40 ms"
    page.keyboard.press("End")
    assert at(page) == "event 13 of 13 · 4.11 s"
    assert page.get_by_role("button", name="Next event").is_disabled()
    page.keyboard.press("Home")
    page.get_by_role("slider", name="Event").focus()
    page.keyboard.press("ArrowRight")
    assert at(page).startswith("event 2 ")
    page.locator("#events [role=option]").nth(6).click()
    assert at(page) == "event 7 of 13 · 2.30 s"


def states(page):
    rows = page.locator("#calls [role=listitem]")
    return [rows.nth(n).locator(".state span").inner_text() for n in range(rows.count())]


def test_each_call_has_its_state_at_each_event(visit, tmp_path):
    """What the page finds by search is compared with the kernel's own states, event by event."""
    record = five()
    data = report_data(record, "x")
    _, page = visit(report(record), tmp_path)
    known = dict.fromkeys((call["serial"] for call in data["calls"]), "not submitted yet")
    for event in data["events"]:
        known.update(dict(event["now"]))
        assert states(page) == list(known.values())
        page.keyboard.press("ArrowRight")


def test_the_effects_and_the_changes_of_an_event_are_told(visit, tmp_path):
    _, page = visit(report(five()), tmp_path)
    page.locator("#events [role=option]").nth(6).click()
    assert page.locator("#detail-title").inner_text() == "Approval answered · c2 · at 2.30 s"
    effects = page.locator("#detail .effect strong").all_inner_texts()
    assert effects == ["Moved", "Moved", "Execute", "Moved", "Execute", "Moved", "Execute"]
    assert "order" in page.locator("#detail .effect").nth(2).inner_text()
    change = page.locator("#detail .change").first.inner_text()
    assert re.sub(r"\s+", " ", change) == "c2 awaiting approval → executing"
    assert page.locator("#calls .touched .who").all_inner_texts() != []


def test_search_finds_arguments_and_output(visit, tmp_path):
    _, page = visit(report(five()), tmp_path)
    page.keyboard.press("/")
    page.keyboard.type("NO SUCH HOST")
    assert page.locator("#found").inner_text() == "1 event"
    assert page.locator("#events [role=option]").count() == 1
    assert at(page).startswith("event 11 of 13")
    assert page.locator("#detail mark").first.inner_text() == "no such host"
    page.fill("#search", "nothing like it")
    assert page.locator("#found").inner_text() == "0 events"
    assert page.locator("#detail-title").inner_text() == "Nothing found"
    page.keyboard.press("Escape")
    assert page.locator("#events [role=option]").count() == 13
    assert at(page).startswith("event 11 of 13"), "the place is kept"


def test_a_call_can_be_followed_alone(visit, tmp_path):
    _, page = visit(report(five()), tmp_path)
    page.locator("#calls .who").nth(3).click()
    assert "of c4 only" in page.locator("#events-title").inner_text()
    whats = page.locator("#events .what").all_inner_texts()
    assert whats.count("Execution finished") == 2
    assert page.locator("#calls .who[aria-pressed=true]").count() == 1


def test_hostile_texts_are_shown_spelled_and_searched(visit, tmp_path):
    visited, page = visit(report(hostile(), title=HOSTILE[0]), tmp_path)
    assert page.locator("h1").inner_text() == HOSTILE[0]
    assert HOSTILE[0] in page.title()
    names = page.locator("#calls .who b").all_text_contents()
    assert names[0] == f"c0{HOSTILE[0]}"
    assert names[5] == "c5\\u{202e}right to left"
    assert names[2] == "c2\\u{d800} alone \\u{dfff}"
    page.fill("#search", HOSTILE[1].upper())
    assert page.locator("#events [role=option]").count() >= 3
    assert visited.said == []


def test_names_for_who_does_not_see_the_page(visit, tmp_path):
    _, page = visit(report(several()), tmp_path)
    for button in page.get_by_role("button").all():
        assert button.get_attribute("aria-label") or button.inner_text().strip()
    assert page.get_by_role("searchbox", name="Search events, arguments and output").count() == 1
    chosen = page.locator("#events").get_attribute("aria-activedescendant")
    assert page.locator(f"#{chosen}").get_attribute("aria-selected") == "true"
    assert page.locator("#position").get_attribute("aria-live") == "polite"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "search"
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize(("scheme", "page_colour"), [("light", "255, 255"), ("dark", "13, 17")])
def test_light_and_dark_by_system_and_by_choice(scheme, page_colour, visit, tmp_path):
    visited, page = visit(report(five()), tmp_path, color_scheme=scheme)
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page_colour in page.evaluate(colour)
    page.get_by_role("button", name="Theme").click()
    assert "255, 255" in page.evaluate(colour)
    page.get_by_role("button", name="Theme").click()
    assert "13, 17" in page.evaluate(colour)
    assert visited.said == []


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_off_on_a_small_screen(width, visit, tmp_path):
    _, page = visit(report(five()), tmp_path, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#calls .who").first.is_visible()


def test_ten_thousand_events_stay_usable(visit, tmp_path):
    record = many(4_900)
    assert len(record.events) >= 10_000
    visited, page = visit(report(record), tmp_path)
    spent = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert spent < 10_000, "milliseconds until it can be used; about 500 where this was written"
    assert page.locator("#events [role=option]").count() < 100, "only the rows in sight"
    assert page.locator("#calls [role=listitem]").count() < 100
    page.keyboard.press("End")
    assert at(page).startswith(f"event {len(record.events):,} of")
    timed = """() => { const start = performance.now();
      for (let n = 0; n < 100; n++) document.getElementById("previous").click();
      return (performance.now() - start) / 100; }"""
    assert page.evaluate(timed) < 200, "milliseconds a step"
    assert page.locator("#events [role=option]").count() < 100, "rows out of sight are gone"
    page.fill("#search", "number 4321")
    assert page.locator("#found").inner_text() == "2 events", "validated, and declined"
    assert visited.said == []


def test_every_vector_makes_a_page(visit, tmp_path):
    _, page = visit(report(Record()), tmp_path)
    assert page.locator("#detail-title").inner_text() == "An empty run"
    for record in vector_records():
        assert embed(report_data(record, "x")) in report(record, "x")


def test_the_data_block_is_what_was_put_in():
    record = hostile()
    text = report(record, "@@data@@ </script>")
    block = re.search(r'<script type="application/json" id="run">(.*?)</script>', text, re.S)
    assert json.loads(block.group(1)) == report_data(record, "@@data@@ </script>")
    assert not set(block.group(1)) & set("<>&\u2028\u2029")


def test_what_is_too_long_is_cut_and_says_so():
    assert cut("x" * TEXT_MAX) == "x" * TEXT_MAX
    assert cut("x" * (TEXT_MAX + 1)).endswith(f"(cut: {TEXT_MAX} of {TEXT_MAX + 1} characters)")
    assert cut([0] * (ITEMS_MAX + 2))[-1] == "… (cut: 2 more)"
    assert len(cut({str(n): n for n in range(ITEMS_MAX + 5)})) == ITEMS_MAX + 1


def test_the_command_writes_the_page(tmp_path, capfdbinary):
    run = tmp_path / "run.jsonl"
    run.write_text(dumps(five()), encoding="ascii")
    assert main(["report", str(run), "-o", str(tmp_path / "run.html"), "--title", "five"]) == 0
    written = (tmp_path / "run.html").read_bytes()
    assert main(["report", str(run), "--title", "five"]) == 0
    assert capfdbinary.readouterr().out == written
    assert b"<title>five " in written
