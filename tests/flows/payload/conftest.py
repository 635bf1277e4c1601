"""Tiny models, data and torchrun for the payload's flows."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAYLOAD = HERE.parents[2] / "runners" / "payload"
sys.path.insert(0, str(PAYLOAD))

TIMEOUT_S = 240
VOCABULARY = 300
"""Rows of the embedding: 256 bytes and some merges."""


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """A folder with train.jsonl (prompt/response and text lines) and eval.jsonl (an odd number of them)."""
    folder = tmp_path_factory.mktemp("corpus")
    source = random.Random(5)
    words = ["shard", "rank", "mesh", "gather", "reduce", "block", "root", "world", "step", "norm"]

    def line(number):
        said = " ".join(source.choices(words, k=source.randrange(2, 9)))
        if number % 5 == 4:
            return {"text": said}
        return {"prompt": f"say {said}: ", "response": said}

    for name, count in (("train.jsonl", 37), ("eval.jsonl", 7)):
        (folder / name).write_text("".join(json.dumps(line(number)) + "\n" for number in range(count)))
    return folder


@pytest.fixture(scope="session")
def make_model(corpus, tmp_path_factory):
    """Save an untrained model with a tokenizer; returns its folder."""

    def make(name, config, **saving):
        import torch
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
        from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

        folder = tmp_path_factory.mktemp(name)
        core = Tokenizer(models.BPE())
        core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        core.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=["<s>", "</s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        core.train_from_iterator((corpus / "train.jsonl").read_text().splitlines(), trainer)
        PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
        torch.manual_seed(11)
        AutoModelForCausalLM.from_config(config).save_pretrained(folder, **saving)
        return folder

    return make


@pytest.fixture(scope="session")
def llama_config():
    """Make the configuration of a small Llama-type model, with changes."""
    from transformers import LlamaConfig

    usual = {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "intermediate_size": 112,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "tie_word_embeddings": False,
    }
    return lambda **changes: LlamaConfig(**usual | changes)


@pytest.fixture(scope="session")
def llama(make_model, llama_config):
    """A two-layer Llama-type model."""
    return make_model("llama", llama_config())


@pytest.fixture(scope="session")
def llama_with_dropout(make_model, llama_config):
    """The same with dropout, so that random number states matter."""
    return make_model("dropout", llama_config(attention_dropout=0.2))


@pytest.fixture(scope="session")
def make_config(corpus):
    """Configuration of a small job; recipe settings by name."""

    def make(model, eval_data=True, **recipe):
        usual = {"steps": 20, "seq_len": 40, "micro_batch": 2, "lr": 3e-3, "warmup_steps": 3, "weight_decay": 0.1}
        usual |= {"param_dtype": "fp32", "checkpoint_every": 0, "export": False}
        return {
            "model": str(model),
            "train_data": str(corpus / "train.jsonl"),
            "eval_data": str(corpus / "eval.jsonl") if eval_data else None,
            "device": "cpu",
            "recipe": usual | recipe,
        }

    return make


@pytest.fixture(scope="session")
def read_events():
    """Read the events of a run folder, of one kind or of all."""

    def read(run_dir, kind=None):
        lines = (run_dir / "events.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        return [event for event in events if kind in (None, event["kind"])]

    return read


@pytest.fixture(scope="session")
def read_losses(read_events):
    """Read the loss of each step; of a step that was computed twice, the later one."""
    return lambda run_dir: {event["step"]: event["loss"] for event in read_events(run_dir, "step")}


class Torchrun:
    """Starts ranks the way the runner does."""

    payload = PAYLOAD

    def __init__(self, folder):
        self._folder = folder

    def command(self, ranks, script, *args):
        return [
            *(sys.executable, "-m", "torch.distributed.run", "--nnodes=1", f"--nproc-per-node={ranks}"),
            *("--max-restarts=0", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"),
            *(f"--log-dir={self._folder / 'log'}", "--redirects=3"),
            *("--signals-to-handle=SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1,SIGUSR2", str(script), *map(str, args)),
        ]

    def environment(self, run_dir=None, attempt=1):
        usual = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONDONTWRITEBYTECODE": "1"}
        return usual | ({"FSDP_RUN_DIR": str(run_dir), "FSDP_ATTEMPT": str(attempt)} if run_dir else {})

    def run(self, ranks, script, *args, run_dir=None, attempt=1):
        """Run to the end; returns the completed process, whose output holds the ranks' logs."""
        done = subprocess.run(
            self.command(ranks, script, *args),
            env=self.environment(run_dir, attempt),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        done.stderr += self.logs()
        return done

    def logs(self):
        return "\n".join(path.read_text(errors="replace") for path in sorted(self._folder.glob("log/**/stderr.log")))

    def job(self, config, run_dir, *acts, ranks=2, attempt=1):
        """Run the payload's script, or with acts the one that makes something happen."""
        run_dir.mkdir(exist_ok=True)
        digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()[:8]
        file = self._folder / f"config-{digest}.json"
        file.write_text(json.dumps(config))
        script = HERE / "act.py" if acts else PAYLOAD / "fsdp_sft.py"
        return self.run(ranks, script, *acts, "--config", file, run_dir=run_dir, attempt=attempt)

    def drive(self, configs, ranks=2, failing=False):
        """Run named jobs one after the other on the same ranks; returns their run folders.

        With `failing` each of them must fail, without it none may.
        """
        folders = {name: self._folder / name for name in configs}
        for folder in folders.values():
            folder.mkdir(exist_ok=True)
        entries = [{"config": config, "run_dir": str(folders[name])} for name, config in configs.items()]
        (self._folder / "jobs.json").write_text(json.dumps(entries))
        done = self.run(ranks, HERE / "drive.py", self._folder / "jobs.json", run_dir=self._folder)
        assert done.returncode == 0, done.stderr[-4000:]
        for folder in folders.values():
            error = folder / "error.txt"
            assert error.exists() == failing, f"{folder.name}: {error.read_text() if error.exists() else 'no error'}"
        return folders


@pytest.fixture
def torchrun(tmp_path):
    """Torchrun with its logs in the test's folder."""
    return Torchrun(tmp_path)


@pytest.fixture(scope="module")
def module_torchrun(tmp_path_factory):
    """Torchrun for jobs that several tests of a module look at."""
    return Torchrun(tmp_path_factory.mktemp("jobs"))
