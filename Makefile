# Two commands do all the set-up: `make quickstart` and `make test`.
# Needs Python >= 3.11 with pip and venv; everything else is installed into .venv in this folder.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help quickstart test lint format types docs mutants clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

quickstart: $(VENV)/.stamp-run ## install, then train skills on 2D navigation and draw the pictures
	$(BIN)/autotelic quickstart

test: $(VENV)/.stamp-dev ## install what the tests need and run them (the slow learning tests too)
	$(BIN)/python -m pytest -n 2 --dist worksteal

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

mutants: $(VENV)/.stamp-dev ## put faults into the source and list those that no test finds (hours; resumable)
	$(BIN)/python -m tools.mutants

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) docs/_build .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "autotelic needs Python >= 3.11; none was found. Try: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-run: pyproject.toml | $(BIN)/python
	@echo "Installing autotelic into $(VENV) (about a minute the first time) ..."
	$(PIP) install -e '.[all]'
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml | $(BIN)/python
	@echo "Installing autotelic and the test tools into $(VENV) (about a minute the first time) ..."
	$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/.stamp-run
