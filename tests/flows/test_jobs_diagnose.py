"""`jobs diagnose`: the folder of a run that failed tells why."""

import json
from typing import Any

import jsonschema

from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of
from tests.flows.test_graph_waiting import started


def test_a_failed_run_is_judged_by_its_folder(thread: Any, bench: Any, capsys: Any) -> None:
    bench.switch("fail")
    run_id = started(thread, bench)
    assert bench.wait(run_id).state == "failed"
    capsys.readouterr()
    code = run_command(["jobs", "diagnose", run_id, "--home", str(bench.home.root), "--json"])
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, schema_of("jobs-diagnose"))
    assert code == 3
    assert answer["verdict"] == "unknown"
    assert "ValueError: the data ran out" in answer["first_failure"]
    assert len(answer["needed"]) == 3


def test_a_run_that_is_not_there_is_wrong_use(bench: Any, capsys: Any) -> None:
    code = run_command(["jobs", "diagnose", "r-000000000000", "--home", str(bench.home.root), "--json"])
    assert code == 2
    assert "r-000000000000" in json.loads(capsys.readouterr().out)["error"]["message"]
