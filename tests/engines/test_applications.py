"""Videos, games, pings and calls: tables, tables of text, sweeps, and streams that a law does not change."""

from pathlib import Path

import pytest
from conftest import REPOSITORY, Cli

import windward as ww

SCENARIO = """\
name = "home"
duration = "60 s"
node = [{ name = "home" }, { name = "server" }]
link = [{ name = "line", from = "server", to = "home", rate = "3 Mbit/s", delay = "10 ms", buffer = "100 ms" }]

[[app]]
kind = "video"
name = "film"
from = "home"
to = "server"
law = "cubic"
tcp = { stack = "linux" }
rule = "throughput"

[[app]]
kind = "game"
name = "game"
from = "home"
to = "server"

[[app]]
kind = "ping"
name = "ping"
from = "home"
to = "server"
"""


@pytest.fixture
def home(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "home.toml").write_text(SCENARIO, encoding="utf-8")
    return ww.load(tmp_path / "home.toml")


def test_a_run_has_a_row_for_each_video_chunk_and_direction(home: ww.Scenario) -> None:
    run = home.simulate()
    videos, chunks, sources = run.videos, run.chunks, run.background.set_index("source")
    assert list(videos["app"]) == ["film"]
    done = chunks.dropna(subset=["end_s"])
    assert videos["chunks"][0] == len(done) > 10
    assert list(chunks["number"]) == list(range(len(chunks)))
    measured = done["size_bytes"] * 8 / (done["end_s"] - done["asked_s"])
    assert (done["throughput_bps"] / measured - 1).abs().max() < 1e-9
    assert videos["mean_bitrate_bps"][0] == pytest.approx(done["bitrate_bps"].mean())
    assert videos["stalled_s"][0] == pytest.approx(chunks["stall_s"].sum())
    assert list(sources.index) == ["game:up", "game:down", "ping"]
    assert list(sources["from"]) == ["home", "server", "home"]
    # 1000/18.29, 1000/15.14 and 5 a second over a minute, the first two with deviations of some 25.
    assert sources["sent"].tolist() == pytest.approx([3281, 3964, 300], abs=130)
    # A round trip takes both ways.
    assert sources["delay_p50_s"]["ping"] > 0.02 > sources["delay_p50_s"]["game:up"] > 0.01
    ordered = sources[["delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_p999_s"]]
    assert (ordered.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)


def test_another_law_changes_no_datagram(tmp_path: Path) -> None:
    sent = []
    for law in ("cubic", "bbr"):
        (tmp_path / f"{law}.toml").write_text(SCENARIO.replace("cubic", law), encoding="utf-8")
        sent.append(list(ww.load(tmp_path / f"{law}.toml").simulate().background["sent"]))
    assert sent[0] == sent[1]


def test_chunks_may_have_sizes_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("level_1,level_2\n10000,90000\n20000,80000\n30000,70000\n", encoding="utf-8")
    text = SCENARIO.replace(
        'rule = "throughput"', 'rule = "buffer"\nsizes = "sizes.csv"\nladder = ["300 kbit/s", "1 Mbit/s"]'
    )
    (tmp_path / "home.toml").write_text(text, encoding="utf-8")
    chunks = ww.load(tmp_path / "home.toml").simulate().chunks
    # At 4 s and some 8 s of buffer the lowest level, in spite of a fast link.
    assert list(zip(chunks["level"], chunks["size_bytes"], strict=True)) == [(0, 10000), (0, 20000), (0, 30000)]


def test_the_command_shows_them_and_sweeps_keep_them(home: ww.Scenario, cli: Cli) -> None:
    done = cli("simulate", "home.toml")
    assert done.returncode == 0, done.stderr
    for word in ("film", "game:down", "ping", "QoE per chunk", "p99.9"):
        assert word in done.stdout
    runs = home.sweep({"link.line.rate": ["1 Mbit/s", "3 Mbit/s"]}).runs
    assert (runs["datagram_p50_s"] > 0.02).all()
    assert runs["bitrate_bps"][0] < runs["bitrate_bps"][1]
    assert runs["request_p95_s"].notna().all()
    assert cli("report", "results/home").returncode == 0


def test_the_scenario_of_the_repository_runs() -> None:
    run = ww.load(REPOSITORY / "scenarios" / "video.toml").simulate(seeds=1)
    assert run.videos["stalls"][0] == 0
    sources = run.background.set_index("source")
    # The download fills a buffer of 200 ms for a third of the time.
    assert sources["delay_p95_s"]["game:down"] > 0.1 > sources["delay_p50_s"]["game:up"]


PAGE = """\
name = "visit"
duration = "20 s"
node = [{ name = "home" }, { name = "server" }]
link = [{ name = "line", from = "server", to = "home", rate = "1 Gbit/s", delay = "50 ms" }]

[[app]]
kind = "page"
name = "page"
from = "home"
to = "server"
law = "reno"
objects = "page.json"
tls = 0
visits = 2
reading = "1 s"
reading_spread = "fixed"

[[app]]
kind = "call"
name = "call"
from = "home"
to = "server"
"""

OBJECTS = """\
{"objects": [
  {"name": "page", "size": "14480 B"},
  {"name": "style", "size": "14480 B", "blocking": true},
  {"name": "picture", "size": "14480 B", "parent": "style"}
]}
"""


@pytest.fixture
def visit(tmp_path: Path) -> ww.Scenario:
    (tmp_path / "visit.toml").write_text(PAGE, encoding="utf-8")
    (tmp_path / "page.json").write_text(OBJECTS, encoding="utf-8")
    return ww.load(tmp_path / "visit.toml")


def test_a_page_of_a_file_loads_in_its_round_trips(visit: ww.Scenario) -> None:
    run = visit.simulate()
    # Handshake, page, style sheet, picture: round trips of 100 ms, and less than 2 ms of transmission.
    assert run.visits["load_s"].tolist() == pytest.approx([0.4, 0.4], abs=0.002)
    assert run.visits["paint_s"].tolist() == pytest.approx([0.3, 0.3], abs=0.002)
    assert run.visits["start_s"].diff()[1] == pytest.approx(1.4, abs=0.002)
    assert run.objects["object"].tolist() == ["page", "style", "picture"] * 2
    assert run.objects["parent"].tolist() == ["page", "page", "style"] * 2
    assert run.pages["visits"][0] == 2
    # 60 ms of playout and 20 ms of speech after 50 ms, and no loss: R = 93.2 - 0.024 * 130.
    assert run.calls["source"].tolist() == ["call:up", "call:down"]
    assert run.calls["rating"].tolist() == pytest.approx([90.08, 90.08], abs=0.02)
    assert run.calls["mos"].tolist() == pytest.approx([4.34, 4.34], abs=0.01)


@pytest.mark.parametrize("engine", ["optimum", "fluid"])
def test_engines_without_browsers_say_so(visit: ww.Scenario, cli: Cli, engine: str) -> None:
    assert visit.name == "visit"
    refused = cli(engine, "visit.toml")
    assert refused.returncode == 2


def test_figures_of_applications_are_drawn(visit: ww.Scenario, home: ww.Scenario, tmp_path: Path) -> None:
    for scenario, kinds in ((visit, ("completion", "loads", "waterfall")), (home, ("completion", "video"))):
        run = scenario.simulate()
        for kind in kinds:
            run.plot(kind).savefig(tmp_path / f"{scenario.name}-{kind}.svg")
            assert (tmp_path / f"{scenario.name}-{kind}.svg").stat().st_size > 5000
    with pytest.raises(ValueError, match="no page"):
        home.simulate().plot("loads")


def test_the_command_shows_pages_and_calls(visit: ww.Scenario, cli: Cli) -> None:
    assert visit.name == "visit"
    done = cli("simulate", "visit.toml")
    assert done.returncode == 0, done.stderr
    for word in ("p50 load", "p50 picture", "mouth to ear", "MOS"):
        assert word in done.stdout
    assert cli("report", "results/visit").returncode == 0


def test_a_report_has_the_figures_of_its_applications(visit: ww.Scenario, home: ww.Scenario, tmp_path: Path) -> None:
    call = ww.load(_call(tmp_path))
    titles = {
        visit: ("Completion times of requests", "Load times of pages", "Waterfall of a page"),
        home: ("Completion times of requests", "Videos over time"),
        call: ("Video of calls over time",),
    }
    every = {title for own in titles.values() for title in own}
    for scenario, own in titles.items():
        page = scenario.simulate().report(tmp_path / f"{scenario.name}.html").read_text(encoding="utf-8")
        assert {title for title in every if f"<h3>{title}" in page or title in page} == set(own)


CALL = """\
name = "call"
duration = "60 s"
warmup = "30 s"
node = [{ name = "phone" }, { name = "server" }]
link = [{ name = "line", from = "phone", to = "server", rate = "1 Mbit/s", delay = "20 ms", buffer = "300 ms" }]

[[app]]
kind = "call"
name = "call"
from = "phone"
to = "server"
video = "nada"
"""


def _call(folder: Path) -> Path:
    (folder / "call.toml").write_text(CALL, encoding="utf-8")
    return folder / "call.toml"


def test_a_call_with_video_has_rows_a_series_and_a_figure(tmp_path: Path, cli: Cli) -> None:
    run = ww.load(_call(tmp_path)).simulate()
    videos, series = run.call_videos, run.call_video_series
    assert videos["source"].tolist() == ["call:video-up", "call:video-down"]
    # Speech of 48 kbit/s beside it, and reports of the other way: 52 to 76 B every 100 ms.
    for received in videos["received_bps"]:
        assert 0.93e6 < received < 0.948e6
    assert videos["target_bps"].tolist() == pytest.approx(videos["received_bps"].tolist(), rel=0.01)
    assert videos["loss"].tolist() == [0.0, 0.0] == videos["missed"].tolist()
    # 20 ms of propagation, 33 ms of pacing, a queue of some 16 ms.
    assert videos["frame_delay_p50_s"].tolist() == pytest.approx([0.075, 0.075], abs=0.015)
    own = series[series["source"] == "call:video-up"]
    assert own["target_bps"].iloc[-1] == pytest.approx(videos["target_bps"][0], rel=0.02)
    # Two lines of rates and one of delays for each direction.
    assert [len(axes.get_lines()) for axes in run.plot("call").axes] == [2, 1, 2, 1]
    done = cli("simulate", "call.toml")
    assert done.returncode == 0, done.stderr
    for word in ("video of a call", "p50 frame", "call:video-up", "MOS"):
        assert word in done.stdout


def test_laws_of_a_call_are_compared_by_a_sweep(tmp_path: Path) -> None:
    sweep = ww.load(_call(tmp_path)).sweep({"app.call.video": ["nada", "scream", "gcc"]}, seeds=1)
    table = sweep.runs
    assert (table["call_rate_bps"] > 0.7e6).all()
    assert (table["frame_p95_s"] < 0.2).all()
    assert (table["missed"] == 0).all()


def test_transfers_of_a_session_come_and_go() -> None:
    """Two users upload 1 MB, pause for 2 s, and upload again, beside two flows with starts of their own."""
    session = ww.Session(
        name="photos",
        from_="phone",
        to="server",
        law="cubic",
        arrivals=ww.format.ClosedArrivals(users=2, think="2 s", think_spread="fixed"),
        size="1 MB",
        direction="up",
    )
    scenario = ww.Scenario(
        name="session",
        duration="60 s",
        node=[ww.Node(name="phone"), ww.Node(name="server")],
        link=[ww.Link(from_="phone", to="server", rate="20 Mbit/s", delay="10 ms", buffer="100 ms")],
        app=[session],
        flow=[ww.Flow(from_="server", to="phone", law="cubic", size="2 MB", start=["10 s", "5 s"])],
    )
    run = scenario.simulate()
    requests = run.requests.dropna(subset=["end_s"])
    # Both begin at 2 s, share the link, and upload every 2 s + 0.8 s and more.
    assert requests["start_s"].head(2).tolist() == [2.0, 2.0]
    assert 30 < len(requests) <= 2 * 60 / 2.4
    assert requests["connection"].nunique() == len(requests)
    assert run.links["bytes"].max() == pytest.approx(1.05e6 * len(run.requests), rel=0.1)
    assert run.flows["flow"].tolist() == ["server->phone-1", "server->phone-2"]
    # A transfer of 2 MB takes 0.8 s and more.
    series = run.table("flow_series", 1).to_pandas()
    opened = series[series["cwnd"].notna()].groupby("flow", observed=True)["time_s"].min()
    assert opened.tolist() == pytest.approx([10.1, 5.1], abs=0.15)


def test_transfers_of_a_session_may_have_a_time() -> None:
    """A user downloads for 2 s, pauses for 1 s, and downloads again."""
    session = ww.Session(
        name="photos",
        from_="phone",
        to="server",
        law="reno",
        arrivals=ww.format.ClosedArrivals(users=1, think="1 s", think_spread="fixed"),
        on="2 s",
        on_spread="fixed",
    )
    scenario = ww.Scenario(
        name="session",
        duration="31 s",
        node=[ww.Node(name="phone"), ww.Node(name="server")],
        link=[ww.Link(from_="server", to="phone", rate="10 Mbit/s", delay="10 ms", buffer="20 packets")],
        app=[session],
    )
    run = scenario.simulate(seeds=1)
    done = run.requests.dropna(subset=["end_s"])
    assert len(done) == 10
    assert (done["end_s"] - done["start_s"]).tolist() == pytest.approx([2.05] * 10, abs=0.05)
    assert (8 * done["size_bytes"] / 2 / 9.65e6).tolist() == pytest.approx([0.95] * 10, abs=0.1)
    with pytest.raises(ValueError, match="its demand depends on the network"):
        scenario.optimum()
