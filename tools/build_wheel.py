"""Builds the source distribution and the wheel: `make wheel`.

    python tools/build_wheel.py FOLDER

The wheel is for all Linux of glibc 2.28 or later, linked by zig. Its engine names no folder of this machine: names of
sources begin with the repository, with their crate, or with Rust's library.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAMS = Path(sys.executable).parent


def machine_paths() -> dict[Path, str]:
    """The folders that sources are compiled from, and what they are called in the engine."""
    sysroot = Path(
        subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    )
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    crates = dict.fromkeys((cargo / "registry" / "src").glob("*"), "registry")
    # Later ones win.
    return {
        Path.home(): "home",
        cargo: "cargo",
        sysroot / "lib" / "rustlib" / "src" / "rust": "rust",
        **crates,
        ROOT: "windward",
    }


def main() -> None:
    """Builds both."""
    target = Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    flags = os.environ.get("RUSTFLAGS", "").split()
    flags += [f"--remap-path-prefix={folder}={name}" for folder, name in machine_paths().items()]
    environment = os.environ | {
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        # Parted by a character that no path has.
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
    }
    environment.pop("RUSTFLAGS", None)
    wheel: list[str | Path] = [PROGRAMS / "maturin", "build", "--profile", "wheel", "--locked", "--out", target]
    if sys.platform == "linux":
        wheel += ["--zig", "--compatibility", "manylinux_2_28", "--auditwheel", "check"]
    subprocess.run([PROGRAMS / "maturin", "sdist", "--out", target], cwd=ROOT, check=True)
    subprocess.run(wheel, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
