# Everything sets itself up: `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

QUICK := -q -n auto --ignore=tests/real --ignore=tests/gpu --ignore=tests/bench --ignore=tests/history \
	--ignore=tests/page --ignore=tests/long

.PHONY: demo test test-lowest test-wheel test-real test-gpu test-history test-page test-crash fuzz supply lint format bench bench-peers docs clean

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q --editable . --group dev
	touch $@

demo: $(VENV)/.ready
	$(BIN)/python -m tests.example.demo

test: $(VENV)/.ready
	$(BIN)/pytest $(QUICK) $(ARGS)

# The same with the lowest versions that pyproject.toml allows.
test-lowest:
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install -q uv
	.venv-lowest/bin/uv pip install -q --python .venv-lowest/bin/python --resolution lowest-direct \
		--editable . --group dev
	.venv-lowest/bin/pytest $(QUICK) $(ARGS)

# The same with the wheel that is built from here, where the source is not.
test-wheel: .venv-wheel
	.venv-wheel/bin/python -m pip install -q --group dev
	rm -rf dist/tests && mkdir dist/tests
	git ls-files -z ':!dgpin' | xargs -0 cp --parents --no-dereference --target-directory dist/tests
	cd dist/tests && ../../.venv-wheel/bin/pytest $(QUICK) $(ARGS)

.PHONY: .venv-wheel
.venv-wheel:
	rm -rf dist
	$(PYTHON) -m venv --clear $@
	$@/bin/python -m pip install -q --upgrade pip
	$@/bin/python -m pip wheel -q --no-deps --wheel-dir dist .
	$@/bin/python -m pip install -q dist/*.whl

# What the installed wheel consists of, as CycloneDX, and what is known against it.
supply: $(VENV)/.ready .venv-wheel
	$(BIN)/python -m pip install -q --group supply
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-file dist/sbom.cdx.json \
		.venv-wheel/bin/python
	$(BIN)/python -m tests.supply.audit .venv-wheel/bin/python

# Released trees and builds, fetched by pip, and the tests that take long by themselves.
test-real: $(VENV)/.ready
	$(BIN)/pytest -q -n auto --dist loadfile tests/real tests/long $(ARGS)

# DGPIN_GPU_BUILD is a directory that holds a build; DGPIN_GPU_PYTHON has the torch that it loads
# under.
test-gpu: $(VENV)/.ready
	$(BIN)/pytest -q tests/gpu $(ARGS)

# DGPIN_DEEPGEMM_REPO is the path of a clone of deepseek-ai/DeepGEMM.
test-history: $(VENV)/.ready
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/pytest -q tests/history $(ARGS)

# Needs Chromium on PATH; Playwright drives it.
test-page: $(VENV)/.ready
	$(BIN)/python -m pip install -q --group page
	$(BIN)/pytest -q tests/page $(ARGS)

# Needs CPython 3.11 or 3.12. TARGET --seconds N --planted; all of them for ten minutes each else.
fuzz: $(VENV)/.ready
	$(BIN)/python -m pip install -q --group fuzz
	$(BIN)/python -m tests.fuzz $(ARGS)

# Needs strace. All of it takes long; --sample N --seed TEXT takes N faults of it.
test-crash: $(VENV)/.ready
	$(BIN)/python -m tests.crash $(ARGS)

lint: $(VENV)/.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# ARGS: --only ROWS, --rounds N, and --write to put the table and the picture into docs/.
# DGPIN_DEEPGEMM_REPO, a clone of deepseek-ai/DeepGEMM, gives carry a real history.
bench: $(VENV)/.ready
	$(BIN)/python -m pip install -q --group bench
	$(BIN)/python -m tests.bench $(ARGS)

bench-peers: $(VENV)/.ready
	$(BIN)/python -m pip install -q --group bench
	$(BIN)/python -m tests.bench.peers $(ARGS)

docs: $(VENV)/.ready
	$(BIN)/python -m pip install -q --group docs
	$(BIN)/python docs/generate.py
	$(BIN)/python -m docs.pictures
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	rm -rf $(VENV) dist site .cache .mypy_cache .ruff_cache .hypothesis
