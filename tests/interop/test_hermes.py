"""The real Hermes agent with a scripted model: install, delegate, be refused, page through, remove."""

import json
import time
from typing import Any

import yaml

from interfaces.cli.hermes import SERVER
from interfaces.mcp.tools import TOOLS
from tests.interop.hermes_desk import DONE, HERMES, NEEDS_HERMES, ROOT, Desk, answers, install, results, tool, turn

pytestmark = NEEDS_HERMES

TRIALS = 5
"""Turns that a loaded machine is given to be quick once."""


def test_the_tools_are_found_within_the_default_time_and_the_skill_is_listed(desk: Desk) -> None:
    # an agent begins its first turn after 1.5 s, with the tools that it has by then
    desk.settings = {"mcp_discovery_timeout": None}
    began = time.monotonic()
    for _ in range(TRIALS):
        [first] = turn(desk, DONE).seen[:1]
        names = {each["function"]["name"] for each in first["tools"]}
        if f"mcp__{SERVER}__fsdp_plan" in names:
            break
        # a machine that is busy with other things may be late once
    else:
        raise AssertionError(f"{TRIALS} turns in {time.monotonic() - began:.0f} s had no tool of ours: {sorted(names)}")
    assert {f"mcp__{SERVER}__{name}" for name in TOOLS} <= names
    # what a model is told of the skill is its name and its description, uncut
    said = json.dumps(first["messages"])
    assert "fsdp-specialist" in said
    assert "Plan, review, debug, run PyTorch FSDP training" in said
    assert "fsdp-specialist" in desk.hermes("skills", "list")


def test_the_guard_finds_nothing_in_the_skill(desk: Desk) -> None:
    verdict, findings = desk.python(
        "import json\nfrom pathlib import Path\nfrom tools.skills_guard import scan_skill\n"
        f"found = scan_skill(Path({str(ROOT / 'interfaces' / 'hermes' / 'fsdp-specialist')!r}), source='community')\n"
        "print(json.dumps([found.verdict, [str(each) for each in found.findings]]))"
    )
    assert (verdict, findings) == ("safe", [])


def test_the_skill_hides_without_its_server(desk: Desk) -> None:
    skill = desk.folder / "hermes" / "skills" / "mlops" / "fsdp-specialist" / "SKILL.md"
    program = (
        "import json\nfrom agent.skill_utils import extract_skill_conditions, parse_frontmatter\n"
        "from agent.prompt_builder import _skill_should_show\nfrom pathlib import Path\n"
        f"text = Path({str(skill)!r}).read_text()\n"
        "conditions = extract_skill_conditions(parse_frontmatter(text)[0])\n"
        "ours = {'mcp__fsdp__fsdp_assess', 'mcp__fsdp__fsdp_plan', 'terminal'}\n"
        "shown = [_skill_should_show(conditions, tools, set()) for tools in (ours, {'terminal'})]\n"
        "print(json.dumps(shown))"
    )
    assert desk.python(program) == [True, False]


LOG = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
CODE = "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
CODE += "opt = torch.optim.AdamW(model.parameters())\nfully_shard(model)\n"


def test_whole_turns_for_the_four_uses_and_the_refusals(desk: Desk) -> None:
    script = turn(
        desk,
        tool("plan", text="Full fine-tune of Llama-3-70B, seq 8192, on 16 H100 80GB"),
        tool("diagnose", text=LOG),
        tool("review", files={"train.py": CODE}),
        tool("ask", question="HSDP or full sharding on 4 nodes?"),
        tool("assess", text="Which provider has the cheapest Llama endpoint?"),
        tool("assess", text="Byg et n8n workflow, der poster til Slack"),
        DONE,
    )
    plan, diagnosis, review, answer, provider, workflow = answers(script)
    assert plan["verdict"] == "use_fsdp"
    assert diagnosis["causes"]
    assert review["findings"][0]["rule"] == "FSDP001"
    assert answer["covered"] is True
    assert provider["verdict"] == workflow["verdict"] == "out_of_scope"


def test_failures_in_a_row_do_not_make_the_server_look_broken(desk: Desk) -> None:
    wrong = [
        (tool("diagnose", paths=["/etc/hostname"]), "path_outside_roots"),
        (tool("status", id="t-000000000000"), "unknown_thread"),
        (tool("plan", gpus=-8), "input_invalid"),
        (tool("review", files={"../train.py": CODE}), "input_error"),
        (tool("start_run", key="k", request={"intent": "run", "model": {"path": "/nowhere"}}), "path_outside_roots"),
    ]
    rule = tool("ask", question="does FSDP2 need ShardedGradScaler?")
    *failed, answer = answers(turn(desk, *(step for step, _ in wrong), rule, DONE))
    # Hermes takes a server that errs three times in a row for broken, and keeps its tools away for a minute
    assert [each["error"]["code"] for each in failed] == [code for _, code in wrong]
    assert answer["covered"] is True


TWICE = CODE + CODE.replace("model", "critic").replace("opt ", "other ")
FILES = {f"f{number:02}.py": TWICE for number in range(49)}


def next_page(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """What a model does with a result that was cut: it asks for the rest, as the result itself says."""
    told = [results(str(message["content"])) for message in messages if message["role"] == "tool"]
    if not told:
        return tool("review", paths=["code"])
    if "next_offset" in told[-1] or "cut" in told[-1]:
        offset = told[-1].get("next_offset", 0)
        return tool("review", paths=["code"], part="findings", offset=offset)
    return DONE


def test_a_result_over_hermes_cap_arrives_whole_page_by_page(desk: Desk) -> None:
    context_tokens = 64_000
    desk.settings = {"model": {"context_length": context_tokens}}
    cap = desk.python(
        "from tools.budget_config import budget_for_context_window\n"
        f"print(budget_for_context_window({context_tokens}).resolve_threshold('mcp__fsdp__fsdp_review'))"
    )
    (desk.bench.folder / "code").mkdir()
    for name, content in FILES.items():
        (desk.bench.folder / "code" / name).write_text(content)
    whole = desk.agent("review", "code", "--json").stdout
    assert len(whole) > cap, "too short to show anything"
    script = turn(desk, next_page)
    first, *pages = answers(script)
    assert all(len(content) < cap for content in script.results())
    assert first["cut"]["findings"]["of"] == len(json.loads(whole)["findings"])
    got = [(finding["file"], finding["line"], finding["rule"]) for page in pages for finding in page["findings"]]
    assert len(pages) > 1
    expected = json.loads(whole)["findings"]
    assert got == [(str(desk.bench.folder / each["file"]), each["line"], each["rule"]) for each in expected]


def test_installing_again_changes_nothing(desk: Desk) -> None:
    files = [desk.folder / "hermes" / "config.yaml", *(desk.folder / "hermes" / "skills" / "mlops").rglob("*.md")]
    before = [path.read_bytes() for path in files]
    install(desk)
    assert [path.read_bytes() for path in files] == before


def test_a_home_folder_that_the_shell_names_is_the_servers_too(desk: Desk) -> None:
    place = str(desk.bench.home.root)
    added = desk.agent("hermes", "install", "--hermes", str(HERMES / "hermes"), FSDP_AGENT_HOME=place)
    assert added.returncode == 0, added.stderr
    config = yaml.safe_load((desk.folder / "hermes" / "config.yaml").read_text())
    assert config["mcp_servers"][SERVER]["args"] == ["mcp", "--home", place]


def test_removal_leaves_nothing(desk: Desk) -> None:
    removed = desk.agent("hermes", "remove", "--hermes", str(HERMES / "hermes"), "--json")
    assert removed.returncode == 0, removed.stdout + removed.stderr
    assert "fsdp" not in (desk.folder / "hermes" / "config.yaml").read_text().split("\n\n#")[0]
    assert not list((desk.folder / "hermes" / "skills").rglob("*fsdp*"))
    assert "fsdp-specialist" not in desk.hermes("skills", "list")
