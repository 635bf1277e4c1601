"""The operations, called as a door calls them; what drives a real job is in tests/flows."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import CannotBeKnown, FsdpAgentError, InputError, NotAllowed
from contracts.settings import Settings
from graph.callers import Caller
from graph.roots import Roots
from interfaces.doors.desk import Desk
from interfaces.doors.operations import OPERATIONS, call
from interfaces.doors.small import LIMIT_CHARACTERS, as_text, error_result

SUBMITTER = Caller(name="ada", right="submit")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "root").mkdir()
    return Desk(Settings(home=str(tmp_path / "home")), SUBMITTER, Roots((str(tmp_path / "root"),)))


def test_assess_says_no_and_yes(desk: Desk) -> None:
    assert call("assess", desk, {"text": "Build me an n8n workflow that posts to Slack"})["verdict"] == "out_of_scope"
    need = call("assess", desk, {"text": "Full fine-tune of Llama-3-70B, seq 4096, on 16 H100 80GB"})
    assert (need["verdict"], need["extracted"]["gpus"]) == ("use_fsdp", 16)


def test_plan_of_fields_and_of_text_agree(desk: Desk) -> None:
    fields = {"model": "Llama-3-8B", "gpus": 8, "gpu": "H100", "seq_len": 8192, "method": "full"}
    of_fields = call("plan", desk, fields)
    assert of_fields["verdict"] == "use_fsdp"
    of_text = call("plan", desk, {"text": "Full fine-tune of Llama-3-8B, seq 8192, on 8 H100"})
    assert of_text["memory"] == of_fields["memory"]
    with pytest.raises(CannotBeKnown):
        call("plan", desk, {})


def test_estimate(desk: Desk) -> None:
    found = call("estimate", desk, {"model": "Llama-3-8B", "gpu": "H100", "settings": {"ranks": 8, "seq_len": 4096}})
    assert found["fits"] is True


BAD = "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
BAD += "opt = torch.optim.AdamW(model.parameters())\nfully_shard(model)\n"


def test_review_of_content_names_the_file_as_it_came(desk: Desk) -> None:
    found = call("review", desk, {"files": {"src/train.py": BAD}})
    [finding] = found["findings"]
    assert (finding["rule"], finding["file"], finding["line"]) == ("FSDP001", "src/train.py", 3)
    assert "/tmp" not in as_text(found)


def test_review_and_diagnose_of_paths_stay_below_the_roots(desk: Desk, tmp_path: Path) -> None:
    inside = tmp_path / "root" / "train.py"
    inside.write_text(BAD)
    assert len(call("review", desk, {"paths": [str(inside)]})["findings"]) == 1
    outside = tmp_path / "outside.py"
    outside.write_text(BAD)
    for name in ("review", "diagnose"):
        with pytest.raises(NotAllowed):
            call(name, desk, {"paths": [str(outside)]})
    for name, given in (
        ("plan", {"model": str(outside), "gpus": 8, "gpu": "H100"}),
        ("estimate", {"model": str(tmp_path)}),
        ("estimate", {"model": "/etc"}),
        ("estimate", {"model": "~nobody/x"}),
        ("start", {"key": "k", "request": {"intent": "run", "model": {"name": "/etc/passwd"}}}),
        ("start", {"key": "k", "request": {"intent": "run", "model": {"path": "/etc"}}}),
    ):
        with pytest.raises(NotAllowed):
            call(name, desk, given)
    (tmp_path / "root" / "link.py").symlink_to(outside)
    assert [Path(name).name for name in call("review", desk, {"paths": [str(tmp_path / "root")]})["files"]] == [
        "train.py"
    ]
    folder = tmp_path / "root" / "model"
    folder.mkdir()
    (folder / "config.json").symlink_to(outside)
    with pytest.raises(NotAllowed):
        call("estimate", desk, {"model": str(folder), "settings": {"ranks": 8}})


def test_diagnose_of_text(desk: Desk) -> None:
    log = "RuntimeError: CUDA error: out of memory\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
    assert call("diagnose", desk, {"text": log})["causes"]
    with pytest.raises(InputError, match="exactly one"):
        call("diagnose", desk, {"text": log, "files": {"a": "b"}})


def test_ask(desk: Desk) -> None:
    found = call("ask", desk, {"question": "does FSDP2 need ShardedGradScaler?"})
    assert found["citations"][0]["card"] == "gradscaler-fsdp2"
    assert call("ask", desk, {"question": "How do I bake bread?"})["covered"] is False


@pytest.mark.parametrize("name", sorted(OPERATIONS))
@pytest.mark.parametrize("given", [None, [], "x", {"nonsense": 1}, {"offset": -1}, 7])
def test_nonsense_is_an_error_with_a_code(desk: Desk, name: str, given: Any) -> None:
    if name == "list" and given is None:
        assert call(name, desk, given) == {"ok": True, "runs": [], "offset": 0}
        return
    with pytest.raises(FsdpAgentError) as refused:
        call(name, desk, given)
    assert refused.value.code


def test_deciding_takes_the_approvers_right(desk: Desk) -> None:
    with pytest.raises(NotAllowed, match="approver"):
        call("decide", desk, {"launch_hash": "a" * 64, "decision": "approve"})


def test_a_long_answer_is_paged(desk: Desk) -> None:
    found = call("review", desk, {"files": {f"f{n}.py": BAD for n in range(40)}})
    assert len(as_text(found)) <= LIMIT_CHARACTERS
    assert found["cut"]["findings"]["of"] == 40
    rest = call("review", desk, {"files": {f"f{n}.py": BAD for n in range(40)}, "part": "findings", "offset": 38})
    assert len(rest["findings"]) == 2


def test_a_file_may_have_a_name_in_any_alphabet(desk: Desk) -> None:
    found = call("review", desk, {"files": {"kode/træning på dansk.py": BAD}})
    assert found["findings"][0]["file"] == "kode/træning på dansk.py"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../a.py", "a/../b.py", "/etc/a.py", "a\x00.py", "a\n.py", "æ" * 120 + ".py"]
)
def test_a_name_that_is_no_plain_path_is_refused(desk: Desk, name: str) -> None:
    with pytest.raises(InputError, match="no name for a file"):
        call("review", desk, {"files": {name: BAD}})


def test_a_very_long_error_is_cut(desk: Desk) -> None:
    with pytest.raises(InputError) as refused:
        call("assess", desk, {"k" * 3000 + str(n): 1 for n in range(20)})
    assert len(as_text(error_result(refused.value))) < LIMIT_CHARACTERS


def test_a_name_that_is_too_long_for_a_file_is_a_model_that_is_not_known(desk: Desk) -> None:
    with pytest.raises(FsdpAgentError):
        call("estimate", desk, {"model": "m" * 400, "settings": {"ranks": 8}})


def test_trials_are_put_before_a_person_with_every_launch_whole(desk: Desk, tmp_path: Path) -> None:
    model = tmp_path / "root" / "model"
    model.mkdir()
    shape = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 256,
    }  # fmt: skip
    (model / "config.json").write_text(json.dumps(shape))
    (model / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    (model / "tokenizer.json").write_text("{}")
    request = {"intent": "plan", "trials": 4, "model": {"path": str(model)}, "recipe": {"seq_len": 32}}
    request |= {"hardware": {"device": "cpu", "ranks": 2}}
    given = {"key": "mine", "request": request}
    found = call("start", desk, given)
    assert found["status"] == "needs_approval", found
    assert len(as_text(found)) <= LIMIT_CHARACTERS
    # each launch can be read whole, by paging where the overview is too short for all
    seen: list[Any] = []
    while len(seen) < 4:
        page = call("status", desk, {"id": found["thread_id"], "part": "launches", "offset": len(seen)})
        assert page["launches"]
        seen += page["launches"]
    assert [one["label"] for one in seen] == ["chosen", "reshard-off", "batch-2", "ac-full"]
    assert all("--config" in one["argv"] and one["settings"]["seq_len"] == 32 for one in seen)
    assert not (tmp_path / "home" / "runs").exists()


def test_a_log_that_is_too_long_for_a_text_is_taken_as_a_file(desk: Desk) -> None:
    log = "step 1: loss 2.0\n" * 20_000 + "torch.OutOfMemoryError: CUDA out of memory.\n"
    with pytest.raises(InputError) as refused:
        call("diagnose", desk, {"text": log})
    assert "longer text goes into files" in refused.value.hint
    assert call("diagnose", desk, {"files": {"job.log": log}})["ok"]
    with pytest.raises(InputError) as other:
        call("ask", desk, {"question": log})
    assert "goes into files" not in other.value.hint
