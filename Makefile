# Everything a developer or a new user runs; `make demo` and `make test` set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
STAMP := $(VENV)/.compiled
CORE := setup.py scripts/incremental.py scripts/toolchain.py \
    $(shell find ext -name '*.pyx' -o -name '*.pxd' -o -name '*.[ch]')

# Tests run every instruction set; the demo compiles this processor's.
export UR_ALL_SETS := 1

# Programs start twice as fast from modules that were compiled before, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test test-slow test-long check lint types bench docs wheel sanitize clang dist-test build clean

build: $(STAMP)

# The environment, which the metadata and the dependencies of the package decide. It compiles as well,
# while most of the environment is installed, which takes one processor.
COMPILE := $(BIN)/python setup.py --quiet build_ext --inplace
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build
	$(BIN)/pip install --quiet --group dev & $(COMPILE); compiled=$$?; \
	    wait $$! && exit $$compiled
	$(BIN)/pip install --quiet --no-build-isolation --editable .
	touch $@

# The compiled core: what changed since the last time.
$(STAMP): $(INSTALLED) $(CORE)
	$(COMPILE)
	touch $@

demo: export UR_ALL_SETS := 0
demo:
	@$(PYTHON) scripts/demo.py

# A process for each processor and one more, as some tests wait for others' processes; one that has no
# tests left takes them over from the others.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() or 1, 8) + 1)')
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Tests are marked by what they take: `medium` and `slow` ones, then `long` ones.
quick: $(STAMP)
	$(PYTEST) -q -m 'not medium and not slow and not long'

test: $(STAMP)
	$(PYTEST) -m 'not slow and not long'

# Only files with such tests are collected.
test-slow: $(STAMP)
	$(PYTEST) -m 'slow and not long' $$(grep -rl mark.slow tests --include=test_*.py)

test-long: $(STAMP)
	$(BIN)/pytest -m long

# Side by side: none of the three uses more than one processor.
check: $(STAMP)
	$(MAKE) --no-print-directory -j 3 --output-sync lint types docs

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

# The types of compiled modules are written by hand; stubtest compares them with the modules.
types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/stubtest --mypy-config-file pyproject.toml \
	    --allowlist tests/stubtest.txt --ignore-disjoint-bases \
	    $$(find ur_solver -name '*.pyi' | sed 's,\.pyi$$,,; s,/,.,g')

# Bounds checks, AddressSanitizer and UBSan, in a copy of the tree; Python's own memory is
# not looked at for leaks, as it frees little when it ends. What they find depends on which code runs
# and on the shapes of blocks, not on values: tests marked `memory` take every path once. Only files with
# such tests are collected. With -O1 the tests take half as long, and the compiler half as long again.
SANITIZE := -O1 -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
sanitize: $(STAMP)
	scripts/in_a_copy 'UR_DEBUG=1 UR_CFLAGS="$(SANITIZE)" \
	    $(BIN)/python setup.py -q build_ext --inplace && \
	  LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=. \
	    $(PYTEST) -q -m "memory and not long" -p no:cacheprovider \
	    $$(grep -rl mark.memory tests --include=test_*.py)'

# Another compiler, without OpenMP where there is no libomp: it compiles this processor's kernels without
# warnings, and small games have the values of exact fractions.
clang: $(STAMP)
	scripts/in_a_copy 'CC=clang UR_ALL_SETS=0 UR_WERROR=1 UR_CFLAGS=-O1 \
	    $(BIN)/python setup.py -q build_ext --inplace && \
	  PYTHONPATH=. $(BIN)/python -m pytest -q -p no:cacheprovider tests/test_exact.py -m "not slow and not long"'

# The package from its sdist, through a wheel, with the source tree out of reach.
dist-test: $(STAMP)
	scripts/dist_test $(BIN)/python

# The documentation as a site in docs/_build/html; nothing is fetched.
docs: $(STAMP)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

# Wheels for the Pythons of this machine, each tried in an environment without a compiler.
wheel:
	scripts/make_wheels $(PYTHONS)

bench: $(STAMP)
	$(BIN)/python scripts/bench $(BENCH)

clean:
	rm -rf $(VENV) build *.egg-info
	find ur_solver -name '*.so' -delete
