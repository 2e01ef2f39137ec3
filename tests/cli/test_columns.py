"""Tables that answer the question asked: applications and datagrams in sweeps, chosen columns, endings of files."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli

import windward as ww
from windward._format.parse import parse
from windward.show import _tuning
from windward.show.digest._run import digests

HOME = """
name = "home"
duration = "4 s"
node = [{ name = "home" }, { name = "server" }]
link = [{ name = "line", from = "server", to = "home", rate = "5 Mbit/s", delay = "10 ms" }]
"""

#: Applications, and the columns that a sweep has for each without being asked.
COLUMNS = {
    'kind = "page"\nreading = "200 ms"': ["longest p50 of page loads", "longest p50 to a page's picture"],
    'kind = "video"': ["QoE per chunk", "mean bit rate of videos", "longest start of a video"],
    'kind = "call"': ["least MOS of calls", "datagrams received", "longest p95 delay of datagrams"],
    'kind = "game"': ["longest p50 of games' round trips", "lost datagrams"],
    'kind = "ping"': ["longest p95 delay of datagrams"],
}


@pytest.mark.parametrize("app", COLUMNS)
def test_a_sweep_has_columns_of_its_applications(app: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text(f'{HOME}[[app]]\nfrom = "home"\nto = "server"\n{app}\n')
    done = cli("sweep", "home.toml", "--set", "link.line.rate=5 Mbit/s,10 Mbit/s", "-o", "out")
    assert done.returncode == 0, done.stderr
    (head,) = (line for line in done.stdout.splitlines() if line.startswith("link.line.rate"))
    assert [name for name in COLUMNS[app] if name not in head] == []
    # Without flows there is no goodput: it is not zero.
    assert "goodput" not in head


def test_datagrams_received_are_a_figure_and_what_is_drawn(cli: Cli, tmp_path: Path) -> None:
    """An idle link carries all of a source: 2 Mbit/s of it, and none of the goodput of flows."""
    source = '[[background]]\nfrom = "server"\nto = "home"\npattern = { kind = "cbr", rate = "2 Mbit/s" }\n'
    path = tmp_path / "home.toml"
    path.write_text(HOME + source)
    sweep = ww.load(path).sweep({"link.line.rate": ["5 Mbit/s", "1 Mbit/s"]}, output=tmp_path / "out")
    assert list(sweep.means("received")["mean"]) == pytest.approx([2e6, 1e6], rel=0.01)
    assert sweep.means("goodput")["mean"].isna().all()
    drawn = cli("plot", "out")
    assert (drawn.returncode, drawn.stdout) == (0, "received.svg\n")


def test_columns_of_a_sweep_are_chosen(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text(HOME + '[[app]]\nkind = "page"\nfrom = "home"\nto = "server"\n')
    arguments = ("home.toml", "--set", "link.line.rate=5 Mbit/s,10 Mbit/s", "-o", "out")
    head = "link.line.rate  longest p99 of page loads  utilization"
    assert head in cli("sweep", *arguments, "--columns", "load-p99,utilization").stdout.splitlines()
    shown = cli("show", "out", "--columns", "load-p99,utilization")
    assert head in shown.stdout.splitlines()
    rows = cli("show", "out", "--columns", "load-p99", "--as", "csv").stdout.splitlines()
    assert rows[0] == "link.line.rate (Mbit/s),longest p99 of page loads (s)"
    wrong = cli("show", "out", "--columns", "load-99")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: the sweep has no column `load-99`; columns: goodput, ")
    assert wrong.stderr.endswith("hint: did you mean `load-p99`?\n")


def test_a_page_and_a_video_run_by_their_kind_alone(tmp_path: Path) -> None:
    """Means of 3GPP's model by hand: 10,710 B and six times 7758 B, and a pause of 130 ms in between."""
    (tmp_path / "home.toml").write_text(
        HOME
        + "".join(
            f'[[app]]\nname = "{kind}"\nkind = "{kind}"\nfrom = "home"\nto = "server"\n' for kind in ("page", "video")
        )
    )
    scenario = ww.load(tmp_path / "home.toml")
    run = scenario.simulate()
    first = run.objects[run.objects["visit"] == 0]
    assert sorted(first["size_bytes"]) == [*[7758] * 6, 10_710]
    named = first[first["object"] != "page"]["discovered_s"] - float(first[first["object"] == "page"]["end_s"].iloc[0])
    assert named.to_numpy() == pytest.approx(0.130)
    assert len(run.chunks) > 0


def test_two_rates_of_a_link_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "flat.toml").write_text("""
name = "flat"
duration = "500 ms"
node = [{ name = "AP" }, { name = "laptop" }]
flow = [{ from = "AP", to = "laptop", law = "reno" }]
[[wifi]]
name = "home"
standard = "802.11ac"
access_point = "AP"
station = [{ node = "AP", at = ["0 m", "0 m"] }, { node = "laptop", at = ["5 m", "0 m"] }]
""")
    rates = [name for table in digests(ww.load(tmp_path / "flat.toml").simulate()) for name in table.columns]
    assert (rates.count("rate"), rates.count("mean PHY rate")) == (1, 1)


def test_endings_of_files_may_be_upper_case(cli: Cli, scenario_file: Path) -> None:
    (scenario_file.parent / "x.JSON").write_text(parse(scenario_file).to_json())
    done = cli("simulate", "x.JSON", "--seeds", "1", "-q", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    drawn = cli("plot", "out", "--output", "x.PNG")
    assert (drawn.returncode, drawn.stdout) == (0, "x.PNG\n")
    assert json.loads((scenario_file.parent / "x.JSON").read_text())["name"] == "small"


@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "module://nowhere", "nonsense"])
def test_figures_need_no_backend(backend: str, scenario_file: Path) -> None:
    """A notebook names its own backend to the commands that it starts; they may have packages of their own."""
    folder = scenario_file.parent
    ww.load(scenario_file).simulate(seeds=1, output=folder / "run")
    named = os.environ | {"MPLBACKEND": backend}
    command = [sys.executable, "-m", "windward", "plot", "run", "--output", "x.png"]
    done = subprocess.run(command, cwd=folder, env=named, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "x.png\n", "")
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")


def test_a_cell_says_how_full_it_is(cli: Cli, tmp_path: Path) -> None:
    """Two stations with as many resource blocks each fill it; the busiest link alone has half of them."""
    stations = ", ".join(f'{{ node = "{name}", snr = "20 dB" }}' for name in ("u", "v"))
    flows = ", ".join(f'{{ from = "mast", to = "{name}", law = "cubic" }}' for name in ("u", "v"))
    (tmp_path / "s.toml").write_text(
        'name = "s"\nduration = "3 s"\nwarmup = "2 s"\nnode = [{ name = "mast" }, { name = "u" }, { name = "v" }]\n'
        f"flow = [{flows}]\n"
        '[[cell]]\nname = "c"\naccess_point = "mast"\ntechnology = "lte"\npreset = "lte-10mhz"\n'
        f'scheduler = "round-robin"\nstation = [{stations}]\n'
    )
    printed = cli("simulate", "s.toml").stdout
    (full,) = re.findall(r"^resource blocks of mast in use +([\d.]+) %$", printed, flags=re.MULTILINE)
    assert float(full) > 98
    assert "utilization of" not in printed


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("71.3546767021 ms", "71.3547 ms"),
        ("99.9999999999 ms", "100 ms"),
        ("10 packets", "10 packets"),
        ("0.805632", "0.805632"),
        ("fq-codel(target=5.123456 ms)", "fq-codel(target=5.123456 ms)"),
    ],
)
def test_values_of_a_tuning_have_six_digits(long: str, short: str) -> None:
    assert _tuning._short(long) == short
