"""`fsdp-agent estimate --dry-run`: the job, its answer, and what needs a person."""

import json
import subprocess
import sys

import jsonschema
import pytest

from interfaces.cli.schemas import schema_of

CONFIG = {
    "model_type": "llama",
    "hidden_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 704,
    "vocab_size": 4096,
    "max_position_embeddings": 512,
}


def agent(tmp_path, *words):
    command = [sys.executable, "-c", "import sys; from interfaces.cli.main import main; sys.exit(main())", *words]
    command += ["--gpus", "16", "--seq-len", "512", "--json", "--home", str(tmp_path / "home")]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)


@pytest.mark.timeout(900)
def test_a_dry_run_stands_beside_the_prediction(tmp_path):
    pytest.importorskip("transformers", reason="the model is one of transformers")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(CONFIG))
    done = agent(tmp_path, "estimate", "--model", str(tmp_path / "model"), "--dry-run", "--gpu", "H100")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema_of("estimate-dry-run"))
    assert answer["fits"] is True
    assert answer["run"]["state"] == "done"
    assert answer["dry_run"]["layers"] == 3
    apart = {row["component"]: row["difference_pct"] for row in answer["differences"]}
    assert abs(apart["active"]) <= 1
    assert abs(apart["reserved"]) <= 3


def test_a_factory_of_the_users_needs_a_person(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('this ran')\n")
    done = agent(tmp_path, "estimate", "--factory", "mine:build", "--factory-folder", str(tmp_path))
    assert done.returncode == 5, done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "approval_missing"
    assert "this ran" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--factory", "mine"), "module:function"),
        (("--factory", "none:build"), "no module none"),
        (("--model", "Llama-3-8B", "--dry-run", "--set", "tp=2"), "tensor parallelism is not run dry"),
    ],
)
def test_what_cannot_be_run_dry_is_refused_with_its_reason(tmp_path, words, said):
    done = agent(tmp_path, "estimate", *words)
    assert done.returncode == 2, done.stderr
    assert said in done.stdout
