#!/bin/sh
# Checks what other people's crates may be, by deny.toml: licences, sources, bans, and known vulnerabilities where the
# database of advisories can be reached. What cannot be checked here goes to the list of what was skipped.
#
#     sh tools/deny.sh SKIPPED
set -eu
skip() {
	mkdir -p "$(dirname "$1")"
	echo "$2" >>"$1"
}
if ! command -v cargo-deny >/dev/null; then
	skip "$1" "cargo-deny: not installed (cargo install --locked cargo-deny)"
	exit 0
fi
cargo deny --locked check bans licenses sources
if cargo deny --locked fetch db >/dev/null 2>&1; then
	cargo deny --locked check --disable-fetch advisories
else
	skip "$1" "cargo-deny: the database of advisories cannot be reached"
fi
