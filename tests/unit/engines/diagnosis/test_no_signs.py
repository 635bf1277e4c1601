"""What is no sign: advice that stands in every message, numbers that rule a cause out, places in libraries, data."""

import json
import re
from pathlib import Path

import pytest

from contracts.finding import Finding
from engines.diagnosis.by_route import as_told
from engines.diagnosis.context import clues_of_findings
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.quantities import filled, fragmentation, gathered_whole, other_timeout, outside_allocator
from engines.diagnosis.reading import read_paths, read_text

ADVICE = (
    " If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid"
    " fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html)"
)
TRACEBACK = (
    'Traceback (most recent call last):\n  File "/home/u/train.py", line 9, in main\n    d["k"]\nKeyError: \'k\'\n'
)


def oom(wanted: str, free: str, used: str, allocated: str, unused: str, advice: str = ADVICE) -> str:
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted}. GPU 0 has a total capacity of 80.00"
        f" GiB of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the"
        f" allocated memory {allocated} is allocated by PyTorch, and {unused} is reserved by PyTorch but unallocated."
        f"{advice}"
    )


@pytest.mark.parametrize("advice", [ADVICE, ""])
@pytest.mark.parametrize(("wanted", "free"), [("2.00 GiB", "1.21 GiB"), ("900.00 MiB", "121.00 MiB")])
def test_a_gpu_that_is_full_is_neither_in_pieces_nor_full_of_buffers(wanted: str, free: str, advice: str) -> None:
    found = diagnose_text(read_text(oom(wanted, free, "78.79 GiB", "76.80 GiB", "1.00 MiB", advice)))
    assert found.causes[0].cause == "memory-exceeds-gpu"
    assert found.verdict == "diagnosed"
    assert not {"allocator-fragmentation", "nccl-buffers-outside-allocator"} & {cause.cause for cause in found.causes}
    assert "estimate" in found.causes[0].fix


def test_the_numbers_of_a_message_decide() -> None:
    # 1 MiB unused and 1.2 GiB free cannot serve 2 GiB; 14 GiB unused could; of 1.5 unused + 1 free nothing is sure
    full = oom("2.00 GiB", "1.21 GiB", "78.79 GiB", "76.80 GiB", "1.00 MiB").lower()
    pieces = oom("2.00 GiB", "1.21 GiB", "78.79 GiB", "60.00 GiB", "14.00 GiB").lower()
    between = oom("2.00 GiB", "1.00 GiB", "79.00 GiB", "75.50 GiB", "1.50 GiB").lower()
    assert fragmentation(full) < fragmentation(between) < 0 < fragmentation(pieces)
    assert fragmentation(full + "\n" + pieces) > 0, "one rank of several"
    # 78.79 - 76.80 is 2 GiB beside PyTorch, 78.79 - 60.1 is 18.7
    much = oom("2.00 GiB", "1.21 GiB", "78.79 GiB", "60.00 GiB", "100.00 MiB").lower()
    assert outside_allocator(full) < 0 < outside_allocator(much)
    assert filled(full) > filled(much) == 0


@pytest.mark.parametrize("text", ["", "no numbers", "tried to allocate 1.2.3 gib", "tried to allocate 2.00 gib"])
def test_no_numbers_say_nothing(text: str) -> None:
    assert (fragmentation(text), outside_allocator(text), filled(text)) == (0, 0, 0)


@pytest.mark.parametrize(
    "line",
    [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0",
        "srun: error: gpu-a12: task 5: Out Of Memory",
        "Memory cgroup out of memory: Killed process 774 (python)",
        "Reason: OOMKilled",
    ],
)
def test_a_kill_over_host_memory_is_first_and_is_not_the_gpus(line: str) -> None:
    lines = ["step 5 loss 2.1", "saving checkpoint", "gathering full state dict", line]
    found = diagnose_text(read_text("\n".join([*lines, "srun: error: gpu-a12: tasks 0-3: Killed"])))
    assert found.causes[0].cause == "host-memory-limit-reached"
    assert "dcp.save" in found.causes[0].fix
    assert found.first_failure is not None
    assert line in found.first_failure


def test_memory_of_the_gpu_that_ran_out_is_not_the_hosts() -> None:
    for line in ("CUDA error: out of memory", "RuntimeError: CUDA out of memory.", "CUDA_ERROR_OUT_OF_MEMORY"):
        causes = {cause.cause: cause.confidence for cause in diagnose_text(read_text(line)).causes}
        assert causes.get("host-memory-limit-reached", 0) < 0.3


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("[E1130 08:00:02.120 socket.cpp:1019] The server socket has failed to bind to [::]:29500 (errno: 98)", 29500),
        ("[W socket.cpp:4269] failed to bind to 10.0.0.4:29511 (errno: 98 - Address already in use)", 29511),
        ("TCPStore.cpp:1234 Address already in use. MASTER_PORT=29503", 29503),
        ("socket.cpp:1019 failed to listen on any local network address. port: 29777, EADDRINUSE", 29777),
    ],
)
def test_the_port_is_the_addresss_not_the_source_lines(text: str, port: int) -> None:
    fix = diagnose_text(read_text(text)).causes[0].fix
    assert f"Port {port} is taken" in fix


@pytest.mark.parametrize(
    "folder", ["/usr/lib/python3.11/dist-packages/", "/opt/v/lib/python3.11/site-packages/", "/b/"]
)
def test_a_prefix_of_compile_is_taken_off_and_no_library_is_changed(folder: str) -> None:
    frames = f'  File "{folder}torch/nn/modules/module.py", line 2593, in load_state_dict\n    raise RuntimeError('
    text = (
        f'Traceback (most recent call last):\n  File "/home/u/eval.py", line 30, in <module>\n    load()\n{frames}\n'
        'RuntimeError: Error(s) in loading state_dict:\n\tUnexpected key(s) in state_dict: "_orig_mod.embed.weight".\n'
    )
    found = diagnose_text(read_text(text))
    assert found.causes[0].cause == "compile-wrapper-hides-fsdp"
    assert 'key.replace("_orig_mod.", "")' in found.causes[0].fix
    assert not any("module.py" in cause.fix for cause in found.causes)


def test_a_hole_in_a_log_is_read_over(tmp_path: Path) -> None:
    for name, start in {"a.log": b"step 1\n" + b"\0" * 4096, "b": b"\0" * 50_000, "c.out": b"ok \0 ok\n"}.items():
        (tmp_path / name).write_bytes(start + TRACEBACK.encode())
        found = diagnose_text(read_paths([str(tmp_path / name)]))
        assert str(found.first_failure).endswith("KeyError: 'k'"), name
    (tmp_path / "model.bin").write_bytes(b"error\n" + b"\0" * 64 + b"\x01\x02\xff" * 50)
    assert read_paths([str(tmp_path / "model.bin")]).lines == []


@pytest.mark.parametrize("text", ["[1,2,3]", '{"a": 1}', "3.14", json.dumps({"values": [1, 2], "name": "x"})])
def test_data_without_a_word_of_trouble_has_no_cause(text: str) -> None:
    found = diagnose_text(read_text(text))
    assert (found.verdict, found.causes) == ("unknown", ())


@pytest.mark.parametrize(
    "told", ["It just hangs at the end of the epoch, NCCL timeout.", "Træningen hænger til sidst."]
)
def test_a_finding_of_a_guarded_forward_pass_decides_and_its_fix_is_told(told: str) -> None:
    fix = "Run the forward pass on every rank."
    finding = Finding(
        rule="FSDP040",
        slug="collective-under-rank-guard",
        severity="error",
        file="train.py",
        line=24,
        message="a forward pass under a rank guard",
        fix=fix,
        cards=("collective-under-rank-guard",),
    )
    found = diagnose_text(read_text(told), clues=clues_of_findings([finding]))
    assert found.causes[0].cause == "rank-conditional-collective"
    assert found.causes[0].fix.startswith(f"The place to change is line 24 of train.py. {fix}")
    assert "forward pass" in found.causes[0].fix


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ("GLOO_SOCKET_IFNAME=eth0 did not help", " did not help"),
        ("we also set NCCL_IB_DISABLE=1, tried already: no", "we also tried already: no"),
        ("with NCCL_P2P_DISABLE=1 it runs", "with NCCL_P2P_DISABLE=1 it runs"),
        ("CUDA_LAUNCH_BLOCKING=1 makes no difference", " makes no difference"),
    ],
)
def test_a_variable_that_was_tried_in_vain_is_no_sign_and_one_that_helps_is(told: str, left: str) -> None:
    assert as_told(told).split() == left.split()


@pytest.mark.parametrize(
    ("request_gib", "allocated_gib", "whole"),
    [("26.00", "4.10", True), ("26.00", "14.00", False), ("1.50", "0.20", False)],
)
def test_a_request_of_much_more_than_all_that_is_there_is_a_whole_model(
    request_gib: str, allocated_gib: str, whole: bool
) -> None:
    message = oom(f"{request_gib} GiB", "9.00 GiB", "20.00 GiB", f"{allocated_gib} GiB", "10.00 MiB").lower()
    assert (gathered_whole(message) > 0) is whole


@pytest.mark.parametrize(
    ("set_to", "longer"),
    [
        ("timeout=timedelta(hours=2)", True),
        ("ddp_timeout was set to 45 min", True),
        ("the time-out is 600 s", False),
        ("timeout=timedelta(seconds=600)", False),
        ("no word of it", False),
    ],
)
def test_a_time_out_longer_than_the_one_that_ran_out_was_set_elsewhere(set_to: str, longer: bool) -> None:
    assert (other_timeout(f"{set_to}\nworknccl(optype=allreduce, timeout(ms)=600000)") > 0) is longer


def test_memory_beside_pytorchs_is_not_in_its_pieces() -> None:
    # 79 in use, 61 allocated, 1.5 unused: 16.5 GiB are not the allocator's
    beside = oom("1.00 GiB", "0.10 GiB", "79.00 GiB", "61.00 GiB", "1.50 GiB").lower()
    assert fragmentation(beside) < 0 < outside_allocator(beside)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            "DeepSpeed ZeRO-3, rank 2: CUDA error: uncorrectable ECC error encountered; OpType=_ALLGATHER_BASE",
            "not_fsdp",
        ),
        ("FSDP. `import deepspeed` is in the requirements. fsdp: No inf checks were recorded on rank 1", "diagnosed"),
        (
            "isinstance(model, DistributedDataParallel) is False under HSDP: reduce-scatter in each micro-batch",
            "diagnosed",
        ),
    ],
)
def test_what_another_engine_does_is_not_fsdps_fault(text: str, verdict: str) -> None:
    assert diagnose_text(read_text(text)).verdict == verdict


def test_a_change_is_no_hang() -> None:
    from engines.diagnosis.registry import cause_rules

    parts = {part for rule in cause_rules() for sign in rule.signs for part in sign.parts}
    assert not [part for part in parts if re.search(r"(?<![\\\w])hang(?=[|)])|^hang\b", part)]


@pytest.mark.parametrize(
    "line",
    [
        "It stops after 'NCCL INFO Connected all rings' with all cards at 100 %.",
        "Wandb: a step with four micro-batches takes four times as long",
        "The exitcode 1 and the error_file in the banner are all that my colleague and I can see of the failed job",
    ],
)
def test_a_persons_sentence_about_a_banner_is_read(line: str) -> None:
    from engines.diagnosis.text import Text

    assert Text(read_text(line).lines).plain


@pytest.mark.parametrize(
    "text",
    [
        "Training is slow, what can I do?",
        "It crashed last night after 3000 steps, I have no log.",
        "ImportError: cannot import name 'foo' from 'bar' (unknown location)",
        "The dataset has 3 million rows and the tokenizer is slow.",
        "GPU utilisation is 40 % only. 8 x A100, FSDP, batch 1.",
        "step 1 loss 2.3\nstep 2 loss 2.2\nexit code 1",
    ],
)
def test_what_says_little_is_like_no_report(text: str) -> None:
    found = diagnose_text(read_text(text))
    assert found.verdict == "unknown"
    assert found.needed
    assert all(cause.confidence < 0.5 for cause in found.causes)
