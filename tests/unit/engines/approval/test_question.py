"""The question about trials: every launch is told, in both languages."""

import pytest

from contracts.launch import InnerLaunch, LaunchRequest, LaunchResources
from contracts.plan import Plan
from contracts.recipe import Recipe
from contracts.request import Language
from engines.approval.question import approval_question

INNER = tuple(
    InnerLaunch(
        label=label,
        argv=("-m", "torch.distributed.run", "/b/fsdp_sft.py", "--config", f"/b/{label}.json"),
        settings={"micro_batch": size, "cpu_offload": False},
    )
    for label, size in (("chosen", 1), ("batch-2", 2))
)
LAUNCH = LaunchRequest(
    kind="trials",
    interpreter="/usr/bin/python3",
    argv=("/b/fsdp_trials.py", "--trials", "/b/trials.json"),
    workdir="/b",
    launches=INNER,
    resources=LaunchResources(nodes=1, ranks_per_node=2, device="cpu"),
    writes=("{run_dir}",),
    inputs=(),
)
PLAN = Plan(
    plan_id="0" * 12, verdict="use_fsdp", fits=None, memory=None, recipe=Recipe(), world_size=2, decisions=(),
    launch=LAUNCH,
)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "summary", "heading"),
    [("en", "Run 2 trials", "It starts these in turn"), ("da", "Kør 2 forsøg", "Det starter disse efter tur")],
)
def test_every_launch_is_listed_with_its_settings_and_its_command(
    language: Language, summary: str, heading: str
) -> None:
    question = approval_question(PLAN, language)
    assert question["summary"].startswith(summary)
    description = question["action_requests"][0]["description"]
    assert heading in description
    for one in INNER:
        assert f"`{one.label}`: `micro_batch={one.settings['micro_batch']}, cpu_offload=False`" in description
        assert f"/usr/bin/python3 -m torch.distributed.run /b/fsdp_sft.py --config /b/{one.label}.json" in description
    assert [one["label"] for one in question["launch"]["launches"]] == ["chosen", "batch-2"]


def test_the_launches_are_part_of_what_is_approved() -> None:
    fewer = LAUNCH.model_copy(update={"launches": INNER[:1]})
    assert fewer.launch_hash != LAUNCH.launch_hash


def test_warnings_are_part_of_what_a_person_reads() -> None:
    plan = PLAN.model_copy(update={"warnings": ("8 ranks share 2 cores: they will wait for each other",)})
    description = approval_question(plan, "en")["action_requests"][0]["description"]
    assert "Warnings:\n- 8 ranks share 2 cores" in description
    assert "Warnings:" not in approval_question(PLAN, "en")["action_requests"][0]["description"]
