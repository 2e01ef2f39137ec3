"""The pages in a real browser: figures are zoomed and read, sliders moved, settings saved; nothing is complained of.

A page answers when the machine lets it: what is read of one is waited for.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

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

#: How long a page may take, on a machine that is busy with other work.
PATIENCE_MS = 60_000

Value = TypeVar("Value")

expect = playwright.expect
expect.set_options(timeout=PATIENCE_MS)


def awaited(page: Any, read: Callable[[], Value], holds: Callable[[Value], object]) -> Value:
    """Value read from a page, as soon as it meets the condition."""
    for _ in range(PATIENCE_MS // 50):
        value = read()
        if holds(value):
            return value
        page.wait_for_timeout(50)
    pytest.fail(f"not in {PATIENCE_MS // 1000} s; last: {value!r}")


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
        self.context.set_default_timeout(PATIENCE_MS)
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


#: The place that a figure says, and what it says each line has there, in one look.
SAID = """chart => {
    const spans = [...chart.querySelector("figure figcaption").querySelectorAll("span")];
    const values = spans.map(one => [one.title, one.querySelector("output")?.textContent]);
    return [chart.querySelector(".at").textContent, values];
}"""


def seconds(at: str) -> float:
    """The time that a figure says; not a number where it says none."""
    found = re.fullmatch(r"at ([\d.]+) s", at)
    return float(found[1]) if found else math.nan


def pointed(page: Any, key: str, share: float, time: float, within: float) -> tuple[str, dict[str, str]]:
    """Points at a share of the first panel's width, until the figure says that this is about `time`; what it says."""
    chart = page.locator(f"#chart-{key}")
    plot = chart.locator(".plot").first

    def read() -> tuple[str, dict[str, str]]:
        # Figures above that are drawn only now may have moved it.
        plot.scroll_into_view_if_needed()
        over = plot.locator(".u-over").bounding_box()
        x, y = over["x"] + share * over["width"], over["y"] + over["height"] / 2
        page.mouse.move(x, y - 1)
        page.mouse.move(x, y)
        at, values = chart.evaluate(SAID)
        return at, dict(values)

    return awaited(page, read, lambda said: abs(seconds(said[0]) - time) <= within)


def test_a_figure_is_read_by_pointing_and_zoomed_by_dragging(browser: Any, report: Path) -> None:
    watched = Watched(browser, report.as_uri())
    page = watched.page
    # All figures over time are drawn, and say what they have there.
    page.locator("#chart-rates").scroll_into_view_if_needed()
    page.locator("#chart-rates .uplot").first.wait_for()
    at, values = pointed(page, "windows", 0.5, 2.5, within=0.03)
    (chart,) = (chart for chart in charts_of(report.read_text()) if chart["key"] == "windows")
    own = next(line for line in chart["panels"][0]["lines"] if line["name"] == "reno")
    x = numbers(chart["x"])
    nearest = int(abs(x - seconds(at)).argmin())
    assert float(values["reno"]) == pytest.approx(numbers(own["y"])[nearest], rel=0.01)
    expect(page.locator("#chart-rates .at")).to_have_text(at)

    plot = page.locator("#chart-windows .u-over").first.bounding_box()
    y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + 0.2 * plot["width"], y)
    page.mouse.down()
    page.mouse.move(plot["x"] + 0.3 * plot["width"], y, steps=4)
    page.mouse.move(plot["x"] + 0.4 * plot["width"], y, steps=4)
    page.mouse.up()
    expect(page.locator("#whole")).to_be_visible()
    # The middle of what is in sight: 0.3 of 5 s.
    pointed(page, "windows", 0.5, 1.5, within=0.05)
    page.keyboard.press("Escape")
    expect(page.locator("#whole")).to_be_hidden()
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
    expect(page.locator("#chart-windows .at")).to_have_text("at 5.00 s")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#chart-windows .at")).to_have_text(re.compile(r"at 4\.\d\d s"))
    page.keyboard.press("+")
    expect(page.locator("#whole")).to_be_visible()
    page.keyboard.press("-")
    expect(page.locator("#whole")).to_be_hidden()
    expect(plot).to_have_attribute("aria-label", re.compile("^Windows"))
    watched.end()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_reads_without_a_script_and_on_paper(browser: Any, report: Path, scheme: str) -> None:
    watched = Watched(browser, report.as_uri(), java_script_enabled=False, color_scheme=scheme)
    expect(watched.page.locator("#chart-windows svg.still").first).to_be_visible()
    expect(watched.page.locator("#chart-windows canvas")).to_have_count(0)
    watched.end()
    watched = Watched(browser, report.as_uri(), color_scheme=scheme)
    watched.page.locator("#chart-windows .plot").first.scroll_into_view_if_needed()
    watched.page.locator("#chart-windows .uplot").first.wait_for()
    expect(watched.page.locator("#chart-windows svg.still").first).to_be_hidden()
    watched.page.emulate_media(media="print")
    expect(watched.page.locator("#chart-windows svg.still").first).to_be_visible()
    expect(watched.page.locator("#chart-windows .uplot").first).to_be_hidden()
    # On paper the same, however dark the screen is that it is printed from.
    style = "one => [getComputedStyle(one).stroke, getComputedStyle(one).strokeWidth]"
    assert watched.page.locator("#chart-windows path.line.c0").first.evaluate(style) == ["rgb(0, 114, 178)", "14px"]
    assert watched.page.locator("h1").evaluate("one => getComputedStyle(one).color") == "rgb(0, 0, 0)"
    watched.end()


def test_a_figure_of_matplotlib_s_is_read_and_zoomed_too(browser: Any, small_run: ww.Run, tmp_path: Path) -> None:
    watched = Watched(browser, small_run.report(tmp_path / "page.html").as_uri())
    page = watched.page
    svg = page.locator("figure.drawn svg").first
    svg.scroll_into_view_if_needed()
    whole = svg.get_attribute("viewBox")
    left, top, width, height, begin, end, *_ = json.loads(svg.get_attribute("data-axes"))[0]
    said = page.locator("figure.drawn .at").first

    def point() -> tuple[float, float, float, float]:
        """Points at the middle of the axes: where that is, the size of a unit, and the value there."""
        box = svg.bounding_box()
        size = box["width"] / float(whole.split()[2])
        x, y = box["x"] + size * (left + width / 2), box["y"] + size * (top + height / 2)
        page.mouse.move(x, y - 1)
        page.mouse.move(x, y)
        found = re.match(r"x ([\d.]+), y ", said.inner_text())
        return x, y, size, float(found[1]) if found else math.nan

    x, y, size, _ = awaited(page, point, lambda found: abs(found[3] - (begin + end) / 2) <= 0.02)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=4)
    page.mouse.up()
    expect(svg).not_to_have_attribute("viewBox", whole)
    assert float(svg.get_attribute("viewBox").split()[2]) == pytest.approx(60 / size, rel=0.05)
    page.keyboard.press("Escape")
    expect(svg).to_have_attribute("viewBox", " ".join(f"{float(side):g}" for side in whole.split()))
    watched.end()


def expect_no_wider(page: Any) -> None:
    """Waits until a page is no wider than its window."""
    page.wait_for_function("() => document.documentElement.scrollWidth === document.documentElement.clientWidth")


def test_a_report_fits_a_telephone(browser: Any, report: Path) -> None:
    watched = Watched(browser, report.as_uri(), viewport={"width": 360, "height": 740})
    watched.page.locator("#chart-windows .plot").first.scroll_into_view_if_needed()
    watched.page.locator("#chart-windows .uplot").first.wait_for()
    expect_no_wider(watched.page)
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
    """Waits until all engines have answered, the last question if they have before; which question that was."""
    other = "" if before is None else f":not([data-done='{before}'])"
    page.locator(f"body[data-done]{other}:not(.busy)").wait_for()
    return str(page.get_attribute("body", "data-done"))


def field(page: Any, *path: str | int) -> Any:
    """The control of a field."""
    return page.locator(f".field[data-path='{json.dumps(path, separators=(',', ':'))}']")


def drawing(page: Any, key: str) -> str:
    """Image of a figure's first panel, as a data URL."""
    return str(page.locator(f".live #chart-{key} canvas").first.evaluate("one => one.toDataURL()"))


def test_a_slider_moves_the_curves_and_the_optimum(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored, accept_downloads=True)
    page = watched.page
    done = answered(page)
    best_of = page.locator(".live td.of-optimum").first
    curve, best = drawing(page, "windows"), best_of.inner_text()
    rate = field(page, "link", 0, "rate")
    slider = rate.locator("input[type=range]")
    slider.focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    done = answered(page, done)
    shown = rate.locator("input.value").input_value()
    expect(slider).to_have_attribute("aria-valuetext", shown)
    assert float(shown.removesuffix(" Mbit/s")) > 5
    awaited(page, lambda: drawing(page, "windows"), lambda now: now != curve)
    expect(best_of).not_to_have_text(best)
    expect(page.locator(".live .changes")).to_contain_text(shown)
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
    expect(rate.locator("input.value")).to_have_value("5 Mbit/s")
    expect(best_of).to_have_text(best)
    watched.end()


def test_an_answer_that_comes_late_leaves_the_slider_where_it_is(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    rate = field(page, "link", 0, "rate")
    rate.locator("input[type=range]").focus()
    with page.expect_request("**/run"):
        page.keyboard.press("ArrowRight")
    # The engines are at it. The next step is kept from them for longer than they take.
    page.evaluate("() => { const real = setTimeout; setTimeout = (what, ms) => real(what, ms === 15 ? 3000 : ms); }")
    page.keyboard.press("ArrowRight")
    moved = rate.locator("input.value").input_value()
    answered(page, done)
    expect(rate.locator("input.value")).to_have_value(moved)
    expect(page.locator(".live .changes")).to_contain_text(moved)
    watched.end()


def test_two_settings_are_pinned_side_by_side(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    page.click("#pin")
    field(page, "flow", 0, "law").locator("select").select_option("vegas")
    done = answered(page, done)
    expect(field(page, "flow", 0, "law", "alpha").locator("input.value")).to_have_value("2")
    page.click("#pin")
    exact = field(page, "link", 0, "loss").locator("input.value")
    exact.fill("1 %")
    exact.press("Enter")
    answered(page, done)
    said = ["as in the file", "reno law vegas", "a->b loss 1 %, reno law vegas"]
    expect(page.locator(".column .changes")).to_have_text(said)
    expect(page.locator(".column")).to_have_count(3)
    expect(page.locator("#pin")).to_be_disabled()
    page.locator(".column").first.get_by_role("button", name="Unpin").click()
    expect(page.locator(".column")).to_have_count(2)
    watched.end()


def test_what_cannot_be_is_said_and_mended(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    exact = field(page, "link", 0, "rate").locator("input.value")
    exact.fill("fast")
    exact.press("Enter")
    expect(page.locator("#problem")).to_contain_text("rate")
    exact.fill("6 Mbit/s")
    exact.press("Enter")
    answered(page, done)
    expect(page.locator("#problem")).to_be_hidden()
    watched.end()


def test_every_control_has_a_name(browser: Any, explored: str) -> None:
    """Screen readers find a name for each control."""
    watched = Watched(browser, explored, viewport={"width": 360, "height": 740})
    page = watched.page
    answered(page)
    nameless = page.locator("input, select, button").evaluate_all(
        """all => all.filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
        .map(one => one.outerHTML)"""
    )
    assert nameless == []
    expect_no_wider(page)
    watched.end()


def test_pinned_settings_have_the_same_axes(browser: Any, explored: str) -> None:
    watched = Watched(browser, explored)
    page = watched.page
    done = answered(page)
    page.click("#pin")
    rate = field(page, "link", 0, "rate").locator("input.value")
    rate.fill("40 Mbit/s")
    rate.press("Enter")
    answered(page, done)

    def ends(column: int) -> list[list[float]]:
        return list(
            page.locator(f".column:nth-child({column})").evaluate(
                "one => [...one.querySelectorAll('.chart')].map(chart => Windward.ends(chart))"
            )
        )

    assert ends(1) == ends(2)
    # What is new reaches further than what was pinned alone.
    assert ends(1)[1][3] > 10
    # So do the strips: the same ticks, and the mark of the same rate in the same place.
    ticks = page.locator("svg.scale").evaluate_all("all => all.map(one => one.innerHTML)")
    assert ticks[0] == ticks[1]
    watched.end()


@pytest.mark.parametrize("width", [1280, 1920])
def test_round_trips_waits_and_losses_are_told_and_the_screen_is_used(browser: Any, explored: str, width: int) -> None:
    watched = Watched(browser, explored, viewport={"width": width, "height": 1000})
    page = watched.page
    answered(page)
    told = page.locator(".live .told th[scope=col]").all_inner_texts()
    assert {"mean RTT", "mean wait", "loss", "utilization"} <= set(told)
    boxes = [box.bounding_box() for box in page.locator(".live .chart").all()]
    beside = [box for box in boxes if box["y"] == boxes[0]["y"]]
    assert len(beside) == (1 if width == 1280 else 2)
    assert max(box["x"] + box["width"] for box in beside) > width - 60
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    watched.end()
