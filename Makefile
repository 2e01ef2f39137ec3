# make run      set up what the program needs and compare the engines on the headline scenario
# make help     list these targets
# make check    format, lint and test the crates that changed, the documents' links and words; a minute or two
# make test     set everything up and pass every check: exactly what continuous integration does
# make test-least  run the tests with the least versions of packages that pyproject.toml allows; part of `make test`
# make lock     lock the Python packages again (requirements/); UPGRADE=1 takes the newest
# make wheel    build wheel and source distribution, and try each in an empty environment
# make bench    measure speed
# make validate-ns3  lay goodputs and laws beside ns-3's
# make validate-queues  lay queueing disciplines beside ns-3's
# make validate-tfrc  lay TFRC beside ns-2's
# make validate-wang2016-ns2  lay Tables 8 and 9 of wang2016 beside ns-2's
# make validate-huang2020-ns2  compare Fig. 5 of huang2020 with ns-2's senders
# make validate-formulas  lay the formulas of wang2016's Table 4 beside packets
# make validate-fluid  lay the equations of every law beside packets
# make validate-wifi-bounds  lay optimum and fluid beside packets on random networks of 802.11n, ac and ax
# make validate-wifi  lay wireless networks beside ns-3's
# make validate-aggregation  compare 802.11n, ac and ax with ns-3
# make validate-wireless  run random wireless networks and exchanges: no panic, no packet lost track of; minutes
# make validate-lte  lay LTE cells beside ns-3's; minutes
# make validate-replay  compare the replay of a recorded cell with the cell
# make validate-minstrel  compare Minstrel-HT with the kernel's own file (KERNEL), report by report
# make validate-cake  compare CAKE with the kernel's own functions (KERNEL), step by step
# make validate-wifi-queues  compare Wi-Fi's queues with the kernel's own functions (KERNEL), step by step
# make validate-emulation  hold emulations to iperf3, ping and the simulator, as root
# make validate-vht80  compare 802.11ac of 80 MHz between two and three kernels with the simulator, as root
# make validate-hwsim  compare airtime shares with those of the kernel's mac80211_hwsim, as root
# make validate-dual-queue  lay DualPI2 between kernels beside its equations
# make validate-browser  compare a recorded page in a browser with the simulator's; minutes
# make validate-applications  compare requests and pages between kernels with the simulator's, as root
# make validate-nginx  compare responses and pages that curl loads from nginx with the simulator's; minutes
# make validate-programs  compare downloads by curl from nginx over 24 random lines with simulator and emulator, as root
# make validate-linux-stack  lay flows with Linux's loss detection beside Linux's own, as root
# make validate-newreno  lay flows without SACK beside Linux's own, as root
# make validate-packetdrill  play packetdrill's scripts (SCRIPTS) and the kernel's (KERNEL) against the simulator's TCP
# make validate-backpressure  lay backpressure between real kernels beside the simulator's, as root
# make validate-attacks  run networks on which laws fail, with and without their attack; minutes; KERNELS=N emulates
# make validate-searches  plant faults, ask known answers, and count what searches on noise claim; TRIES, FINDS
# make evaluations  evaluate all laws by RFC 9743; minutes
# make validate-evaluate  evaluate laws with planted faults: each must fail its own section; minutes
# make today    lay ten laws over the networks of today, simulated and between real kernels, as root; half an hour
# make validate-combinations  compare random options, stacks and laws (DRAWS=, KERNELS= as root)
# make validate-tcp-fit  lay TCP-FIT between real kernels beside CUBIC, Reno and BBR, as root
# make validate-bbr  lay the simulator's BBR beside the kernel's own, as root; CELLS chooses
# make snapshots  accept what the commands, messages and tables print now; their diff is the review
# make site     build the site into target/site/html, offline and searchable, and check its links
# make docs     write again what is generated: the reference pages, the Python classes, the pictures
# make reproduce  draw the figures of the papers again, judge their claims, write docs/measured/papers; minutes
# make mutations  plant small faults, one at a time, and see that tests turn red; an hour
# make fuzz     feed the readers of files and messages with what nobody would write; MINUTES for each of TARGETS
# make clean    remove what these made
#
# Needed on the machine: Rust, Python >= 3.11, a C compiler. PYTHON chooses the interpreter. The laws for the kernel are
# compiled by clang, or by the Python package ziglang where there is none.
#
# The clone may lie in a folder with spaces in its name: paths are relative here, or quoted and made by the shell.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
# All that the engine is made of: Rust, the kernel's laws in C, tables of modulation and coding.
SOURCES := $(shell find crates -path '*/tests' -prune -o \( -name '*.rs' -o -name 'Cargo.toml' -o -name '*.[ch]' -o -name '*.json' \) \
	-print | sort) Cargo.toml Cargo.lock crates/kernel/tests/it/twin/twin.c
ZIG := $(shell test "$$(uname)" != Linux || command -v $${CLANG:-clang} >/dev/null || echo zig)
HEADLINE := scenarios/headline.toml
# What the tests had to leave out, and why.
SKIPPED := $(VENV)/skipped
# The parts of the tests that failed; `$(OR_SAY)` behind a command adds its target.
FAILED := $(VENV)/failed
OR_SAY = || { echo "$@" >> $(FAILED); false; }
# For what is run somewhere else.
IN_VENV := VIRTUAL_ENV="$$PWD/$(VENV)"
SKIPS := WINDWARD_SKIPPED="$$PWD/$(SKIPPED)"
AT_ONCE := --no-print-directory -j5

# What Python compiles once is kept, whatever the environment says: the commands here start it hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

GOALS := run check test lint rust-lint python-lint rust-test python-test other-pythons test-least realtime-test wheel lock bench snapshots docs site today reproduce mutations fuzz \
	validate-ns3 validate-queues validate-tfrc validate-wang2016-ns2 validate-huang2020-ns2 validate-formulas validate-fluid \
	validate-wifi validate-emulation validate-linux-stack validate-applications validate-nginx validate-browser validate-newreno \
	validate-backpressure validate-combinations validate-tcp-fit validate-bbr validate-packetdrill validate-dual-queue \
	validate-minstrel validate-wifi-queues validate-aggregation validate-attacks validate-vht80 validate-hwsim validate-lte \
	validate-replay validate-wireless validate-evaluate evaluations validate-programs validate-wifi-bounds validate-searches

.PHONY: $(GOALS) clean
.DELETE_ON_ERROR:

# The targets, as the head of this file lists them.
.PHONY: help
help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

# Each goal begins with a look at the machine, and has the clone for itself.
ifneq ($(WINDWARD_ALONE),$(CURDIR))
$(GOALS):
	@sh tools/machine.sh "$(PYTHON)" "$(origin PYTHON)" "$(VENV)" $@
	@"$(PYTHON)" tools/alone.py $(MAKE) --no-print-directory $@ PYTHON="$(PYTHON)"
else

run:
	@$(MAKE) $(AT_ONCE) $(VENV)/engine
	$(BIN)/windward compare $(HEADLINE) --replace --output results/compare/headline
	@echo
	$(BIN)/windward show results/compare/headline/simulate
	$(BIN)/windward report results/compare/headline

# The tests of the clock, which mostly wait, as soon as there is an engine; those in Rust take the time that they leave.
# Then what depends on nothing but itself, on all processors. Cargo's lints are beside that: beside the tests in Rust
# each would wait for the other's lock, and those of the clock for both.
# A part that fails does not keep the others from running: the last lines name it.
test:
	@mkdir -p $(VENV) && rm -f $(SKIPPED) $(FAILED)
	@$(MAKE) --no-print-directory $(VENV)/build-tools
	@failed=; \
	$(MAKE) --keep-going $(AT_ONCE) realtime-test python-lint install-others rust-test ASIDE='$(BIN)/python tools/idle.py' || failed=1; \
	$(MAKE) --keep-going $(AT_ONCE) every-python rust-lint ASIDE='$(BIN)/python tools/idle.py' || failed=1; \
	if [ -s $(SKIPPED) ]; then echo; echo "Skipped:"; sort -u $(SKIPPED) | sed 's/^/  /'; else echo "Nothing was skipped."; fi; \
	if [ -s $(FAILED) ]; then echo; echo "Failed:"; sort -u $(FAILED) | sed 's/^/  /'; fi; \
	test -z "$$failed"

# Crates that differ from the main branch, or from the last commit where there is none.
check: $(VENV)/checks
	cargo fmt --all --check
	$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@base=$$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD); \
	for crate in $$({ git diff --name-only $$base; git ls-files --others --exclude-standard; } | sed -n 's|^crates/\([^/]*\)/.*|\1|p' | sort -u); do \
		echo "== windward-$$crate =="; \
		cargo clippy --quiet --package windward-$$crate --all-targets --locked -- -D warnings || exit 1; \
		cargo test --quiet --package windward-$$crate --lib --tests --locked || exit 1; \
		case $$crate in units|laws|num|fluid|traffic|sim) cargo test --quiet --package windward-scenario --tests --locked || exit 1;; esac; \
	done
	$(BIN)/pytest -q tests/project/test_words.py tests/project/test_docs.py tests/project/test_generated.py tests/project/test_adding.py \
		-k "words or sentences or summaries or links or index or test_generated or files_to_add or names_of_the_code or lists"

lint: rust-lint python-lint

rust-lint:
	cargo fmt --all --check $(OR_SAY)
	$(ASIDE) cargo clippy --workspace --all-targets --locked -- -D warnings $(OR_SAY)
	RUSTDOCFLAGS="-D warnings" $(ASIDE) cargo doc --workspace --no-deps --locked --quiet $(OR_SAY)
	@sh tools/deny.sh "$(SKIPPED)" $(OR_SAY)

rust-test:
	$(ASIDE) cargo test --workspace --locked --quiet --no-fail-fast $(OR_SAY)

python-lint: $(VENV)/checks
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy $(OR_SAY)

python-test: $(VENV)/checks $(VENV)/engine
	$(SKIPS) $(BIN)/pytest -m "not realtime" --numprocesses auto --dist worksteal $(OR_SAY)

# One after the other: each takes all processors.
.PHONY: every-python
every-python:
	@failed=; for part in python-test other-pythons test-least; do \
		$(MAKE) --no-print-directory $$part || failed=1; \
	done; test -z "$$failed"

# The engine serves every Python: only what is written in Python is tested again.
other-pythons: $(VENV)/checks $(VENV)/engine
	$(SKIPS) $(BIN)/python tools/pythons.py test $(OR_SAY)

# What pip fetches comes while cargo works.
.PHONY: install-others
install-others: $(VENV)/checks
	$(BIN)/python tools/pythons.py install

test-least: $(VENV)/checks $(VENV)/engine
	$(BIN)/python tools/pythons.py test-least $(OR_SAY)

# Python's first: those in Rust need what `rust-test` builds, or build it.
realtime-test: $(VENV)/checks $(VENV)/engine
	@failed=; \
	$(SKIPS) $(BIN)/pytest -m realtime || failed=1; \
	$(SKIPS) $(BIN)/python tools/test_kernels.py || failed=1; \
	test -z "$$failed" $(OR_SAY)

# For all Linux of glibc 2.28 or later and Python 3.11 or later, laws for the kernel inside. Writes their sizes into
# docs/start/install.md.
wheel: $(VENV)/wheel-tools
	$(BIN)/python tools/build_wheel.py target/wheels
	$(BIN)/python -m tools.check_wheel target/wheels

# Where pyproject.toml has changed; UPGRADE=1 takes the newest of everything.
lock: $(VENV)/lock-tools
	PATH="$$PWD/$(BIN):$$PATH" $(BIN)/python tools/requirements.py $(if $(UPGRADE),--upgrade)

bench: $(VENV)/checks $(VENV)/engine $(VENV)-ns3/engine
	cargo bench --workspace --exclude windward-num --locked
	$(BIN)/python benches/num/bench.py
	cargo bench --locked -p windward-num --bench robustness
	$(BIN)/python benches/cell/bench.py
	$(BIN)/python benches/coding/bench.py
	$(BIN)/python benches/sweep/bench.py
	$(BIN)/python benches/kernel/bench.py
	$(BIN)/python benches/transfer/bench.py
	$(BIN)/python benches/emulate/bench.py
	$(BIN)/python benches/sim/bench.py --windward $(BIN)/windward --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python benches/wifi/bench.py --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python benches/wifi/aggregation_speed.py --ns3 $(VENV)-ns3/bin/python

# Half an hour of ns-3: its goodput beside ours, and its laws told what ours are, written to
# docs/measured/validation/ns3.md and ns3-laws.md.
validate-ns3: $(VENV)/engine $(VENV)-ns3/engine
	$(BIN)/python benches/sim/validate.py --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python benches/sim/validate_laws.py --ns3 $(VENV)-ns3/bin/python

# Five minutes of ns-3: its RED, CoDel, FQ-CoDel and PIE beside ours, written to docs/measured/validation/queues.md.
validate-queues: $(VENV)/engine $(VENV)-ns3/engine
	$(BIN)/python benches/sim/validate_queues.py --ns3 $(VENV)-ns3/bin/python

# Some minutes, to docs/measured/validation/tfrc-ns2.md; needs ns-2 (apt install ns2).
validate-tfrc: $(VENV)/engine
	$(BIN)/python benches/sim/validate_tfrc.py

# Twenty minutes of ns-2: Tables 8 and 9 of wang2016, written to docs/measured/validation/wang2016-ns2.md; goes on where
# it was interrupted.
validate-wang2016-ns2: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/sim/validate_wang2016.py

# Half an hour of ns-2 on two free cores: four laws over huang2020's access point, written to
# docs/measured/validation/huang2020-ns2.md; goes on where it was interrupted, and is skipped without ns-2.
validate-huang2020-ns2: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/sim/validate_huang2020.py

# Minutes: the formulas of wang2016's Table 4 beside packets, written to docs/measured/validation/wang2016-table-4.md.
validate-formulas: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/sim/validate_table_four.py

# Minutes: the fluid form of every law beside packets over loss, round trip and rate, written to
# docs/measured/validation/fluid.md.
validate-fluid: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/sim/validate_fluid.py

# Minutes: optimum and fluid beside packets on fifty random networks of 802.11n, ac and ax, written to
# docs/measured/validation/wifi-bounds.md.
validate-wifi-bounds: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/wifi/validate_bounds.py

# Twenty minutes of ns-3: stars, hidden stations, chains, the grid and stations that move, written to
# docs/measured/validation/wifi-ns3.md and moving-ns3.md.
validate-wifi: $(VENV)/engine $(VENV)-ns3/engine
	$(BIN)/python benches/wifi/validate.py --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python benches/wifi/moving.py --ns3 $(VENV)-ns3/bin/python

# Minutes, to docs/measured/attacks.md. KERNELS=N runs each find N times between kernels, in real time and as root.
validate-attacks: $(VENV)/engine
	$(BIN)/python benches/attacks/write.py $(if $(KERNELS),--kernels $(KERNELS))

# Minutes. Searches on noise must claim nothing, and finds hold on the share of fresh seeds that they print.
TRIES ?= 100
FINDS ?= 20
validate-searches: $(VENV)/checks $(VENV)/engine
	WINDWARD_SEARCHES=all $(BIN)/pytest -q tests/search/test_planted.py tests/search/test_oracles.py
	$(BIN)/python benches/attacks/chance.py --tries $(TRIES) --finds $(FINDS) --seeds 100

# Some minutes of ns-3, to docs/measured/validation/lte-ns3.md.
validate-lte: $(VENV)/engine $(VENV)-ns3/engine
	$(BIN)/python benches/cell/validate_ns3.py --ns3 $(VENV)-ns3/bin/python

# Two minutes, to docs/measured/validation/cell-replay.md.
validate-replay: $(VENV)/engine
	$(BIN)/python benches/cell/replay.py

# A thousand random wireless networks, other ones each time; prints the number of a draw that fails, and writes no page.
validate-wireless: $(VENV)/engine
	$(BIN)/python benches/wifi/random_networks.py --draws 1000
	WINDWARD_EXCHANGES=20000 WINDWARD_EXCHANGES_FROM=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ') \
		cargo test --locked -p windward-sim --lib random_exchanges

# Two minutes of ns-3 in two processes, to docs/measured/validation/aggregation-ns3.md.
validate-aggregation: $(VENV)/engine $(VENV)-ns3/engine
	$(BIN)/python benches/wifi/aggregation.py --ns3 $(VENV)-ns3/bin/python

# Minutes. KERNEL is a copy of Linux's source; to docs/measured/validation/minstrel.md and wifi-queues.md.
validate-minstrel validate-wifi-queues: $(VENV)/checks
	@test -n "$(KERNEL)" || { echo "KERNEL is missing: git clone --depth 1 --filter=blob:none --sparse" \
		"https://github.com/torvalds/linux LINUX; git -C LINUX sparse-checkout set include/net net/mac80211; then" \
		"make $@ KERNEL=LINUX" >&2; exit 2; }
	$(BIN)/python benches/wifi/$(patsubst validate-%,%,$(subst wifi-queues,txq,$@))/validate.py --kernel "$(KERNEL)"

# A minute. KERNEL is a copy of Linux's source; to docs/measured/validation/cake.md.
validate-cake: $(VENV)/checks
	@test -n "$(KERNEL)" || { echo "KERNEL is missing: git clone --depth 1 --filter=blob:none --sparse" \
		"https://github.com/torvalds/linux LINUX; git -C LINUX sparse-checkout set net/sched; then" \
		"make $@ KERNEL=LINUX" >&2; exit 2; }
	$(BIN)/python benches/sim/cake/validate.py --kernel "$(KERNEL)"

# A quarter of an hour in real time, as root: the emulator beside iperf3, ping and the simulator, to
# docs/measured/validation/emulation.md.
validate-emulation: $(VENV)/engine
	$(BIN)/python benches/emulate/validate.py
	$(BIN)/python benches/emulate/defaults.py

# Two minutes in real time, as root, to docs/measured/validation/vht80.md.
validate-vht80: $(VENV)/engine
	$(BIN)/python benches/emulate/vht80.py

# Seconds, as root; skipped, with the reason, where the kernel's mac80211_hwsim is missing or reports no airtime.
validate-hwsim: $(VENV)/engine
	$(BIN)/python benches/wifi/hwsim.py

# Two minutes in real time, to docs/measured/validation/dual-queue.md.
validate-dual-queue: $(VENV)/engine
	$(BIN)/python benches/emulate/dual_queue.py

# Five minutes in real time, to docs/measured/validation/browser.md; skipped, with the reason, without nginx or
# chromium.
validate-browser: $(VENV)/checks $(VENV)/engine
	$(BIN)/python benches/emulate/browser.py

# A quarter of an hour in real time, as root, to docs/measured/validation/applications.md; goes on where it was
# interrupted.
validate-applications: $(VENV)/engine
	$(BIN)/python benches/emulate/applications.py

# Four minutes in real time, to docs/measured/validation/nginx.md; skipped, with the reason, where nginx or curl is not
# installed.
validate-nginx: $(VENV)/engine
	$(BIN)/python benches/emulate/nginx.py

# Forty minutes in real time, as root, to docs/measured/validation/programs.md; goes on where it was interrupted.
validate-programs: $(VENV)/engine
	$(BIN)/python benches/emulate/programs.py

# Half an hour in real time, as root, to docs/measured/validation/linux-stack.md; goes on where it was interrupted.
validate-linux-stack: $(VENV)/engine
	$(BIN)/python benches/emulate/linux_stack.py

# A quarter of an hour in real time, as root, to docs/measured/validation/newreno-linux.md; goes on where it was
# interrupted.
validate-newreno: $(VENV)/engine
	$(BIN)/python benches/emulate/newreno.py

# Twenty minutes in real time, as root, to docs/measured/validation/backpressure-kernels.md; goes on where it was
# interrupted.
validate-backpressure: $(VENV)/engine
	$(BIN)/python benches/emulate/backpressure.py

# Minutes, to docs/measured/validation/combinations.md; KERNELS=100 emulates a hundred draws, as root, in an hour of
# real time. Continues where it was interrupted.
validate-combinations: $(VENV)/engine
	$(BIN)/python benches/emulate/combinations.py $(if $(DRAWS),--draws $(DRAWS)) $(if $(KERNELS),--kernels $(KERNELS))

# Half an hour in real time, as root, to docs/measured/validation/tcp-fit-kernels.md; goes on where it was interrupted.
validate-tcp-fit: $(VENV)/engine
	$(BIN)/python benches/emulate/tcp_fit.py

# An hour in real time, as root, to docs/measured/validation/bbr-kernels.md; goes on where it was interrupted.
# CELLS chooses: make validate-bbr CELLS="10-20-*-alone"
validate-bbr: $(VENV)/engine
	$(BIN)/python benches/emulate/bbr.py $(if $(CELLS),--only $(foreach cell,$(CELLS),'$(cell)'))

# Seconds. SCRIPTS is a copy of https://github.com/google/packetdrill, with its history, KERNEL one of Linux's source;
# to docs/measured/validation/packetdrill.md.
validate-packetdrill:
	@test -n "$(SCRIPTS)" -a -n "$(KERNEL)" || { echo "SCRIPTS or KERNEL is missing:" \
		"git clone https://github.com/google/packetdrill DIR;" \
		"git clone --depth 1 --filter=blob:none --sparse https://github.com/torvalds/linux LINUX;" \
		"git -C LINUX sparse-checkout set tools/testing/selftests/net/packetdrill; then" \
		"make validate-packetdrill SCRIPTS=DIR KERNEL=LINUX" >&2; exit 2; }
	cargo run --quiet --locked -p windward-conformance -- --page docs/measured/validation/packetdrill.md \
		--version "\`$$(git -C "$(SCRIPTS)" rev-parse --short=12 HEAD)\`" "$(SCRIPTS)" \
		--version "$$(sed -nE 's/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p' "$(KERNEL)/Makefile" | paste -sd.)" "$(KERNEL)"

# Minutes, to docs/measured/evaluations.md; goes on where it was interrupted.
evaluations: $(VENV)/engine
	$(BIN)/python benches/evaluate/write.py laws

# Ten minutes, to docs/measured/validation/evaluate.md; goes on where it was interrupted.
validate-evaluate: $(VENV)/engine
	$(BIN)/python benches/evaluate/write.py faults

today: $(VENV)/engine
	$(BIN)/python benches/emulate/today.py
	$(BIN)/python benches/emulate/today_wifi.py
	$(BIN)/python benches/emulate/today_people.py

# All but the claims of the papers, whose pages `make reproduce` writes.
snapshots: export INSTA_UPDATE := always
snapshots: export WINDWARD_SNAPSHOTS := update
snapshots: $(VENV)/checks $(VENV)/engine
	cargo test --locked --quiet --no-fail-fast -p windward-scenario -p windward-laws -p windward-sim -p windward-conformance
	$(BIN)/pytest -q tests/cli/test_cli.py tests/project/test_docs.py
	@git status --short

docs: $(VENV)/checks $(VENV)/engine
	cargo run --quiet --locked -p windward-scenario --example reference > $(VENV)/scenario.md
	mv $(VENV)/scenario.md docs/reference/scenario.md
	$(BIN)/python tools/generate_model.py
	$(BIN)/python tools/generate_results.py
	$(BIN)/python tools/generate_transfer.py
	$(BIN)/python tools/write_api.py
	$(BIN)/python tools/describe.py
	$(BIN)/python tools/notices.py
	$(BIN)/python tools/draw_docs.py
	$(BIN)/python tools/draw_crates.py
	$(BIN)/python tools/write_gallery.py
	$(BIN)/python tools/picture_explore.py
	$(BIN)/python tools/run_notebook.py docs/start/notebook.ipynb

# Half a minute: docs/, the scenarios and what they link to, as pages that need no network.
site: $(VENV)/site-tools
	$(BIN)/python tools/build_site.py

# PAPERS chooses: make reproduce PAPERS=huang2020
reproduce: $(VENV)/checks $(VENV)/engine
	$(BIN)/python tools/reproduce_papers.py $(PAPERS)

# An hour or more, to docs/measured/validation/mutations.md; goes on where it was interrupted.
mutations: $(VENV)/checks
	$(BIN)/python tools/mutate.py $(FAULTS)
	$(BIN)/python tools/mutate_claims.py $(CLAIM_FAULTS)

# libFuzzer, which needs a C++ compiler; fuzz/README.md says more.
MINUTES ?= 10
TARGETS ?= scenario http recordings
HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
fuzz: export RUSTFLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares
fuzz:
	cargo build --quiet --locked -p windward-fuzz --features libfuzzer --bins --profile fuzz --target $(HOST) --target-dir target/fuzz
	@for target in $(TARGETS); do \
		mkdir -p target/fuzz/corpus/$$target target/fuzz/found/$$target; \
		echo "$$target: $(MINUTES) minutes"; \
		target/fuzz/$(HOST)/fuzz/$$target target/fuzz/corpus/$$target fuzz/corpus/$$target \
			$$([ $$target = scenario ] && echo scenarios crates/scenario/tests/refused) \
			-max_total_time=$$(( $(MINUTES) * 60 )) -timeout=20 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=target/fuzz/found/$$target/ || exit 1; \
	done

endif

clean:
	rm -rf $(VENV) $(VENV)-* results target
	rm -f python/windward/_engine*.so
	find python tests tools examples -name __pycache__ -type d -prune -exec rm -rf {} +

# ns-3 from the Python package index, in an environment of its own; without it the benchmarks leave its column out.
$(VENV)-ns3/engine:
	@mkdir -p $(VENV)-ns3
	-"$(PYTHON)" -m venv $(VENV)-ns3 && $(VENV)-ns3/bin/python -m pip install --quiet ns3
	@touch $@

# The virtual environment, with what the engine is built by.
$(VENV)/build-tools: requirements/build.txt requirements/zig.txt
	@echo "== Python environment, and what builds the engine =="
	@mkdir -p $(VENV) && { test -x $(BIN)/pip || "$(PYTHON)" -m venv $(VENV); }
	@$(PIP) -r requirements/build.txt
ifneq ($(ZIG),)
	@$(PIP) -r requirements/zig.txt || \
		echo "There is no clang, and ziglang cannot be installed: the kernel will have no laws of Windward's." >&2
endif
	@touch $@

# What the program imports.
$(VENV)/packages: requirements/run.txt $(VENV)/build-tools
	@echo "== Python packages =="
	@$(PIP) --no-compile -r $<
	@touch $@

# What `make test` needs beside.
$(VENV)/checks: requirements/checks.txt $(VENV)/packages
	@echo "== Python packages for the checks =="
	@$(PIP) --no-compile -r $<
	@touch $@

$(VENV)/wheel-tools: requirements/wheel.txt $(VENV)/build-tools
	@$(PIP) -r $<
	@touch $@

$(VENV)/site-tools: requirements/site.txt $(VENV)/build-tools
	@$(PIP) -r $<
	@touch $@

$(VENV)/lock-tools: requirements/lock.txt $(VENV)/build-tools
	@$(PIP) -r $<
	@touch $@

# The stamp is of the time before the build: what is edited meanwhile is built next time.
$(VENV)/compiled: $(VENV)/build-tools $(SOURCES)
	@echo "== The engine, in Rust: a minute or more =="
	@touch $@.begun
	@$(IN_VENV) $(BIN)/maturin develop --release --locked --skip-install
	@mv $@.begun $@

# The package, installed so that changes of the Python files count at once.
$(VENV)/engine: $(VENV)/compiled $(VENV)/packages
	@PIP_QUIET=1 $(IN_VENV) $(BIN)/maturin develop --release --locked --quiet
	@touch $@
