# Two commands do all the set-up: `make quickstart` and `make test`.
# Needs Python >= 3.11 with pip and venv; everything else is installed into .venv in this folder.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# Processes that run tests side by side, one to a core and about 4 GiB each.
WORKERS ?= 2
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# What is imported is compiled then, and kept; most modules never are.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(PIP) install --no-compile

# The oldest versions have no wheels for the newest Pythons.
LOWEST := .venv-lowest
LOWEST_PYTHON ?= $(shell for p in python3.11 python3.12 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' 2>/dev/null && { echo $$p; break; }; done)
# A part of the tests that uses every package of tools/lowest.txt, and trains in JAX and through host environments.
LOWEST_TESTS := tests/runs/test_history.py tests/observers/test_display.py tests/cli/test_train_flags.py tests/figures/test_skill_embedding.py \
	tests/figures/test_saving.py tests/figures/test_effective_skills.py tests/environments/test_pool.py \
	tests/evaluation/test_threads.py tests/evaluation/test_softmax_regression.py tests/evaluation/test_embedding.py \
	tests/evaluation/test_results.py tests/test_curriculum.py \
	tests/training/test_host_path.py::test_a_learner_acts_on_the_reset_observation_and_only_a_true_end_is_terminated \
	tests/training/test_versions.py::test_the_same_settings_and_seed_give_the_numbers_that_they_gave

.PHONY: help quickstart test test-all test-lowest test-newest lint format types docs dist smoke mutants damage goldens clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

quickstart: $(VENV)/.stamp-run ## install, then train skills on 2D navigation and draw the pictures
	$(BIN)/autotelic quickstart

test: $(VENV)/.stamp-dev ## install what the tests need and run them (the slow learning tests too)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not thorough'

test-all: $(VENV)/.stamp-dev ## the same, and laws that they show in further settings (a fifth longer)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-lowest: $(LOWEST)/.stamp ## a part of the tests with the oldest versions that pyproject.toml allows (tools/lowest.txt)
	$(LOWEST)/bin/python -m pytest -o filterwarnings=default -m 'not slow' $(LOWEST_TESTS)

test-newest: $(VENV)/.stamp-dev ## all tests, with the newest versions of everything that pyproject.toml allows
	$(PIP) install --upgrade --upgrade-strategy eager -e '.[dev]'
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.stamp-dev ## ruff: lint and format check; import-linter: the layers of docs/architecture.md
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.stamp-dev ## pyright
	$(BIN)/pyright --warnings

format: $(VENV)/.stamp-dev ## let ruff rewrite the files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.stamp-dev ## build the documentation site into docs/_build/html (open index.html there), check its links
	rm -rf docs/_build
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/site/check_links.py docs/_build/html

dist: $(VENV)/.stamp-dev ## build the sdist, and from it the wheel, into dist/
	$(PIP) install build
	rm -rf dist
	$(BIN)/python -m build

smoke: dist ## install wheel and sdist with each extra alone in fresh virtual environments, and try them
	$(BIN)/python -m tools.smoke_wheel dist/* $(if $(PYTHONS),--pythons $(PYTHONS))

mutants: $(VENV)/.stamp-dev ## put faults into the source and list those that no test finds (hours; resumable)
	$(BIN)/python -m tools.mutants

damage: $(VENV)/.stamp-dev ## damage one of every file that is read in 3,000 ways, and list what is not refused (minutes)
	$(BIN)/python -m tools.damage --damages 3000

goldens: $(VENV)/.stamp-dev ## compare what the library gives with what it gave when tools/goldens was recorded (minutes)
	$(BIN)/python -m tools.goldens check

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) $(LOWEST) dist docs/_build .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "autotelic needs Python >= 3.11; none was found. Try: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-run: pyproject.toml | $(BIN)/python
	@echo "Installing autotelic into $(VENV) (about a minute the first time) ..."
	$(INSTALL) -e '.[all]'
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml | $(BIN)/python
	@echo "Installing autotelic and the test tools into $(VENV) (about a minute the first time) ..."
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.stamp-run

$(LOWEST)/.stamp: pyproject.toml tools/lowest.txt
	@test -n "$(LOWEST_PYTHON)" || { echo "make test-lowest needs Python 3.11 or 3.12; none was found. Try: make test-lowest LOWEST_PYTHON=/path/to/python3.11"; exit 2; }
	$(LOWEST_PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install -c tools/lowest.txt -e '.[all]' pytest hypothesis
	@touch $@
