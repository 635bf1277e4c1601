"""`jobs diagnose`: the folder of a run that failed tells why."""

import json
from typing import Any

import jsonschema
import pytest

from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of
from runners import LocalRunner
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


@pytest.mark.parametrize(("ended", "words"), [("done", "finished at step 4"), ("cancelled", "was cancelled")])
def test_a_run_that_did_not_fail_has_no_cause(thread: Any, bench: Any, capsys: Any, ended: str, words: str) -> None:
    bench.switch("hold", ended == "cancelled")
    run_id = started(thread, bench)
    if ended == "cancelled":
        LocalRunner(bench.home).cancel(run_id)
    assert bench.wait(run_id).state == ended
    capsys.readouterr()
    assert run_command(["jobs", "diagnose", run_id, "--home", str(bench.home.root), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, schema_of("jobs-diagnose"))
    assert (answer["verdict"], answer["causes"], answer["needed"]) == ("no_failure", [], [])
    assert words in answer["remark"]
    assert run_command(["jobs", "diagnose", run_id, "--home", str(bench.home.root)]) == 0
    assert "nothing failed" in "".join(capsys.readouterr())


def test_a_run_that_is_not_there_is_wrong_use(bench: Any, capsys: Any) -> None:
    code = run_command(["jobs", "diagnose", "r-000000000000", "--home", str(bench.home.root), "--json"])
    assert code == 2
    assert "r-000000000000" in json.loads(capsys.readouterr().out)["error"]["message"]
