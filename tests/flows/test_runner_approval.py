"""The supervisor trusts nobody: what changed since the approval is not started, first or again."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.canonical import canonical_json, seal
from contracts.errors import ContentChanged
from contracts.launch import LaunchRequest
from runners.publishing import publish
from runners.rundir import RunDir
from runners.spawn import send_supervisor
from tests.job_shop import JobShop, shop

__all__ = ["shop"]


def _flip(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])


def _input(role: str) -> Callable[[JobShop, RunDir, LaunchRequest], None]:
    def change(_: JobShop, run: RunDir, launch: LaunchRequest) -> None:
        _flip(next(Path(entry.path) for entry in launch.inputs if entry.role == role))

    return change


def _edit_spec(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    spec = json.loads(run.spec.read_bytes())
    run.spec.write_bytes(canonical_json(spec | {"argv": [*spec["argv"], "--more"]}))


def _space_in_spec(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    run.spec.write_bytes(run.spec.read_bytes() + b" ")


def _break_spec(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    _flip(run.spec)


def _no_approval(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    run.approval.unlink()


def _edit_approval(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    approval = json.loads(run.approval.read_bytes())
    run.approval.write_bytes(canonical_json(approval | {"approver": "somebody else"}))


def _own_seal(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    """Somebody without the approver's secret seals with one of their own, and edits the launch."""
    _edit_spec(shop, run, launch)
    changed = LaunchRequest.model_validate_json(run.spec.read_bytes())
    forged = shop.approve(changed).model_dump(mode="json")
    run.approval.write_bytes(canonical_json(forged | {"mac": seal(forged, shop.home.secret("submit"))}))


def _reject(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    run.approval.write_bytes(canonical_json(shop.approve(launch, decision="reject").model_dump(mode="json")))


def _other_approval(shop: JobShop, run: RunDir, launch: LaunchRequest) -> None:
    other = shop.approve(launch.model_copy(update={"workdir": "/"}))
    run.approval.write_bytes(canonical_json(other.model_dump(mode="json")))


CHANGES = {
    "script": (_input("script"), "content_changed"),
    "config": (_input("config"), "content_changed"),
    "data_manifest": (_input("data_manifest"), "content_changed"),
    "spec edited": (_edit_spec, "content_changed"),
    "spec with a space more": (_space_in_spec, "content_changed"),
    "spec broken": (_break_spec, "content_changed"),
    "approval removed": (_no_approval, "approval_missing"),
    "approval edited": (_edit_approval, "approval_forged"),
    "sealed by another": (_own_seal, "approval_forged"),
    "rejected": (_reject, "rejected"),
    "approval of another launch": (_other_approval, "content_changed"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_first_start_is_refused(shop: JobShop, name: str) -> None:
    change, code = CHANGES[name]
    launch = shop.trainer(2, 0.01)
    run = RunDir(shop.home.runs / "r-0123456789ab")
    # the client did its part; what follows happens between it and the supervisor
    publish(run, launch, shop.approve(launch).model_dump(mode="json"), "key")
    change(shop, run, launch)
    send_supervisor(run, 1, may_start=True)
    record = shop.wait(run.run_id)
    assert (record.state, record.attempt) == ("refused", 0)
    assert record.reason
    assert shop.journal(run.run_id)[-1]["code"] == code
    assert not run.attempts.exists()
    assert not run.events.exists()


@pytest.mark.parametrize("name", ["script", "config", "data_manifest", "spec edited", "approval removed", "rejected"])
def test_a_resume_is_refused_by_the_supervisor_itself(shop: JobShop, name: str) -> None:
    change, code = CHANGES[name]
    launch = shop.trainer(1000)
    submitted = shop.submit(launch)
    shop.until_step(submitted.run_id, 1)
    os.kill(shop.launcher(submitted.run_id), signal.SIGKILL)
    shop.wait(submitted.run_id)
    run = RunDir(shop.run_dir(submitted.run_id))
    change(shop, run, launch)
    send_supervisor(run, 2, may_start=True)
    record = shop.wait(run.run_id, "refused")
    assert record.attempt == 1
    assert shop.journal(run.run_id)[-1]["code"] == code
    assert not run.attempt(2).path.exists()


def test_what_is_restored_may_start_again(shop: JobShop) -> None:
    launch = shop.trainer(3, 0.01)
    run = RunDir(shop.home.runs / "r-0123456789ab")
    publish(run, launch, shop.approve(launch).model_dump(mode="json"), "key")
    script = Path(launch.argv[0])
    content = script.read_bytes()
    _flip(script)
    send_supervisor(run, 1, may_start=True)
    shop.wait(run.run_id, "refused")
    with pytest.raises(ContentChanged):
        shop.runner.resume(run.run_id)
    script.write_bytes(content)
    shop.runner.resume(run.run_id)
    record = shop.wait(run.run_id, "done", "failed")
    assert (record.state, record.attempt) == ("done", 1)


def test_a_secret_that_others_can_read_refuses(shop: JobShop) -> None:
    launch = shop.trainer(3, 0.01)
    run = RunDir(shop.home.runs / "r-0123456789ab")
    publish(run, launch, shop.approve(launch).model_dump(mode="json"), "key")
    (shop.home.secrets / "approve.key").chmod(0o644)
    send_supervisor(run, 1, may_start=True)
    assert shop.wait(run.run_id).state == "refused"
