# Every target makes the environment it needs, and uses it again next time.
#   make test PYTHON=python3.13     another interpreter (make clean first)
#   make test CONSTRAINTS=          the newest release of every package (make clean first)
#   make bench FAMILY=linear        one family of benchmarks

PYTHON ?= python3
JOBS ?= 2
# Exact releases of all tools; empty: the newest.
CONSTRAINTS ?= constraints.txt

VENV := .venv
PY := $(VENV)/bin/python
BUILT := $(VENV)/.installed
RECIPE := pyproject.toml $(CONSTRAINTS) meson.build meson.options src/onstream/meson.build
SOURCES = $(shell find src -type f ! -path '*/__pycache__/*')
# Hides the editable install, whose package has no folder that import-linter could walk.
SOURCE_ONLY := MESONPY_EDITABLE_SKIP=$(CURDIR)/build/editable PYTHONPATH=src
INSTALL = -m pip install -qq $(addprefix -c ,$(CONSTRAINTS))
SAY = @printf '\n== %s\n'

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-oldest bench fuzz torture constraints sanitize sanitize-checked sanitize-asan lint docs clean build

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: build ## race the learners over real weather and a drift; report in demo-report/
	@$(PY) -m onstream.cli.demo --out demo-report

test: lint build ## lint, tests, every example in README and docs, a short demo
	$(SAY) "tests"
	@$(PY) -m pytest -n $(JOBS) --dist worksteal
	@$(PY) -c 'import pyspark' 2> /dev/null && command -v java > /dev/null || \
	    echo 'Skipped: the tests on Spark, which need pyspark and Java (.ci/run installs both).'
	$(SAY) "demo"
	@$(PY) -m onstream.cli.demo --quick --out build/demo-report

test-all: lint build ## the same with the slow tests, and with coverage
	$(SAY) "tests, slow ones included"
	@$(PY) -m pytest -n $(JOBS) --cov --cov-report=term -m ""
	$(SAY) "demo"
	@$(PY) -m onstream.cli.demo --out build/demo-report

bench: build ## measure against other libraries; FAMILY=linear for one family, ROUNDS=3, RESUME=1
	@$(PY) -m benchmarks $(if $(FAMILY),--family $(FAMILY)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	    $(if $(RESUME),--resume)

fuzz: build ## random work on everything public; SECONDS_EACH=600 for each fuzzer, FUZZER=files for one
	@$(PY) -m tests.fuzz $(FUZZER) --seconds $(or $(SECONDS_EACH),60)

torture: build ## kill, starve and insult the service at full size (30 minutes); PART=load for one part
	@$(PY) $(INSTALL) --group torture
	@$(PY) -m tests.serve.torture $(PART)

sanitize: sanitize-checked sanitize-asan ## tests on a bounds-checked build, then under ASan and UBSan

lint: build ## ruff, cython-lint, mypy, stubtest, import-linter
	$(SAY) "lint"
	@$(PY) -m ruff check --quiet --output-format concise .
	@$(PY) -m ruff format --check --quiet .
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint src
	@$(PY) -m mypy
	@MYPYPATH=src $(PY) -m mypy.stubtest --mypy-config-file mypy.ini --concise --ignore-missing-stub \
	    --ignore-disjoint-bases --allowlist .ci/stubtest.txt $$(cd src && find onstream -name '*.pyi' | sed 's|/|.|g; s|.pyi$$||')
	@report=$$($(SOURCE_ONLY) $(VENV)/bin/lint-imports --no-logo) || { echo "$$report"; exit 1; }
	@echo "Imports point down only."

docs: build ## check the examples and the links, build the pages into site/
	$(SAY) "docs"
	@$(PY) -m pytest tests/test_examples.py
	@$(PY) -m mkdocs build --strict --quiet
	@echo "The pages are in site/index.html."

clean: ## remove environments, builds, caches and reports
	@rm -rf .venv .venv-* build dist site demo-report
	@rm -rf .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

# --- environments ---------------------------------------------------------------------------

# $(1): the folder. The tools that build come first: the package is built without isolation.
define environment
	$(SAY) "environment $(1)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "onstream needs Python 3.11 or newer: make PYTHON=python3.12")'
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@$(1)/bin/python $(INSTALL) --upgrade 'pip>=25.1'
	@$(1)/bin/python $(INSTALL) --group build
endef

# Editable: importing the package rebuilds what changed. Two test processes must not both do
# that, so `build` does it first, and shows what the compiler says. A new .pyx must be configured.
MODULES = find src -name '*.pyx' | sort
build: $(BUILT)
	@$(MODULES) | cmp -s - build/modules.txt || { $(MODULES) > build/modules.txt; \
	    PATH="$(CURDIR)/$(VENV)/bin:$$PATH" meson setup --reconfigure build/editable > build/configure.log; }
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" ninja -C build/editable --quiet

$(BUILT): $(RECIPE)
	$(call environment,$(VENV))
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) $(INSTALL) --no-build-isolation \
	    -Cbuild-dir=build/editable --group dev --editable .
	@touch $@

constraints: ## write the newest release of every package into constraints.txt
	@rm -rf .venv-newest && $(MAKE) --no-print-directory CONSTRAINTS= .venv-newest/.tools
	@.venv-newest/bin/python -m pip install -qq --group dev --group torture --group spark numpy pyarrow safetensors msgspec rich typer
	@{ grep '^#' constraints.txt; .venv-newest/bin/python -m pip freeze --all; } > build/constraints.txt
	@mv build/constraints.txt constraints.txt

# Built as always, then tested with the oldest release of everything that pyproject.toml allows.
test-oldest: .venv-oldest/.installed ## the tests with the oldest releases that are allowed
	$(SAY) "tests with the oldest releases"
	@.venv-oldest/bin/python .ci/oldest.py pyproject.toml > .venv-oldest/oldest.txt
	@.venv-oldest/bin/python -m pip install -qq -r .venv-oldest/oldest.txt
	@.venv-oldest/bin/python -m pytest -n $(JOBS) -W ignore::DeprecationWarning -W ignore::FutureWarning

# --- sanitizers: the package as users get it, built with checks (Linux and gcc) ----------------

CHECKED := -Csetup-args=-Dchecked=true
ASAN := -Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false \
    -Csetup-args=-Dclones=false -Csetup-args=-Ddebug=true -Csetup-args=-Doptimization=1
# ASan must be loaded before Python, and the C++ library before ASan looks for its exceptions.
PRELOAD = $(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libstdc++.so.6)

.venv-%/.tools: pyproject.toml $(CONSTRAINTS)
	$(call environment,.venv-$*)
	@.venv-$*/bin/python $(INSTALL) --group test
	@touch $@

.venv-checked/.installed: OPTIONS = $(CHECKED)
.venv-asan/.installed: OPTIONS = $(ASAN)
.venv-%/.installed: .venv-%/.tools $(RECIPE) $(SOURCES)
	$(SAY) "build $*"
	@PATH="$(CURDIR)/.venv-$*/bin:$$PATH" .venv-$*/bin/python $(INSTALL) \
	    --no-build-isolation -Cbuild-dir=build/$* $(OPTIONS) .
	@touch $@

.PRECIOUS: .venv-%/.tools .venv-%/.installed

sanitize-checked: .venv-checked/.installed
	$(SAY) "tests on the bounds-checked build"
	@ONSTREAM_SANITIZE=checked .venv-checked/bin/python -m pytest -n $(JOBS)

# Only Python's own output is captured: what a dying process says must be seen.
sanitize-asan: .venv-asan/.installed
	$(SAY) "tests under ASan and UBSan"
	@ONSTREAM_SANITIZE=asan LD_PRELOAD="$(PRELOAD)" PYTHONMALLOC=malloc \
	    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	    .venv-asan/bin/python -m pytest -n $(JOBS) --capture=sys
