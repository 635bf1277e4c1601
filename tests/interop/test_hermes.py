"""The real Hermes agent with a scripted model: install, delegate, be refused, approve, survive, remove.

Hermes lives in an environment of its own, for it pins other versions: `make hermes-env` makes it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import make_bench
from tests.interop.stub_model import Script, model

ROOT = Path(__file__).parents[2]
HERMES = Path(os.environ.get("FSDP_HERMES_ENV", ROOT / ".venv-hermes")) / "bin"
FSDP_AGENT = str(Path(sys.executable).with_name("fsdp-agent"))

pytestmark = [
    pytest.mark.interop,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not (HERMES / "hermes").exists(), reason="needs Hermes in .venv-hermes; run: make hermes-env"),
]


@dataclass
class Desk:
    """A Hermes home of its own, with the agent's home and a request that can be run beside it."""

    folder: Path
    bench: Any

    @property
    def environment(self) -> dict[str, str]:
        base = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return base | {
            "HOME": str(self.folder),
            "HERMES_HOME": str(self.folder / "hermes"),
            "TMPDIR": str(self.folder / "tmp"),
            "PATH": f"{Path(FSDP_AGENT).parent}:{base['PATH']}",
        }

    def hermes(self, *arguments: str, timeout_s: float = 240) -> str:
        done = subprocess.run(
            [str(HERMES / "hermes"), *arguments],
            env=self.environment,
            cwd=self.bench.folder,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout + done.stderr

    def agent(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [FSDP_AGENT, *arguments], env=self.environment, cwd=self.bench.folder, capture_output=True, text=True
        )

    def python(self, program: str) -> Any:
        """Run a program in Hermes' Python; its last line is JSON."""
        done = subprocess.run(
            [str(HERMES / "python"), "-c", program],
            env=self.environment,
            cwd=self.bench.folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.strip().splitlines()[-1])

    def configure(self, script: Script | None = None) -> None:
        """Add to the configuration that the installation wrote: the stub as model, our homes for the server."""
        import yaml

        path = self.folder / "hermes" / "config.yaml"
        config = yaml.safe_load(path.read_text()) or {}
        config["mcp_discovery_timeout"] = 60
        owner = self.bench.folder / "owner.toml"
        owner.write_text(f"[server]\ninterpreters = [{str(self.bench.folder / 'bin' / 'python')!r}]\n")
        owner.chmod(0o600)
        config["mcp_servers"]["fsdp"]["env"] = {
            "FSDP_AGENT_HOME": str(self.bench.home.root),
            "FSDP_AGENT_CONFIG": str(owner),
        }
        if script is not None:
            config["model"] = {
                "default": "stub-model",
                "provider": "custom",
                "base_url": f"http://127.0.0.1:{script.port}/v1",
                "api_key": "not-needed",
                "context_length": 131072,
            }
        path.write_text(yaml.safe_dump(config))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    for name in ("hermes", "tmp", "bench"):
        (tmp_path / name).mkdir()
    made = Desk(tmp_path, make_bench(tmp_path / "bench"))
    added = made.agent("hermes", "install", "--hermes", str(HERMES / "hermes"), "--json")
    assert added.returncode == 0, added.stdout + added.stderr
    yield made
    made.bench.switch("hold", False)


def turn(desk: Desk, *steps: Any) -> Script:
    """One whole turn of the agent with a scripted model."""
    with model(*steps) as script:
        desk.configure(script)
        said = desk.hermes("chat", "-Q", "-q", "Please help with my training.")
        assert script.seen, said
        return script


def answers(script: Script) -> list[dict[str, Any]]:
    """What our tools told the model: JSON in the `result` of what Hermes marks as untrusted."""
    found = []
    for content in script.results():
        wrapped, _ = json.JSONDecoder().raw_decode(content[content.index('{"result"') :])
        found.append(json.loads(wrapped["result"]))
    return found


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": f"mcp__fsdp__fsdp_{name}", "args": arguments}


DONE = {"text": "done"}


def test_the_tools_are_found_within_the_default_time_and_the_skill_is_listed(desk: Desk) -> None:
    found = desk.python(
        "import json, time\nfrom tools.mcp_tool import discover_mcp_tools, shutdown_mcp_servers\n"
        "began = time.monotonic(); names = discover_mcp_tools(); took = time.monotonic() - began\n"
        "shutdown_mcp_servers(); print(json.dumps([sorted(map(str, names)), took]))"
    )
    assert [name for name in found[0] if "fsdp_plan" in name], found
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


def test_a_run_waits_for_a_person_and_survives_a_killed_hermes(desk: Desk) -> None:
    stand = answers(turn(desk, tool("start_run", key="k", request=desk.bench.request), DONE))[0]
    assert stand["status"] == "needs_approval"
    assert desk.bench.starts == []
    # typed in the agent's terminal it is refused, typed by the person it starts
    approve = ("approve", stand["launch_hash"], "--home", str(desk.bench.home.root), "--json")
    terminal = subprocess.run(
        [FSDP_AGENT, *approve], env=desk.environment | {"HERMES_SESSION_ID": "s"}, capture_output=True, text=True
    )
    assert (terminal.returncode, json.loads(terminal.stdout)["error"]["code"]) == (5, "no_person")
    assert desk.bench.starts == []
    desk.bench.switch("hold")
    run_id = json.loads(desk.agent(*approve).stdout)["run_id"]
    # whole turns come and go, each with a server of its own; the job goes on
    status = answers(turn(desk, tool("status", id=stand["thread_id"]), DONE))[0]
    assert status["phase"] == "running"
    desk.bench.switch("hold", False)
    assert desk.bench.wait(run_id).state == "done"
    followed = desk.agent("jobs", "follow", run_id, "--home", str(desk.bench.home.root))
    assert followed.returncode == 0
    report = answers(turn(desk, tool("read", id=stand["thread_id"], what="report"), DONE))[0]
    assert stand["launch_hash"] in report["report"]
    assert desk.bench.starts == [run_id]


def test_failures_in_a_row_do_not_make_the_server_look_broken(desk: Desk) -> None:
    wrong = tool("diagnose", paths=["/etc/hostname"])
    script = turn(desk, wrong, wrong, wrong, wrong, tool("ask", question="does FSDP2 need ShardedGradScaler?"), DONE)
    *failed, answer = answers(script)
    assert [each["error"]["code"] for each in failed] == ["path_outside_roots"] * 4
    assert answer["covered"] is True


def test_a_long_result_is_paged(desk: Desk) -> None:
    files = {f"f{number}.py": CODE for number in range(40)}
    first, rest = answers(
        turn(desk, tool("review", files=files), tool("review", files=files, part="findings", offset=38), DONE)
    )
    assert first["cut"]["findings"]["of"] == 40
    assert len(rest["findings"]) == 2


def test_removal_leaves_nothing(desk: Desk) -> None:
    removed = desk.agent("hermes", "remove", "--hermes", str(HERMES / "hermes"), "--json")
    assert removed.returncode == 0, removed.stdout + removed.stderr
    assert "fsdp" not in (desk.folder / "hermes" / "config.yaml").read_text().split("\n\n#")[0]
    assert not list((desk.folder / "hermes" / "skills").rglob("*fsdp*"))
    assert "fsdp-specialist" not in desk.hermes("skills", "list")
