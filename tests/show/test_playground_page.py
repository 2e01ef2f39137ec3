"""The playground in a real browser: its tables are the command's to the byte, its address holds what is on the page.

The module of WebAssembly takes minutes to compile: `make playground` does it, and without it these tests are skipped.
"""

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, SMALL
from test_browser import Watched, answered, browser, expect_no_wider, field

from windward.show.page._playground import VARIABLE, fragment

sys.path.insert(0, str(REPOSITORY / "tools"))

import build_playground

__all__ = ["browser"]

MODULE = Path(os.environ.get("WINDWARD_MODULE", build_playground.MODULE))
pytestmark = pytest.mark.skipif(not MODULE.is_file(), reason="the playground is not built: make playground")

QUIET = SMALL.replace("internals = true", "")

#: The columns of the first seed's tables: their bytes in base64.
COLUMNS = """() => {
    const tables = playground.engine.last.outputs.get(1).tables;
    const bytes = column => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
    const packed = column => btoa(Array.from(bytes(column), byte => String.fromCharCode(byte)).join(""));
    return Object.fromEntries(Object.entries(tables).map(([kind, table]) =>
        [kind, Object.fromEntries(Object.entries(table).map(([name, column]) => [name, packed(column)]))]));
}"""


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page, in a folder."""
    return build_playground.build(MODULE, tmp_path_factory.mktemp("playground") / "playground.html").as_uri()


@pytest.mark.parametrize("name", ["headline", "flat", "lte", "household"])
def test_tables_are_those_of_the_command(browser: Any, playground: str, tmp_path: Path, name: str) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = REPOSITORY / "scenarios" / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "windward",
        "simulate",
        str(path),
        "--seeds",
        "1",
        "--output",
        str(tmp_path / "run"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    watched = Watched(browser, playground + fragment(text, build_playground.recordings(path, text)))
    answered(watched.page)
    own = watched.page.evaluate(COLUMNS)
    compared = 0
    for file in sorted((tmp_path / "run" / "seed-1").glob("*.parquet")):
        table = pq.read_table(file)
        for column in table.column_names:
            kind = table.schema.field(column).type
            # Names, and what the scenario says of an entity, are no columns of the engine.
            if hasattr(kind, "value_type") or str(kind) == "string" or column not in own[file.stem]:
                continue
            values = table.column(column).to_numpy()
            there = values.astype(np.uint8) if str(kind) == "bool" else values
            assert base64.b64decode(own[file.stem][column]) == there.tobytes(), f"{file.stem}.{column}"
            compared += 1
    assert compared > 40
    # One file, and workers that it made.
    assert {address.partition(":")[0] for address in watched.asked} == {"file", "blob"}
    watched.end()


def test_the_address_holds_what_is_on_the_page(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET))
    page = watched.page
    done = answered(page)
    rate = field(page, "link", 0, "rate").locator("input.value")
    rate.fill("3 Mbit/s")
    rate.press("Enter")
    done = answered(page, done)
    page.fill("#seeds", "2")
    page.locator("#seeds").press("Enter")
    answered(page, done)
    page.wait_for_function(
        "() => location.hash.length > 10 && playground.decoded(location.hash.slice(3)).then(state => state.n === 2)"
    )
    address, said = page.url, page.locator(".live .engines").inner_text()
    watched.end()
    other = Watched(browser, address)
    answered(other.page)
    assert other.page.locator(".live .engines").inner_text() == said
    assert "3 Mbit/s" in other.page.locator(".live .changes").inner_text()
    assert other.page.locator("#source textarea").input_value() == QUIET
    other.end()


def test_problems_are_at_their_lines_and_words_are_offered(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET))
    page = watched.page
    done = answered(page)
    area = page.locator("#source textarea")
    line = next(at for at, text in enumerate(QUIET.splitlines(), 1) if "rate" in text)
    area.fill(QUIET.replace("Mbit/s", "Mbit", 1))
    page.locator("#source .problems button").first.wait_for()
    assert page.locator("#source .problems button").first.inner_text() == f"line {line}"
    assert page.locator("#source .lines .bad").all_inner_texts() == [str(line)]
    page.locator("#source .problems button").first.click()
    assert "Mbit" in area.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)")
    area.fill(f"{QUIET}\n[[flow]]\nla")
    area.press("Control+ ")
    assert "law" in page.locator("#source .completions b").all_inner_texts()
    area.press("Enter")
    assert area.input_value().endswith("\nlaw = ")
    area.fill(QUIET.replace("reno", "vegas"))
    answered(page, done)
    assert page.locator("#source .problems").is_hidden()
    assert "vegas" in page.locator(".live .engines").inner_text()
    watched.end()


def test_two_settings_are_pinned_side_by_side(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET))
    page = watched.page
    done = answered(page)
    page.click("#pin")
    field(page, "flow", 0, "law").locator("select").select_option("vegas")
    answered(page, done)
    assert page.locator(".column .changes").all_inner_texts() == ["as in the file", "reno law vegas"]
    for box in page.locator("[name=figure]").all():
        box.check()
    done = page.get_attribute("body", "data-done")
    page.locator(".live #chart-fairness canvas").first.wait_for()
    watched.end()


def test_a_panic_is_told_and_the_engine_starts_again(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET))
    page = watched.page
    done = answered(page)
    said = page.evaluate("() => playground.engine.pool.ask({ do: 'dance' }).answer.catch(error => error.message)")
    assert "no such question" in said
    assert "started again" in said
    assert page.evaluate("() => playground.engine.pool.restarts") == 1
    field(page, "link", 0, "rate").locator("input.value").fill("2 Mbit/s")
    field(page, "link", 0, "rate").locator("input.value").press("Enter")
    answered(page, done)
    watched.end()


def test_python_is_refused_in_words(browser: Any, playground: str) -> None:
    text = QUIET.replace('law = "reno"', 'law = { name = "python", class = "mine.py:Mine" }', 1)
    watched = Watched(browser, playground + fragment(text))
    watched.page.locator("#problem", has_text="do not run in a browser").wait_for()
    watched.end()


def test_the_page_runs_no_other_script_and_asks_no_server(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET))
    page = watched.page
    answered(page)
    insert = "() => { const own = document.createElement('script'); own.textContent = 'window.ran = 1'; "
    insert += "document.body.append(own); return window.ran ?? 0; }"
    assert page.evaluate(insert) == 0
    assert page.evaluate("() => fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')") == "refused"
    assert any("Content Security Policy" in line for line in watched.said)
    watched.context.close()


def test_a_report_opens_its_scenario_there(
    browser: Any, playground: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import windward as ww

    (tmp_path / "small.toml").write_text(QUIET)
    monkeypatch.setenv(VARIABLE, playground)
    run = ww.load(tmp_path / "small.toml").simulate(seeds=1)
    watched = Watched(browser, run.report(tmp_path / "report.html").as_uri())
    watched.page.click("#change")
    answered(watched.page)
    assert watched.page.locator(".bar b").inner_text() == "small"
    watched.end()


def test_a_change_ends_the_run_before_it(browser: Any, playground: str) -> None:
    """A run of minutes shows what it has so far; the next setting is answered at once."""
    text = QUIET.replace("5 Mbit/s", "10 Gbit/s").replace('duration = "5 s"', 'duration = "1000 s"')
    assert "10 Gbit/s" in text
    watched = Watched(browser, playground + fragment(text))
    page = watched.page
    page.locator("#status", has_text="so far").wait_for()
    assert page.locator(".live #chart-windows canvas").count() >= 1
    for name, value in (("duration", "5 s"), ("warmup", "1 s")):
        entry = field(page, name).locator("input.value")
        entry.fill(value)
        entry.press("Enter")
    rate = field(page, "link", 0, "rate").locator("input.value")
    rate.fill("2 Mbit/s")
    rate.press("Enter")
    answered(page)
    assert page.evaluate("() => playground.engine.pool.restarts") >= 1
    assert "2 Mbit/s" in page.locator(".live .changes").inner_text()
    watched.end()


def test_every_control_has_a_name_on_a_telephone(browser: Any, playground: str) -> None:
    watched = Watched(browser, playground + fragment(QUIET), viewport={"width": 360, "height": 740})
    page = watched.page
    answered(page)
    nameless = page.locator("input, select, button, textarea").evaluate_all(
        """all => all.filter(one => !(one.labels?.length || one.getAttribute("aria-label") || one.textContent.trim()))
        .map(one => one.outerHTML)"""
    )
    assert nameless == []
    expect_no_wider(page)
    watched.end()
