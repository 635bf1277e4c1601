# Two commands matter: `make demo` runs the main job, `make test` the tests. Each sets itself up.
BIN := .venv/bin
SHORT := not slow and not interop and not slurm
export LANGGRAPH_STRICT_MSGPACK := true

.PHONY: agent demo test test-faults test-all test-slurm check docs clean hermes-env n8n-env skypilot-env

.venv/ready: pyproject.toml constraints.txt scripts/setup_env.sh
	@bash scripts/setup_env.sh

agent:  ## The agent alone in .venv, without torch and the tests
	@[ -x $(BIN)/python ] || "$${PYTHON:-python3}" -m venv .venv
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --editable .

demo: .venv/ready  ## From a request file to a trained model, on two CPU ranks
	@bash scripts/demo.sh

check: .venv/ready  ## Style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check  ## What CI runs
	$(BIN)/python -m pytest -m "$(SHORT)"

test-faults: .venv/ready  ## The fault laboratory: real failures on gloo ranks, diagnosed and mended
	$(BIN)/python -m pytest tests/faults

test-all: check  ## The long tier as well: the crash matrix, optional parts
	$(BIN)/python -m pytest

test-slurm: .venv/ready  ## What runs on a real Slurm, which the tests start: needs slurm-wlm and munge
	$(BIN)/python -m pytest -m slurm

hermes-env:  ## Hermes in an environment of its own, for its interop tests
	@bash scripts/setup_hermes.sh

n8n-env:  ## n8n in a folder of its own, for its interop test: 2.4 GB
	@bash scripts/setup_n8n.sh

skypilot-env:  ## SkyPilot in an environment of its own, for its interop test
	@bash scripts/setup_skypilot.sh

docs: .venv/ready  ## The pages that are written from the code and the cards
	$(BIN)/python -m knowledge.pages
	$(BIN)/python -m engines.review.pages
	$(BIN)/python -m graph.drawing > docs/graph.md.new && mv docs/graph.md.new docs/graph.md
	$(BIN)/python -m interfaces.cli.schemas

clean:
	rm -rf build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
