# Everything a developer or a new user runs; `make demo` and `make test` set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CORE := setup.py pyproject.toml $(shell find ext -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: demo test test-long check bench build clean

build: $(STAMP)

$(STAMP): $(CORE)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group dev
	$(BIN)/pip install --quiet --no-build-isolation --editable .
	touch $@

demo: $(STAMP)
	$(BIN)/ur solve finkel -n 3
	$(BIN)/ur query finkel:3 '....__../......../....__.. L 3 3'
	$(BIN)/ur best finkel:3 'L...__../..D...../....__.. L 2 2' 2

test: $(STAMP)
	$(BIN)/pytest -m 'not long'

test-long: $(STAMP)
	$(BIN)/pytest -m long

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python scripts/bench $(BENCH)

clean:
	rm -rf $(VENV) build *.egg-info
	find ur_solver -name '*.so' -delete
