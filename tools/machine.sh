#!/bin/sh
# Says in one line what is missing on this machine, and what to do, before anything is set up.
#
#     sh tools/machine.sh PYTHON ORIGIN VENV GOAL
#
# ORIGIN is where PYTHON was chosen, in make's words: `file` where nobody did. An environment in VENV that cannot be
# used is removed, so that it is made anew: that of a Python that is too old or gone, of another clone, of an
# interrupted `venv`.
set -eu
python=$1 origin=$2 venv=$3 goal=$4

fail() {
	echo "$*" >&2
	exit 1
}

# Whether version $1 is at least version $2: major and minor.
at_least() {
	[ "${1%%.*}" -gt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "$(echo "$1" | cut -d. -f2)" -ge "$(echo "$2" | cut -d. -f2)" ]; }
}

rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
least=$(sed -n 's/^requires-python = ">=\(.*\)"$/\1/p' pyproject.toml)

# Rust.
command -v cargo >/dev/null || fail "Rust is missing: install $rust or newer from https://rustup.rs"
found=$(rustc --version 2>/dev/null | sed -n 's/^rustc \([0-9]*\.[0-9]*\).*/\1/p')
[ -n "$found" ] || fail "rustc does not run: install Rust $rust or newer from https://rustup.rs, or repair it with \`rustup default stable\`"
at_least "$found" "$rust" || fail "Rust $found is too old, $rust or newer is needed: run \`rustup update stable\`, or install it from https://rustup.rs"
case $goal in test | lint | rust-lint)
	cargo fmt --version >/dev/null 2>&1 || fail "rustfmt is missing: run \`rustup component add rustfmt\`"
	cargo clippy --version >/dev/null 2>&1 || fail "clippy is missing: run \`rustup component add clippy\`"
	;;
esac

# What links Rust, and compiles its C.
command -v cc >/dev/null || fail "A C compiler is missing: install gcc or clang (Debian: apt install build-essential)"

# Python.
[ -n "$python" ] || fail "Python $least or newer is missing: install it, or name it with PYTHON=..."
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
	fail "$python does not run: name a Python $least or newer with PYTHON=..."
at_least "$found" "$least" || fail "$python is Python $found, $least or newer is needed: name another with PYTHON=..."
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "Python's venv module is missing (Debian: apt install python3-venv)"

# Room on the disk for a first build: 4.5 GB for the tests of the Rust crates, half a GB for the engine, and what pip
# unpacks.
case $goal in test) needs=7 ;; *) needs=2 ;; esac
if ! [ -d target/release ]; then
	free=$(df -Pk . 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }')
	[ -z "$free" ] || [ "$free" -ge "$needs" ] ||
		fail "The disk has $free GB free, \`make $goal\` needs $needs GB for its first build"
fi

# The environment of an earlier run.
[ -L "$venv/bin/python" ] || [ -e "$venv/bin/python" ] || [ -e "$venv/python" ] || exit 0
why=
has=$("$venv/bin/python" -c 'import sys, pip; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || has=
if [ -z "$has" ]; then
	why="is broken"
elif ! at_least "$has" "$least"; then
	why="is of Python $has"
elif [ "$origin" != file ] && [ "$has" != "$found" ]; then
	why="is of Python $has, not of $found"
elif ! head -n 3 "$venv/bin/pip" 2>/dev/null | grep -qF "$(pwd -P)/$venv/bin/"; then
	why="was made in another folder"
fi
[ -z "$why" ] || { echo "== $venv $why: it is made anew =="; rm -rf "./$venv"; }
