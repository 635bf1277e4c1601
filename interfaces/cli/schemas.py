"""The JSON Schema of every command's answer: `python -m interfaces.cli.schemas` writes them."""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from contracts.answer import Answer
from contracts.diagnosis import Diagnosis
from contracts.finding import ReviewResult
from contracts.need import Need
from contracts.run import RunRecord
from contracts.whatif import WhatIf
from interfaces.results import Failure, Health, MadeToken, Thread, TokenList
from interfaces.results_dryrun import DryRunAnswer
from interfaces.results_hermes import HermesChange
from interfaces.results_jobs import CheckpointList, Followed, Reconciled, RunDetail, RunList, RunLogs
from interfaces.results_kb import CardList, CardText, Verification
from interfaces.results_n8n import N8nChange
from interfaces.results_plan import PlanAnswer
from interfaces.results_preflight import Preflight
from interfaces.results_probe import ProbeRun
from interfaces.results_sizing import Estimate, EstimateRow, EstimateSummary
from interfaces.results_study import StudyAnswer
from interfaces.results_tensorboard import TensorboardFile
from interfaces.results_trials import PlanTried

ANSWERS: dict[str, Any] = {
    "approve": Thread,
    "ask": Answer,
    "ask-study": StudyAnswer,
    "assess": Need,
    "diagnose": Diagnosis,
    "doctor": Health,
    "error": Failure,
    "estimate": Estimate,
    "estimate-dry-run": DryRunAnswer,
    "estimate-runs": EstimateRow | EstimateSummary,
    "hermes-install": HermesChange,
    "hermes-remove": HermesChange,
    "jobs-cancel": RunRecord,
    "jobs-checkpoints": CheckpointList,
    "jobs-diagnose": Diagnosis,
    "jobs-export": RunRecord,
    "jobs-follow": Followed,
    "jobs-list": RunList,
    "jobs-logs": RunLogs,
    "jobs-preflight": Preflight,
    "jobs-probe": ProbeRun,
    "jobs-resume": Followed,
    "jobs-show": RunDetail,
    "jobs-tensorboard": TensorboardFile,
    "kb-list": CardList,
    "kb-search": CardList,
    "kb-show": CardText,
    "kb-verify": Verification,
    "n8n-install": N8nChange,
    "n8n-remove": N8nChange,
    "plan": PlanAnswer,
    "plan-trials": PlanTried,
    "reconcile": Reconciled,
    "reject": Thread,
    "review": ReviewResult,
    "run": Thread,
    "tokens-add": MadeToken,
    "tokens-list": TokenList,
    "tokens-remove": TokenList,
    "tokens-rotate": MadeToken,
    "whatif": WhatIf,
}
"""What each command prints with `--json`; `error` is what any of them prints instead."""

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
"""Where the schemas are kept in the repository."""


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a command's answer."""
    body = TypeAdapter(ANSWERS[command]).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **body, "title": f"fsdp-agent {command}"}


def written(command: str) -> str:
    """Return the text of a command's schema file."""
    return json.dumps(schema_of(command), indent=2, sort_keys=True) + "\n"


def main(folder: Path = FOLDER) -> None:
    """Write every schema, and take away those of commands that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.schema.json"):
        if path.name.removesuffix(".schema.json") not in ANSWERS:
            path.unlink()
    for command in ANSWERS:
        (folder / f"{command}.schema.json").write_text(written(command), encoding="utf-8")


if __name__ == "__main__":
    main(*(Path(word) for word in sys.argv[1:2]))
