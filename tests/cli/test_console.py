"""Terminal output: free of control characters from outside, in every encoding, also with closed streams."""

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SMALL, Cli, Get, environment
from web import Server, Site, noise

from windward import _console

#: A title that would name the window, empty the screen and turn all text red.
EVIL = r"hello \u001b]0;PWNED\u0007\u001b[2J\u001b[31m red \u009b31m \u202e"
SHORT = SMALL.replace('duration = "5 s"', 'duration = "1 s"').replace('warmup = "1 s"', 'warmup = "0 s"')


def run(folder: Path, *arguments: str, shell: str = "", **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the command line by a shell, with redirections behind it."""
    command = ["sh", "-c", f'exec "$0" -m windward "$@" {shell}', sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment() | variables, capture_output=True, timeout=60)


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A result of a scenario with control characters in its title, and the scenario."""
    file = tmp_path / "evil.toml"
    file.write_text(SHORT.replace("Do Reno and CUBIC share a link?", EVIL), encoding="utf-8")
    return file


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert _console.visible("a\tb\nc\r\nd äöü … 日本") == "a\tb\nc\r\nd äöü … 日本"
    for code in [*range(9), 11, 12, *range(14, 32), *range(127, 160), 0x202E, 0x2066, 0x2028]:
        assert _console.visible(f"a{chr(code)}b") == "a\ufffdb", hex(code)
    # A return alone goes back over what stands there.
    assert _console.visible("safe\revil") == "safe\ufffdevil"


def test_wide_characters_are_two_columns() -> None:
    assert [_console.width(text) for text in ("reno", "下り", "한국", "naïve", "nai\u0308ve", "ＡＢ")] == [
        4,
        4,
        4,
        5,
        5,
        4,
    ]


def test_columns_of_wide_names_line_up(tmp_path: Path) -> None:
    file = tmp_path / "wide.toml"
    file.write_text(SHORT.replace('name = "reno"\nfrom', 'name = "下りの流れ"\nfrom'), encoding="utf-8")
    got = run(tmp_path, "simulate", "-o", "o", "wide.toml")
    assert got.returncode == 0, got.stderr
    lines = got.stdout.decode().splitlines()
    ends = {_console.width(line.partition(" Mbit/s")[0]) for line in lines if " Mbit/s" in line and "reno" in line}
    laws = {
        _console.width(line[: line.index(law)]) for law in ("reno", "cubic ") for line in lines if f"  {law}" in line
    }
    assert len(ends) == 1
    assert len(laws) == 1, lines


def test_a_writer_has_no_way_around_it() -> None:
    raw = io.BytesIO()
    writer = _console.Writer(io.TextIOWrapper(raw, "utf-8", write_through=True))
    print("a\x1b[31mb", file=writer)
    writer.writelines(["\x07", "c\n"])
    assert raw.getvalue().decode() == "a\ufffd[31mb\n\ufffdc\n"
    assert not hasattr(writer, "buffer")
    with pytest.raises(TypeError):
        writer.write(b"\x1b")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments", [["simulate", "-o", "o", "evil.toml"], ["optimum", "evil.toml"], ["fluid", "evil.toml"]]
)
def test_titles_do_not_command_the_terminal(evil: Path, arguments: list[str]) -> None:
    got = run(evil.parent, *arguments)
    assert got.returncode == 0, got.stderr
    assert "hello \ufffd]0;PWNED\ufffd\ufffd[2J\ufffd[31m red \ufffd31m \ufffd" in got.stdout.decode()
    assert b"\x1b" not in got.stdout + got.stderr
    assert b"\xc2\x9b" not in got.stdout + got.stderr


def test_a_terminal_gets_our_colours_and_no_others(evil: Path) -> None:
    main, side = pty.openpty()
    variables = {key: value for key, value in environment().items() if key != "NO_COLOR"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "windward", "optimum", "evil.toml"]
    with subprocess.Popen(command, cwd=evil.parent, env=variables, stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        seen = b""
        try:
            while piece := os.read(main, 1 << 16):
                seen += piece
        except OSError:
            # What a terminal answers when its last program has left.
            pass
    os.close(main)
    assert process.returncode == 0
    assert b"\x1b[1mhello \xef\xbf\xbd]0;PWNED" in seen
    assert {piece[:3] for piece in seen.split(b"\x1b")[1:]} == {b"[1m", b"[2m", b"[0m"}


def test_messages_do_not_command_the_terminal(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_bytes(b'name = "a\x1b[31m"\nduration = "1 s"\n')
    (tmp_path / "key.toml").write_text(r'"a\u001b[31m" = 1')
    for arguments in (
        ["check", "bad.toml"],
        ["check", "key.toml"],
        ["check", "no\x1b[31m.toml"],
        ["show", "no\x1b[31m"],
    ):
        got = run(tmp_path, *arguments)
        assert got.returncode == 2
        assert got.stderr, arguments
        assert b"\x1b" not in got.stderr, arguments


def test_a_result_of_somebody_else_does_not_command_the_terminal(evil: Path, cli: Cli) -> None:
    folder = evil.parent
    assert cli("simulate", "-o", "o", "-q", "evil.toml").returncode == 0
    summary = json.loads((folder / "o" / "summary.json").read_text(encoding="utf-8"))
    # As if it had been written by hand.
    for key in ("title", "name", "engine", "windward"):
        forged = summary | {key: f"x\x1b[31m{summary.get(key)}"}
        (folder / "o" / "summary.json").write_text(json.dumps(forged), encoding="utf-8")
        for arguments in (["show", "o"], ["show", "o", "--as", "csv"]):
            got = cli(*arguments)
            assert "\x1b" not in got.stdout + got.stderr, (key, arguments)


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "koi8-r"])
def test_no_result_is_lost_because_a_terminal_lacks_a_sign(tmp_path: Path, encoding: str) -> None:
    title = "Bücher – 日本 × 3 …"
    (tmp_path / "s.toml").write_text(SHORT.replace("Do Reno and CUBIC share a link?", title), encoding="utf-8")
    got = run(tmp_path, "simulate", "-o", "o", "s.toml", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert got.returncode == 0, got.stderr
    text = got.stdout.decode(encoding)
    assert "\\u65e5\\u672c" in text
    assert ("B\\xfccher" if encoding in ("ascii", "koi8-r") else "Bücher") in text
    # A sign that ASCII lacks is the most that any of them lacks.
    others = [["simulate", "--help"], ["schema"], ["laws"]] if encoding == "ascii" else []
    for arguments in (["show", "o"], *others, ["simulate", "--json", "s.toml", "-o", "o", "--replace"]):
        got = run(tmp_path, *arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (got.returncode, got.stderr) == (0, b""), arguments
    assert json.loads(got.stdout)["title"] == title


def test_a_locale_without_unicode_has_names_that_are_shown(tmp_path: Path) -> None:
    (tmp_path / "ü.toml").write_text(SHORT, encoding="utf-8")
    variables = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    got = run(tmp_path, "check", "ü.toml", **variables)
    assert got.returncode == 0, got.stderr
    assert got.stdout.startswith(b"\\xc3\\xbc.toml OK")
    (tmp_path / "ü.toml").write_text("nonsense", encoding="utf-8")
    got = run(tmp_path, "check", "ü.toml", **variables)
    assert got.returncode == 2
    assert b":1:" in got.stderr


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_no_work(tmp_path: Path, closed: str) -> None:
    (tmp_path / "s.toml").write_text(SHORT, encoding="utf-8")
    for arguments in (
        ["simulate", "s.toml", "-o", "o"],
        ["optimum", "s.toml", "-o", "best"],
        ["show", "o"],
        ["sweep", "s.toml", "--set", "link.0.loss=0,1%", "-o", "w", "--seeds", "1"],
    ):
        got = run(tmp_path, *arguments, shell=closed)
        assert (got.returncode, got.stderr) == (0, b""), arguments
    for result in ("o", "best", "w"):
        assert (tmp_path / result / "summary.json").is_file()
    # What would have been said is in no file that was opened in the meantime.
    assert json.loads((tmp_path / "o" / "summary.json").read_text(encoding="utf-8"))["complete"]


def test_a_full_disk_below_standard_output_is_said(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    got = run(tmp_path, "laws", shell=">/dev/full")
    assert (got.returncode, got.stderr) == (2, b"error: No space left on device\n")


def test_a_mistyped_command_is_understood(cli: Cli) -> None:
    assert "no command `simluate`; did you mean `simulate`?" in cli("simluate", "x.toml").stderr
    assert "did you mean `optimum`?" in cli("Optimim").stderr
    assert "write `windward simulate scenario.toml`" in cli("scenario.toml").stderr
    nonsense = cli("xyzzy")
    assert nonsense.returncode == 2
    assert "no command `xyzzy`" in nonsense.stderr
    assert "did you mean" not in nonsense.stderr
    assert "no such option" in cli("--xyzzy").stderr.lower()


def test_a_download_is_not_lost_because_of_its_name(get: Get, folder: Path) -> None:
    named = ("Content-Disposition", "attachment; filename*=UTF-8''M%C3%BCll.txt")
    with Server(Site(noise(1000), extra=(named,))) as server:
        result = get(server.url, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("M\\xfcll.txt: 1.0 kB")
    assert (folder / "Müll.txt").stat().st_size == 1000
