# Two commands: `make demo` and `make test`. Each builds its own environment in .venv.
# uv is used; where it is not on the PATH, pip brings it into .venv.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
PLAYS := $(VENV)/.plays
STAMP := $(VENV)/.ready
CHECKERS := $(VENV)/checkers
APART := $(VENV)/apart

# Tests start many processes: what one has compiled the others need not.
check unit soak versions: export PYTHONDONTWRITEBYTECODE :=
check unit soak versions: export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

.PHONY: demo test check lint unit soak versions fetched benchmark screenshot clean

demo: $(PLAYS)
	$(BIN)/arena demo

# Types are checked by one process: tests run beside it.
test: $(STAMP) fetched
	@$(MAKE) --no-print-directory -j 2 lint unit

# What some tests need beside our own environment.
fetched: $(CHECKERS)/.ready $(APART)/.ready

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# After a change, before a commit: what was changed is formatted and linted, everything is typed,
# and the tests of the changed folders run, without those of whole sites and long arenas.
CHANGED = $(shell git diff --name-only --diff-filter=d HEAD -- '*.py'; git ls-files -o --exclude-standard -- '*.py')
ROOMS = $(sort $(foreach file,$(CHANGED),$(word 2,$(subst /, ,$(file)))))
LONG := cli site engine golden verify docs

check: $(STAMP)
	$(if $(CHANGED),$(BIN)/ruff format $(CHANGED) && $(BIN)/ruff check $(CHANGED))
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --maxprocesses 4 tests/architecture \
		$(wildcard $(addprefix tests/,$(filter-out $(LONG),$(ROOMS)))) \
		$(filter tests/%,$(CHANGED))

# A process more than there are cores, as tests often wait. Each has whole files, whose sites are
# built once, in the files' own order: the other one keeps some long tests for the end.
CORES := $(shell getconf _NPROCESSORS_ONLN)
PROCESSES = $$(($(CORES) < 4 ? $(CORES) + 1 : 4))

unit: $(STAMP)
	$(BIN)/pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

# Everything whole: the long tests that the gate leaves out, and those of which it does a part.
soak: $(STAMP) fetched
	ARENA_SOAK=1 $(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# What reads other libraries' numbers and files, with the lowest versions that pyproject.toml
# allows, and with the newest on the newest Python: `make versions NEWEST=python3.14`. The tests
# of the ledger and all those of the store depend on the Python and its SQLite alone.
NEWEST ?= $(PYTHON)
READERS := arena tests/config tests/odds tests/scoring tests/sheets \
	$(addprefix tests/store/test_,datasets.py evidence.py migrations.py sqlite.py)

versions: $(STAMP)
	$(call try,$(PYTHON),lowest-direct,$(READERS))
	$(call try,$(NEWEST),highest,$(READERS) tests/ledger tests/records tests/store)

define try
$(BIN)/uv venv --quiet --allow-existing --python $(1) $(VENV)/$(2)
$(BIN)/uv pip install --quiet --python $(VENV)/$(2)/bin/python --resolution $(2) \
	--group dev --editable .
$(VENV)/$(2)/bin/pytest -n auto --maxprocesses 4 $(3)
endef

benchmark: $(STAMP)
	$(BIN)/python -m benchmarks

screenshot: $(STAMP)
	$(BIN)/python docs/screenshot.py

clean:
	rm -rf $(VENV) demo replay .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The environment is made anew when what it should hold has changed. Playing needs the package
# alone; the gate adds its tools and the libraries that ours are compared with.
define install
	@if command -v uv >/dev/null 2>&1; then \
		echo "setting up with uv"; \
		uv venv --quiet --allow-existing --python ">=3.11" $(VENV) && \
		uv pip install --quiet --python $(BIN)/python $(1) --editable . ; \
	else \
		echo "setting up with venv and uv"; \
		$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else None' && \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check uv && \
		$(BIN)/uv pip install --quiet --python $(BIN)/python $(1) --editable . ; \
	fi
endef

$(PLAYS): pyproject.toml
	$(call install,)
	@touch $(PLAYS)

# Checkers of pages, from npm. Without them their tests are skipped, and say so.
$(CHECKERS)/.ready: tests/site/checkers/package.json
	@mkdir -p $(CHECKERS) && cp $< $(CHECKERS)/
	@if ! command -v npm >/dev/null 2>&1; then \
		echo "npm is not there: the checkers of pages will be skipped"; \
	elif npm install --prefix $(CHECKERS) --no-package-lock --no-audit --no-fund --ignore-scripts \
		--loglevel=error; then touch $@; \
	else echo "the checkers of pages could not be installed: they will be skipped"; fi

# Readers of exports that need other versions of libraries than the gate.
$(APART)/.ready: pyproject.toml $(STAMP)
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(APART)
	@$(BIN)/uv pip install --quiet --python $(APART)/bin/python --group apart
	@touch $@

$(STAMP): pyproject.toml
	$(call install,--group dev --group verify)
	@touch $(PLAYS) $(STAMP)
