"""The command line: whole outputs as snapshots, exit codes, nothing half-written.

WINDWARD_SNAPSHOTS=update writes the snapshots again; their diff is what a review looks at.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from conftest import SMALL, Cli, matches

import windward as ww
from windward import _engine


def test_simulate(cli: Cli, scenario_file: Path) -> None:
    matches("simulate", cli("simulate", scenario_file.name))


def test_show_says_what_simulate_said(cli: Cli, scenario_file: Path) -> None:
    simulated = cli("simulate", scenario_file.name)
    shown = cli("show", "results/small")
    assert shown.returncode == 0
    assert simulated.stdout == shown.stdout + "\nresults in results/small\n"


def test_many_flows_are_grouped(cli: Cli, scenario_file: Path) -> None:
    scenario_file.write_text(SMALL.replace("count = 2", "count = 24").replace("seeds = 3", "seeds = 1"))
    matches("simulate-many", cli("simulate", scenario_file.name))


#: Two stations whose transmissions fail now and then.
AIR = """
name = "air"
title = "Does a near station leave a far one its share?"
duration = "5 s"
seeds = 3
node = [{ name = "server" }, { name = "bs" }, { name = "near" }, { name = "far" }]

[[link]]
from = "server"
to = "bs"
rate = "50 Mbit/s"
delay = "10 ms"

[[cell]]
name = "downlink"
access_point = "bs"
slot = "1 ms"
symbol_rate = "2 Msymbol/s"
amc = { kind = "convolutional", target_error = 0.1 }
scheduler = "proportional-fair"
repair = { transmissions = 4 }
station = [{ node = "near", snr = "20 dB" }, { node = "far", snr = "8 dB" }]

[[link]]
from = "near"
to = "bs"
rate = "50 Mbit/s"
delay = "1 ms"
duplex = false

[[link]]
from = "far"
to = "bs"
rate = "50 Mbit/s"
delay = "1 ms"
duplex = false

[[flow]]
from = "server"
to = "near"
law = "cubic"

[[flow]]
from = "server"
to = "far"
law = "cubic"
"""


def test_stations_of_a_cell_have_a_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "air.toml").write_text(AIR)
    matches("simulate-cell", cli("simulate", "air.toml"))


def test_narrow_terminals_lose_columns_not_digits(small_run: ww.Run) -> None:
    from windward.show._terminal import _fit
    from windward.show.digest._run import digests

    flows = digests(small_run)[0]
    for width in (120, 80, 60, 40):
        fitting, left_out = _fit(flows, width)
        assert [*fitting.columns, *left_out] == flows.columns
        assert all(len("  ".join(row)) <= width for row in fitting.rows)
        assert [list(row) for row in fitting.rows] == [list(row[: len(fitting.columns)]) for row in flows.rows]


def test_check(cli: Cli, scenario_file: Path) -> None:
    matches("check", cli("check", scenario_file.name))


def test_laws(cli: Cli) -> None:
    result = cli("laws")
    assert result.returncode == 0
    for name in [*(law["name"] for law in _engine.laws()), "python"]:
        assert f"\n{name} " in result.stdout


def test_cite(cli: Cli, scenario_file: Path) -> None:
    scenario_file.write_text(SMALL.replace('cite = ["huang2020"]', 'cite = ["huang2020", "nobody1900"]'))
    result = cli("cite", scenario_file.name)
    assert result.returncode == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("@")] == [
        "@article{huang2020,",
        "@techreport{rfc5681,",
        "@techreport{rfc9438,",
    ]
    assert result.stderr == "note: the scenario cites `nobody1900`, which Windward does not know\n"


def test_schema_describes_the_scenario(cli: Cli, scenario_file: Path) -> None:
    schema = json.loads(cli("schema").stdout)
    # `tests/scenario/test_schema.py` checks that it is a schema.
    assert schema == _engine.schema()
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate({"name": "x", "duration": "1 s"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"name": "x", "duration": "1 s", "wamrup": "0 s"})


def test_json(cli: Cli, scenario_file: Path) -> None:
    result = cli("simulate", scenario_file.name, "--json", "--seeds", "2")
    summary = json.loads(result.stdout)
    assert summary["finished"] == [1, 2]
    assert summary == json.loads((scenario_file.parent / "results/small/summary.json").read_text())


def test_quiet(cli: Cli, scenario_file: Path) -> None:
    result = cli("simulate", scenario_file.name, "--quiet", "--seeds", "7,", "--output", "out")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert ww.open(scenario_file.parent / "out").seeds == (7,)


def test_ctrl_c_before_the_command_hears_it_ends_quietly(tmp_path: Path) -> None:
    """A Ctrl-C within the imports of the package itself: the first of them sends it."""
    (tmp_path / "lazy_loader.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    command = [sys.executable, "-m", "windward", "--version"]
    # The tests' own SIGINT may be ignored.
    started = subprocess.run(
        ["env", "--default-signal=INT", *command],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    # A shell makes 130 of it.
    assert (started.returncode, started.stdout, started.stderr) == (-signal.SIGINT, "", "")


def test_a_program_that_imports_the_package_keeps_its_own_ctrl_c() -> None:
    code = "import signal, windward; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    command = ["env", "--default-signal=INT", sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n"


def test_help_of_a_link_does_not_build_the_classes_of_scenarios() -> None:
    code = (
        "import sys, windward._cli.link; from windward._cli.main import app\n"
        "try: app(['link', '--help'])\n"
        "finally: print('windward.format' in sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.splitlines()[-1] == "False"


def test_carriers_of_a_link_are_those_of_scenarios() -> None:
    from typing import get_args

    from windward.format import Preset
    from windward.transfer._cell import PRESETS

    assert tuple(name for one in get_args(Preset) for name in get_args(one)) == PRESETS


def test_help_and_version_do_not_wait_for_numpy(cli: Cli) -> None:
    assert cli("--version").stdout == f"windward {ww.__version__}\n"
    code = (
        "import sys, windward._cli.main; print(*sorted({'numpy', 'pandas', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""
    usage = cli("--help")
    assert usage.returncode == 0
    for command in ("simulate", "show", "plot", "report", "check", "schema", "laws", "cite"):
        assert command in usage.stdout


@pytest.mark.parametrize(
    ("command", "usage"),
    [("simulate", "FILE"), ("get", "URL…"), ("init", "[NAME]"), ("kernel load", "LAW [PARAMETER=VALUE]")],
)
def test_usage_names_the_arguments(cli: Cli, command: str, usage: str) -> None:
    shown = cli(*command.split(), "--help").stdout.splitlines()[0]
    # The least Typer has no brackets around an optional argument with a name of its own.
    plain = usage.replace("[PARAMETER=VALUE]", "PARAMETER=VALUE")
    assert shown.endswith((f"windward {command} [OPTIONS] {usage}", f"windward {command} [OPTIONS] {plain}"))


REFUSED = {
    "no-such-file": ["simulate", "nowhere.toml"],
    "not-toml": ["simulate", "broken.toml"],
    "not-text": ["check", "binary.toml"],
    "unknown-law": ["simulate", "unknown.toml"],
    "output-is-a-file": ["simulate", "small.toml", "--output", "small.toml"],
    "output-is-something-else": ["simulate", "small.toml", "--output", "foreign"],
    "seeds-no-number": ["simulate", "small.toml", "--seeds", "many"],
    "seeds-twice": ["simulate", "small.toml", "--seeds", "4,4"],
    "no-such-run": ["show", "results/none"],
    "no-run": ["report", "foreign"],
    "law-file-missing": ["simulate", "own.toml"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str, cli: Cli, scenario_file: Path) -> None:
    folder = scenario_file.parent
    (folder / "broken.toml").write_text(SMALL.replace('name = "b"', 'name = "b'))
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (folder / "unknown.toml").write_text(SMALL.replace('law = "reno"', 'law = "rneo"'))
    own = '{ name = "python", class = "mine.py:Mine" }'
    (folder / "own.toml").write_text(SMALL.replace('law = "reno"', f"law = {own}"))
    (folder / "foreign").mkdir()
    (folder / "foreign" / "thesis.tex").touch()
    before = sorted(folder.rglob("*"))
    result = cli(*REFUSED[name])
    matches(f"refused-{name}", result)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert sorted(folder.rglob("*")) == before


def test_refused_figures(cli: Cli, scenario_file: Path) -> None:
    cli("simulate", scenario_file.name, "--quiet", "--seeds", "1")
    matches("refused-figure", cli("plot", "results/small", "--what", "windwos"))
    matches("refused-figure-format", cli("plot", "results/small", "--output", "windows.gif"))
    matches("refused-figure-seed", cli("plot", "results/small", "--seed", "9"))
    matches("refused-figure-folder", cli("plot", "results/small", "--output", "nowhere/windows.svg"))


def test_plot_and_report(cli: Cli, scenario_file: Path) -> None:
    cli("simulate", scenario_file.name, "--quiet", "--seeds", "1")
    for name in ("windows.svg", "rates.pdf", "queues.png"):
        what = name.partition(".")[0]
        result = cli("plot", "results/small", "--what", what, "-o", name)
        assert (result.returncode, result.stdout, result.stderr) == (0, f"{name}\n", "")
        assert (scenario_file.parent / name).stat().st_size > 5000
    assert cli("report", "results/small").stdout == "results/small/report.html\n"
    assert cli("report", "results/small", "-o", "page.html").returncode == 0
    assert (scenario_file.parent / "page.html").read_bytes() == (
        scenario_file.parent / "results/small/report.html"
    ).read_bytes()


def test_help_lists_every_figure(cli: Cli) -> None:
    """The list of a result's figures is the one that draws them."""
    from windward.show.plot import FIGURES

    # Lines may end at a hyphen.
    text = " ".join(cli("plot", "--help").stdout.split()).replace("- ", "-")
    for kinds in FIGURES.values():
        assert ", ".join(kinds) in text
