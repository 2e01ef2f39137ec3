"""Builds the playground: explore's page and the engines for WebAssembly in one file, target/playground/playground.html.

The page opens from a folder and asks nothing of the network: the module is inside, compressed, and its policy (CSP)
names each script by its hash. `make playground` runs this; `make site` puts the page beside the documentation.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python"))

from windward._engine import __version__  # noqa: E402
from windward.show.page import _html  # noqa: E402

SOURCES = ROOT / "site" / "playground"
EXPLORE = ROOT / "python" / "windward" / "_explore"
TARGET = ROOT / "target" / "playground" / "playground.html"
PLATFORM = "wasm32-unknown-unknown"
MODULE = ROOT / "target" / PLATFORM / "wasm" / "windward_wasm.wasm"

#: Largest compressed size of the module, in bytes.
MOST = 3 << 20

#: What each script is made of, in order.
WORKER = ("module.js", "fields.js", "worker.js")
PAGE = ("numbers.js", "results.js", "figures.js", "tables.js", "engine.js", "editor.js", "playground.js")

_EDITOR = """<details id="source" open><summary>Scenario file</summary>
<div class="from"><select id="example" aria-label="Examples"><option value="">Open an example …</option></select>
<label><input type="file" id="upload" multiple><span>Open files …</span></label></div>
<div class="editor"><div class="lines" aria-hidden="true"></div>
<textarea aria-label="Scenario file; Ctrl and space complete" spellcheck="false" autocapitalize="off"></textarea>
<ul class="completions" role="listbox" hidden></ul></div>
<ul class="problems" role="alert" hidden></ul>
<p class="limit">Laws, schedulers and rules in Python, emulation and free routing need <code>windward</code> on your own
machine.</p></details>
"""


def build_module() -> None:
    """Compiles the engines, after adding the platform to the compiler where rustup can."""
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", PLATFORM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if not libraries.stdout.strip() or not Path(libraries.stdout.strip()).is_dir():
        if shutil.which("rustup") is None:
            sys.exit(f"Rust has no standard library for {PLATFORM} here\nhint: install it, or use rustup")
        subprocess.run(["rustup", "target", "add", PLATFORM], cwd=ROOT, check=True)
    command = [
        "cargo",
        "build",
        "--locked",
        "--quiet",
        "-p",
        "windward-wasm",
        "--target",
        PLATFORM,
        "--profile",
        "wasm",
    ]
    subprocess.run(command, cwd=ROOT, check=True)


def examples() -> dict[str, dict[str, object]]:
    """Every scenario of `scenarios/` with its title, its text and the recordings that it names."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        found[path.stem] = {
            "title": f"{path.stem}: {tomllib.loads(text)['title']}",
            "text": text,
            "files": recordings(path, text),
        }
    return found


def recordings(path: Path, text: str) -> dict[str, str]:
    """The files beside a scenario that its values name."""
    files = {}
    for name in dict.fromkeys(re.findall(r'"([^"\n]+\.[a-z]+)"', text)):
        if (path.parent / name).is_file():
            files[name] = (path.parent / name).read_text(encoding="utf-8")
    return files


def page(module: bytes) -> str:
    """The page around a compiled module."""
    worker, own = (_joined(names) for names in (WORKER, PAGE))
    scripts = [*_html.scripts(), (EXPLORE / "explore.js").read_text(encoding="utf-8"), own]
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in map(_padded, scripts))
    policy = (
        f"default-src 'none'; script-src {hashes} 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    packed = base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()
    data = [
        f'<script type="application/json" id="examples">{_plain(json.dumps(examples(), ensure_ascii=False))}</script>',
        f'<script type="application/octet-stream" id="engine">{packed}</script>',
        f'<script type="text/plain" id="worker">{worker}</script>',
    ]
    style = "\n".join([_html.style(), *((folder / name).read_text(encoding="utf-8") for folder, name in _STYLES)])
    text = (EXPLORE / "explore.html").read_text(encoding="utf-8")
    text = _replaced(
        text, '<script type="application/json" id="opening" nonce="$nonce">$opening</script>\n', "\n".join(data) + "\n"
    )
    text = _replaced(text, "$scripts", "\n".join(f"<script>{_padded(script)}</script>" for script in scripts))
    text = _replaced(text, '<div id="groups"></div>', _EDITOR + '<div id="groups"></div>')
    text = _replaced(
        text,
        '<meta charset="utf-8">',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
    )
    text = _replaced(text, "<title>$name – Windward explore</title>", "<title>Windward playground</title>")
    text = _replaced(
        text,
        '<button type="button" id="file"',
        '<button type="button" id="link" title="The scenario and its settings as an address">Copy link</button>\n'
        '<button type="button" id="file"',
    )
    text = _replaced(text, "<code>windward report</code> writes one that does not.", "Windward's reports do not.")
    return (
        text.replace("$style", style)
        .replace("$name", "playground")
        .replace("$title", "…")
        .replace("$version", html.escape(__version__))
    )


_STYLES = ((EXPLORE, "explore.css"), (SOURCES, "playground.css"))


def _joined(names: tuple[str, ...]) -> str:
    """Files as one script with names of its own."""
    body = "\n".join((SOURCES / name).read_text(encoding="utf-8") for name in names)
    if "</script" in body or "<!--" in body:
        sys.exit("a script of the playground would end its element")
    # A worker's script is its own world; a page's would meet the others.
    return f'"use strict";\n{body}' if "worker.js" in names else f'"use strict";\n{{\n{body}\n}}'


def _padded(script: str) -> str:
    return f"\n{script}\n"


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _plain(text: str) -> str:
    return text.replace("<", "\\u003c")


def _replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        sys.exit(f"explore.html has no {old!r} any more")
    return text.replace(old, new, 1)


def build(module: Path = MODULE, target: Path = TARGET) -> Path:
    """Writes the page; the module is compiled already."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(module.read_bytes()), encoding="utf-8")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", type=Path, help="a compiled module (default: compile it)")
    parser.add_argument("--output", type=Path, default=TARGET, help="the page (default: %(default)s)")
    chosen = parser.parse_args()
    if chosen.module is None:
        build_module()
    module = chosen.module or MODULE
    size = len(gzip.compress(module.read_bytes(), 9, mtime=0))
    print(f"{module.name}: {module.stat().st_size / 1e6:.2f} MB, compressed {size / 1e6:.2f} MB")
    if size > MOST:
        sys.exit(f"the module has {size} compressed bytes; at most {MOST} are allowed")
    path = build(module, chosen.output)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
