"""The pages in a real browser: figures are zoomed and read, sliders moved, settings saved; nothing is complained of."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL
from test_page import charts_of, numbers

import windward as ww

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

#: What a browser is called, where the environment names none.
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

QUIET = SMALL.replace("internals = true", "")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("WINDWARD_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("there is no browser: install chromium, or name one in WINDWARD_BROWSER")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, headless=True, args=list(FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page, what it complained of, and what it asked the network for."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)

    def end(self) -> None:
        self.context.close()
        assert self.said == []


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "small.toml").write_text(QUIET)
    compared = ww.load(folder / "small.toml").compare(emulate=False, output=folder / "kept")
    return compared.report(folder / "report.html")


def pointed(page: Any, key: str, share: float) -> dict[str, str]:
    """What the first panel of a figure says where the pointer is, at a share of its width."""
    plot = page.locator(f"#chart-{key} .plot").first
    plot.scroll_into_view_if_needed()
    over = plot.locator(".u-over").bounding_box()
    page.mouse.move(over["x"] + share * over["width"], over["y"] + over["height"] / 2)
    keys = page.locator(f"#chart-{key} figure").first.locator("figcaption span")
    return dict(
        zip(
            keys.evaluate_all("all => all.map(one => one.title)"), keys.locator("output").all_inner_texts(), strict=True
        )
    )


def test_a_figure_is_read_by_pointing_and_zoomed_by_dragging(browser: Any, report: Path) -> None:
    watched = Watched(browser, report.as_uri())
    page = watched.page
    values = pointed(page, "windows", 0.5)
    (chart,) = (chart for chart in charts_of(report.read_text()) if chart["key"] == "windows")
    at = page.locator("#chart-windows .at").inner_text()
    seconds = float(re.fullmatch(r"at ([\d.]+) s", at)[1])
    assert seconds == pytest.approx(2.5, abs=0.03)
    own = next(line for line in chart["panels"][0]["lines"] if line["name"] == "reno")
    x = numbers(chart["x"])
    nearest = int(abs(x - seconds).argmin())
    assert float(values["reno"]) == pytest.approx(numbers(own["y"])[nearest], rel=0.01)
    # All figures over time say what they have there.
    page.locator("#chart-rates").scroll_into_view_if_needed()
    pointed(page, "windows", 0.5)
    assert page.locator("#chart-windows .at").inner_text() == at

    plot = page.locator("#chart-windows .u-over").first.bounding_box()
    y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + 0.2 * plot["width"], y)
    page.mouse.down()
    page.mouse.move(plot["x"] + 0.3 * plot["width"], y, steps=4)
    page.mouse.move(plot["x"] + 0.4 * plot["width"], y, steps=4)
    page.mouse.up()
    assert page.locator("#whole").is_visible()
    pointed(page, "windows", 0.5)
    # The middle of what is in sight: 0.3 of 5 s.
    found = page.locator("#chart-windows .at").inner_text()
    assert float(re.fullmatch(r"at ([\d.]+) s", found)[1]) == pytest.approx(1.5, abs=0.05)
    page.keyboard.press("Escape")
    assert page.locator("#whole").is_hidden()
    # Nothing but the file itself was asked for.
    assert watched.asked == [report.as_uri()]
    watched.end()


def test_a_figure_is_read_with_the_keyboard(browser: Any, report: Path) -> None:
    watched = Watched(browser, report.as_uri())
    page = watched.page
    plot = page.locator("#chart-windows .plot").first
    plot.scroll_into_view_if_needed()
    plot.locator(".uplot").wait_for()
    plot.focus()
    page.keyboard.press("End")
    assert page.locator("#chart-windows .at").inner_text() == "at 5.00 s"
    page.keyboard.press("ArrowLeft")
    first = page.locator("#chart-windows .at").inner_text()
    assert first != "at 5.00 s"
    page.keyboard.press("+")
    assert page.locator("#whole").is_visible()
    page.keyboard.press("-")
    assert page.locator("#whole").is_hidden()
    assert plot.get_attribute("aria-label").startswith("Windows")
    watched.end()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_reads_without_a_script_and_on_paper(browser: Any, report: Path, scheme: str) -> None:
    watched = Watched(browser, report.as_uri(), java_script_enabled=False, color_scheme=scheme)
    assert watched.page.locator("#chart-windows svg.still").first.is_visible()
    assert watched.page.locator("#chart-windows canvas").count() == 0
    watched.end()
    watched = Watched(browser, report.as_uri(), color_scheme=scheme)
    watched.page.locator("#chart-windows .plot").first.scroll_into_view_if_needed()
    watched.page.locator("#chart-windows .uplot").first.wait_for()
    assert watched.page.locator("#chart-windows svg.still").first.is_hidden()
    watched.page.emulate_media(media="print")
    assert watched.page.locator("#chart-windows svg.still").first.is_visible()
    assert watched.page.locator("#chart-windows .uplot").first.is_hidden()
    watched.end()


def test_a_figure_of_matplotlib_s_is_read_and_zoomed_too(browser: Any, small_run: ww.Run, tmp_path: Path) -> None:
    watched = Watched(browser, small_run.report(tmp_path / "page.html").as_uri())
    page = watched.page
    svg = page.locator("figure.drawn svg").first
    svg.scroll_into_view_if_needed()
    whole = svg.get_attribute("viewBox")
    left, top, width, height, begin, end, *_ = json.loads(svg.get_attribute("data-axes"))[0]
    box = svg.bounding_box()
    size = box["width"] / float(whole.split()[2])
    x, y = box["x"] + size * (left + width / 2), box["y"] + size * (top + height / 2)
    page.mouse.move(x, y)
    said = page.locator("figure.drawn .at").first.inner_text()
    assert float(re.match(r"x ([\d.]+), y ", said)[1]) == pytest.approx((begin + end) / 2, abs=0.02)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=4)
    page.mouse.up()
    assert float(svg.get_attribute("viewBox").split()[2]) == pytest.approx(60 / size, rel=0.05)
    page.keyboard.press("Escape")
    assert svg.get_attribute("viewBox").split() == [f"{float(side):g}" for side in whole.split()]
    watched.end()


def wide(page: Any) -> int:
    """By how much a page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_a_report_fits_a_telephone(browser: Any, report: Path) -> None:
    watched = Watched(browser, report.as_uri(), viewport={"width": 360, "height": 740})
    assert wide(watched.page) == 0
    watched.end()


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page of `windward explore`; each test opens it anew."""
    folder = tmp_path_factory.mktemp("explored")
    (folder / "small.toml").write_text(QUIET)
    command = [sys.executable, "-m", "windward", "explore", "small.toml", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def answered(page: Any, before: str | None = None) -> str:
    """Waits until all engines have answered, again if they have before; which question that was."""
    other = "" if before is None else f":not([data-done='{before}'])"
    page.locator(f"body[data-done]{other}").wait_for(timeout=60_000)
    return str(page.get_attribute("body", "data-done"))


def field(page: Any, *path: str | int) -> Any:
    """The control of a field."""
    return page.locator(f".field[data-path='{json.dumps(path, separators=(',', ':'))}']")


def drawing(page: Any, key: str) -> str:
    """What the first panel of a figure looks like."""
    return str(page.locator(f".live #chart-{key} canvas").first.evaluate("one => one.toDataURL()"))


def test_a_slider_moves_the_curves_and_the_optimum(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored, accept_downloads=True)
    page = watched.page
    done = answered(page)
    curve, best = drawing(page, "windows"), page.locator(".live td.of-optimum").first.inner_text()
    rate = field(page, "link", 0, "rate")
    slider = rate.locator("input[type=range]")
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(50)
    done = answered(page, done)
    page.locator("body:not(.busy)").wait_for()
    shown = rate.locator("input.value").input_value()
    assert shown == slider.get_attribute("aria-valuetext")
    assert float(shown.removesuffix(" Mbit/s")) > 5
    assert drawing(page, "windows") != curve
    assert page.locator(".live td.of-optimum").first.inner_text() != best
    assert shown in page.locator(".live .changes").inner_text()
    # It is saved as what is on the screen.
    with page.expect_download() as saved:
        page.click("#file")
    text = Path(saved.value.path()).read_text()
    assert saved.value.suggested_filename == "small.toml"
    assert tomllib.loads(text)["link"][0]["rate"] == shown
    with page.expect_download() as picture:
        page.click("#picture")
    assert Path(picture.value.path()).read_bytes().startswith(b"\x89PNG")
    # And back as in the file.
    rate.locator(".back").click()
    answered(page, done)
    page.locator("body:not(.busy)").wait_for()
    assert rate.locator("input.value").input_value() == "5 Mbit/s"
    assert page.locator(".live td.of-optimum").first.inner_text() == best
    watched.end()


def test_an_answer_that_comes_late_leaves_the_slider_where_it_is(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    rate = field(page, "link", 0, "rate")
    rate.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(40)
    # The engines are at it. The next step is kept from them for longer than they take.
    page.evaluate("() => { const real = setTimeout; setTimeout = (what, ms) => real(what, ms === 15 ? 3000 : ms); }")
    page.keyboard.press("ArrowRight")
    moved = rate.locator("input.value").input_value()
    answered(page, done)
    page.locator("body:not(.busy)").wait_for()
    assert rate.locator("input.value").input_value() == moved
    assert moved in page.locator(".live .changes").inner_text()
    watched.end()


def test_two_settings_are_pinned_side_by_side(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    page.click("#pin")
    field(page, "flow", 0, "law").locator("select").select_option("vegas")
    done = answered(page, done)
    assert field(page, "flow", 0, "law", "alpha").locator("input.value").input_value() == "2"
    page.click("#pin")
    exact = field(page, "link", 0, "loss").locator("input.value")
    exact.fill("1 %")
    exact.press("Enter")
    answered(page, done)
    said = page.locator(".column .changes").all_inner_texts()
    assert said == ["as in the file", "reno law vegas", "a->b loss 1 %, reno law vegas"]
    assert page.locator(".column").count() == 3
    assert page.locator("#pin").is_disabled()
    page.locator(".column").first.get_by_role("button", name="Unpin").click()
    assert page.locator(".column").count() == 2
    watched.end()


def test_what_cannot_be_is_said_and_mended(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    exact = field(page, "link", 0, "rate").locator("input.value")
    exact.fill("fast")
    exact.press("Enter")
    page.locator("#problem").wait_for()
    assert "rate" in page.locator("#problem").inner_text()
    exact.fill("6 Mbit/s")
    exact.press("Enter")
    answered(page, done)
    page.locator("#problem").wait_for(state="hidden")
    watched.end()


def test_every_control_has_a_name(browser: Any, explored: str) -> None:
    """What a screen reader says of it."""
    watched = Watched(browser, explored, viewport={"width": 360, "height": 740})
    page = watched.page
    answered(page)
    nameless = page.locator("input, select, button").evaluate_all(
        """all => all.filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
        .map(one => one.outerHTML)"""
    )
    assert nameless == []
    assert wide(page) == 0
    watched.end()
