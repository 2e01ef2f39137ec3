# make run      set up what the program needs and compare the engines on the headline scenario
# make help     list these targets
# make check    format, lint and test the crates that changed, the documents' links and words; a minute or two
# make test     set everything up and pass every check: exactly what continuous integration does
# make test-least  run the tests with the least versions of packages that pyproject.toml allows; part of `make test`
# make lock     lock the Python packages again (requirements/); UPGRADE=1 takes the newest
# make wheel    build wheel and source distribution, and try each in an empty environment
# make bench    measure speed
# make validate  list the comparisons with ns-3, ns-2, the Linux kernel and real programs; WHAT="ns3 queues" runs them
# make evaluations  evaluate all laws by RFC 9743, and by suites of cases, with an engine that has noq; minutes
# make bench-laws  score all laws on the validation set of `windward bench`; minutes
# make today    lay ten laws over the networks of today, simulated and between real kernels, as root; half an hour
# make snapshots  accept what the commands, messages and tables print now; their diff is the review
# make playground  build the playground, one page with the engines inside, into target/playground
# make site     build the site into target/site/html, offline and searchable, and check its links
# make docs     write again what is generated: the reference pages, the Python classes, the pictures
# make reproduce  draw the figures of the papers again, judge their claims, write evidence/measured/papers; minutes
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
HOST = $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')
HEADLINE := scenarios/headline.toml
# What the tests had to leave out, and why.
SKIPPED := $(VENV)/skipped
# The parts of the tests that failed; `$(OR_SAY)` behind a command adds its target.
FAILED := $(VENV)/failed
OR_SAY = || { echo "$@" >> $(FAILED); false; }
# For what is run somewhere else.
IN_VENV := VIRTUAL_ENV="$$PWD/$(VENV)"
SKIPS := WINDWARD_SKIPPED="$$PWD/$(SKIPPED)"
# The profile of the tests, which shares what the engine is made of.
CHECKED := --release --config tools/checked.toml
AT_ONCE := --no-print-directory -j5

# What Python compiles once is kept, whatever the environment says: the commands here start it hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

GOALS := run check test lint rust-lint python-lint rust-test python-test other-pythons test-least realtime-test wheel lock bench validate \
	snapshots docs playground site evaluations bench-laws today reproduce mutations fuzz

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

# What it does not use is not built by it.
run:
	@test -e $(VENV)/engine || $(MAKE) $(AT_ONCE) $(VENV)/first
	@test ! -e $(VENV)/engine || $(MAKE) $(AT_ONCE) $(VENV)/engine
	$(BIN)/windward compare $(HEADLINE) --replace --output results/compare/headline
	@echo
	$(BIN)/windward show results/compare/headline/simulate
	$(BIN)/windward report results/compare/headline
	@test -e $(VENV)/engine || echo "\`get\`, \`send\`, \`serve\`, flows over QUIC and best routes are not compiled yet: make $(VENV)/engine"

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
		case $$crate in units|laws|num|fluid|elements|traffic|radio|sim) cargo test --quiet -p windward-scenario -p windward-models --tests --locked || exit 1;; \
			scenario) cargo test --quiet -p windward-models --tests --locked || exit 1;; esac; \
	done
	$(BIN)/pytest -q tests/project/test_words.py tests/project/test_docs.py tests/project/test_generated.py tests/project/test_adding.py \
		-k "words or sentences or summaries or links or index or test_generated or files_to_add or names_of_the_code or lists"

lint: rust-lint python-lint

# rustdoc needs our own crates checked, which clippy has done: `cargo doc` takes them where it calls the same wrapper
# with the same arguments, and checks them again where it does not.
rust-lint: LINTED := $(CHECKED) --workspace --features windward-quic/noq
rust-lint:
	cargo fmt --all --check $(OR_SAY)
	$(ASIDE) cargo clippy $(LINTED) --all-targets --locked -- -D warnings $(OR_SAY)
	RUSTDOCFLAGS="-D warnings" RUSTC_WORKSPACE_WRAPPER="$$(rustc --print sysroot)/bin/clippy-driver" \
		CLIPPY_ARGS="-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__" $(ASIDE) cargo doc $(LINTED) --no-deps --locked --quiet $(OR_SAY)
	@sh tools/deny.sh "$(SKIPPED)" $(OR_SAY)

# After the engine, whose crates it takes: each would wait for the other's lock.
rust-test: | $(VENV)/engine
	$(ASIDE) cargo test $(CHECKED) --workspace --locked --quiet --no-fail-fast $(OR_SAY)

python-lint: $(VENV)/checks
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy $(OR_SAY)

python-test: $(VENV)/checks $(VENV)/engine
	$(SKIPS) $(BIN)/pytest -m "not realtime and not long" --numprocesses auto --dist worksteal $(OR_SAY)

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
	$(SKIPS) $(BIN)/pytest -m "realtime and not long" || failed=1; \
	$(SKIPS) $(BIN)/python tools/test_kernels.py || failed=1; \
	test -z "$$failed" $(OR_SAY)

# For all Linux of glibc 2.28 or later and Python 3.11 or later, laws for the kernel inside. Writes their sizes into
# docs/start/install.md.
wheel: $(VENV)/wheel-tools
	$(BIN)/python tools/build_wheel.py target/wheels
	$(BIN)/python -m tools.check_wheel target/wheels
	$(BIN)/python tools/check_recipe.py

# Where pyproject.toml has changed; UPGRADE=1 takes the newest of everything.
lock: $(VENV)/lock-tools
	PATH="$$PWD/$(BIN):$$PATH" $(BIN)/python tools/requirements.py $(if $(UPGRADE),--upgrade)

bench: $(VENV)/checks $(VENV)/engine $(VENV)-ns3/engine
	cargo bench --workspace --exclude windward-num --locked
	$(BIN)/python evidence/benches/num/bench.py
	cargo bench --locked -p windward-num --bench robustness
	$(BIN)/python evidence/benches/cell/bench.py
	$(BIN)/python evidence/benches/coding/bench.py
	$(BIN)/python evidence/benches/sweep/bench.py
	$(BIN)/python evidence/benches/kernel/bench.py
	$(BIN)/python evidence/benches/transfer/bench.py
	$(BIN)/python evidence/benches/emulate/bench.py
	$(BIN)/python evidence/benches/sim/bench.py --windward $(BIN)/windward --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python evidence/benches/wifi/bench.py --ns3 $(VENV)-ns3/bin/python
	$(BIN)/python evidence/benches/wifi/aggregation_speed.py --ns3 $(VENV)-ns3/bin/python

# What evidence/benches/validations.toml lists.
validate:
	@MAKE="$(MAKE)" VENV="$(VENV)" "$(PYTHON)" tools/validate.py $(WHAT)

# Minutes, to evidence/measured/evaluations.md, suites.md, bbr-questions.md and the pages of laws; goes on where it was
# interrupted.
evaluations: $(VENV)/noq
	$(BIN)/python evidence/benches/evaluate/write.py laws
	$(BIN)/python evidence/benches/evaluate/write.py suites
	$(BIN)/python evidence/benches/evaluate/write.py stacks
	$(BIN)/python evidence/benches/evaluate/bbr_questions.py

# Minutes, to evidence/measured/bench.md.
bench-laws: $(VENV)/engine
	$(BIN)/python evidence/benches/bench/write.py

today: $(VENV)/engine
	$(BIN)/python evidence/benches/emulate/today.py
	$(BIN)/python evidence/benches/emulate/today_wifi.py
	$(BIN)/python evidence/benches/emulate/today_people.py

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

# Minutes the first time: the engines for WebAssembly and explore's page as one file, target/playground/playground.html.
playground: $(VENV)/engine
	$(BIN)/python tools/build_playground.py

# Half a minute, and the playground: docs/, the scenarios and what they link to, as pages that need no network.
site: $(VENV)/site-tools playground
	$(BIN)/python tools/build_site.py

# PAPERS chooses: make reproduce PAPERS=huang2020
reproduce: $(VENV)/checks $(VENV)/engine
	$(BIN)/python tools/reproduce_papers.py $(PAPERS)

# An hour or more, to evidence/measured/validation/mutations.md; goes on where it was interrupted.
mutations: $(VENV)/checks
	$(BIN)/python evidence/faults/mutate.py $(FAULTS)
	$(BIN)/python evidence/faults/mutate_claims.py $(CLAIM_FAULTS)

# libFuzzer, which needs a C++ compiler; fuzz/README.md says more.
MINUTES ?= 10
TARGETS ?= scenario http recordings
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

# The virtual environment.
$(VENV)/python:
	@echo "== Python environment, and what builds the engine =="
	@mkdir -p $(VENV) && { test -x $(BIN)/pip || "$(PYTHON)" -m venv $(VENV); }
	@touch $@

# What the engine is built by. The compiler of the kernel's laws is a large package: the others come beside it.
$(VENV)/build-tools: requirements/build.txt | $(VENV)/python
	@$(PIP) -r $<
	@touch $@

$(VENV)/zig: requirements/zig.txt | $(VENV)/python
	@test -z "$(ZIG)" || $(PIP) -r $< || \
		echo "There is no clang, and ziglang cannot be installed: the kernel will have no laws of Windward's." >&2
	@touch $@

# Crates come from the network while Python's packages do.
$(VENV)/crates: Cargo.lock
	@mkdir -p $(VENV) && cargo fetch --quiet --locked --target "$(HOST)"
	@touch $@

# What the program imports. After the compiler, for which cargo waits.
$(VENV)/packages: requirements/run.txt $(VENV)/build-tools | $(VENV)/zig
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
$(VENV)/compiled $(VENV)/first-compiled: $(VENV)/build-tools $(VENV)/zig $(VENV)/crates $(SOURCES)
	@echo "== The engine, in Rust: a minute or more =="
	@touch $@.begun
	@$(IN_VENV) $(BIN)/maturin develop --release --locked --skip-install $(PARTS)
	@mv $@.begun $@

# The package, installed so that changes of the Python files count at once.
$(VENV)/engine: $(VENV)/compiled
# What `make run` uses of it: no files are transferred, no flow is over QUIC, no routes are sought.
$(VENV)/first: PARTS := --no-default-features --config tools/first.toml
$(VENV)/first: $(VENV)/first-compiled
$(VENV)/first-compiled: tools/first.toml
$(VENV)/engine $(VENV)/first: $(VENV)/packages
	@PIP_QUIET=1 $(IN_VENV) $(BIN)/maturin develop --release --locked --quiet $(PARTS)
	@touch $@

# The engine with the endpoints of noq, for `law_of = "noq"`. It takes the place of the other until that is built again.
$(VENV)/noq: $(VENV)/engine
	@PIP_QUIET=1 $(IN_VENV) $(BIN)/maturin develop --release --locked --features noq
	@touch $@
