"""What each framework makes of the files: loaded by the real library where it is here."""

import ast
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from transformers.training_args import OptimizerNames

from contracts.recipe import Recipe
from contracts.request import Hardware, ModelRef, Request
from engines.artefacts.job import Job, job_of
from engines.artefacts.write import artefacts, shortcomings
from engines.review.engine import review_paths
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape
from interfaces.service import make_request, plan_of

RECIPE = Recipe(
    steps=200, seq_len=4096, micro_batch=2, grad_accum=4, activation_checkpointing="full", reshard_after_forward=False
)
JOB = Job(model="Llama-3-8B", recipe=RECIPE, ranks=16, nodes=2, device="cuda")
HYBRID = Job(model="Llama-3-8B", recipe=RECIPE.model_copy(update={"dp_replicate": 2}), ranks=16, nodes=2, device="cuda")


def run(script, *words):
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


ACCELERATE = """
import json, os, sys
from accelerate.commands.launch import _validate_launch_command, launch_command_parser
from accelerate.utils import FullyShardedDataParallelPlugin
from accelerate.utils.launch import prepare_multi_gpu_env

def read(path):
    words = ["--config_file", path, "--main_process_port", "0", "--main_process_ip", "localhost", "train.py"]
    args, _, _ = _validate_launch_command(launch_command_parser().parse_args(words))
    env = prepare_multi_gpu_env(args)
    os.environ.update({name: value for name, value in env.items() if name.startswith("FSDP_")})
    plugin = FullyShardedDataParallelPlugin()
    degrees = {name: value for name, value in env.items() if name.startswith("PARALLELISM_CONFIG_DP")}
    return {"version": plugin.fsdp_version, "reshard": plugin.reshard_after_forward, "degrees": degrees,
        "checkpointing": plugin.activation_checkpointing, "ranks": args.num_processes, "mixed": args.mixed_precision}

print(json.dumps([read(path) for path in sys.argv[1:]]))
"""


def test_accelerate_reads_what_the_plan_says(tmp_path):
    paths = [tmp_path / name for name in ("full.yaml", "hybrid.yaml")]
    for path, job in zip(paths, (JOB, HYBRID), strict=True):
        path.write_text(artefacts(job)["accelerate_fsdp2.yaml"])
    full, hybrid = run(ACCELERATE, *paths)
    assert (full["version"], full["reshard"], full["checkpointing"]) == (2, False, True)
    assert (full["ranks"], full["mixed"]) == (16, "bf16")
    assert hybrid["degrees"] == {
        "PARALLELISM_CONFIG_DP_REPLICATE_SIZE": "2",
        "PARALLELISM_CONFIG_DP_SHARD_SIZE": "8",
    }


TRAINER = """
import json, sys
from transformers import TrainingArguments
given = json.load(open(sys.argv[1]))
args = TrainingArguments(**(given | {"output_dir": sys.argv[2], "use_cpu": True, "report_to": "none"}))
print(json.dumps({"plugin": {k: str(v) for k, v in args.fsdp_plugin_args.items()}, "steps": args.max_steps,
    "batch": args.per_device_train_batch_size, "accumulation": args.gradient_accumulation_steps, "bf16": args.bf16}))
"""


def test_trainer_reads_what_the_plan_says(tmp_path):
    path = tmp_path / "arguments.json"
    path.write_text(artefacts(JOB)["trainer_arguments.json"])
    found = run(TRAINER, path, tmp_path / "out")
    assert (found["steps"], found["batch"], found["accumulation"], found["bf16"]) == (200, 2, 4, True)
    plugin = found["plugin"]
    assert (plugin["fsdp_version"], plugin["reshard_after_forward"]) == ("2", "False")
    assert plugin["activation_checkpointing"] == "True"
    assert plugin["state_dict_type"] == "SHARDED_STATE_DICT"


TORCHRUN = """
import json, shlex, sys
from torch.distributed.run import get_args_parser

def read(path):
    words = shlex.split(open(path).read().splitlines()[-1])
    args = get_args_parser().parse_args(words[words.index("torchrun") + 1:])
    return [args.nnodes, args.nproc_per_node, args.rdzv_backend, args.standalone, args.training_script]

print(json.dumps([read(path) for path in sys.argv[1:]]))
"""


def test_torchrun_reads_its_line(tmp_path):
    paths = [tmp_path / f"{nodes}.sh" for nodes in (2, 1)]
    for path, nodes in zip(paths, (2, 1), strict=True):
        path.write_text(artefacts(Job("m", RECIPE, 16, nodes, "cuda"))["torchrun.sh"])
    two, one = run(TORCHRUN, *paths)
    assert two == ["2", "8", "c10d", False, "train.py"]
    assert (one[1], one[3], one[4]) == ("16", True, "train.py")


def test_slurm_starts_one_task_on_each_machine(tmp_path):
    path = tmp_path / "job.slurm"
    path.write_text(artefacts(JOB)["job.slurm"])
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    text = path.read_text()
    assert "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n" in text
    assert "--nproc-per-node=8" in text


def test_slurm_is_asked_for_cores_and_time(tmp_path):
    text = artefacts(JOB)["job.slurm"]
    assert "a default of 8 for each GPU: state hardware.cores\n#SBATCH --cpus-per-task=64\n" in text
    assert "a default of one day: state slurm.time_limit_minutes\n#SBATCH --time=1-00:00:00\n" in text
    stated = artefacts(replace(JOB, cores_per_node=96, time_limit_minutes=1441))["job.slurm"]
    assert "#SBATCH --cpus-per-task=96\n#SBATCH --time=1-00:01:00\n" in stated
    assert "default" not in stated
    on_cpu = artefacts(replace(JOB, device="cpu", ranks=4))["job.slurm"]
    assert "#SBATCH --cpus-per-task=2\n" in on_cpu


@pytest.mark.parametrize("job", [JOB, replace(JOB, cores_per_node=96), replace(JOB, device="cpu", ranks=4)])
def test_the_step_is_given_the_cores_that_the_job_asked_for(job):
    """Release notes of Slurm 22.05: srun reads SLURM_CPUS_PER_TASK no longer, it has to be told."""
    lines = artefacts(job)["job.slurm"].splitlines()
    assert any(line.startswith("#SBATCH --cpus-per-task=") for line in lines)
    steps = [line for line in lines if line.startswith("srun ")]
    assert steps
    assert all(' --cpus-per-task="$SLURM_CPUS_PER_TASK" ' in line for line in steps)


def test_the_slurm_script_passes_our_review_and_shellcheck(tmp_path):
    path = tmp_path / "job.slurm"
    path.write_text(artefacts(JOB)["job.slurm"])
    assert list(review_paths([path]).findings) == []
    program = shutil.which("shellcheck")
    if program is None:
        pytest.skip("shellcheck is not installed: apt-get install shellcheck")
    done = subprocess.run([program, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


KNOWN_TO_TORCHTITAN = {
    "training": {
        "local_batch_size", "global_batch_size", "seq_len", "steps", "max_norm", "enable_cpu_offload",
        "mixed_precision_param",
    },
    "parallelism": {
        "data_parallel_replicate_degree", "data_parallel_shard_degree", "fsdp_reshard_after_forward",
    },
    "activation_checkpoint": {"mode"},
    "optimizer": {"lr"},
}  # fmt: skip
"""Fields as torchtitan/config/configs.py has them (main, August 2026); torchtitan itself is not installed here."""


@pytest.mark.parametrize("model", ["Llama-3-8B", "Llama-3.1-405B", "Qwen3-1.7B", 'odd "name"\\'])
def test_torchtitan_gets_a_function_of_fields_that_it_has(model):
    text = artefacts(Job(model, RECIPE, 16, 2, "cuda"))["torchtitan_config.py"]
    tree = ast.parse(text)
    assigned = [node.targets[0] for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    fields = [(t.value.attr, t.attr) for t in assigned if isinstance(t, ast.Attribute)]
    assert len(fields) >= 10
    assert all(field in KNOWN_TO_TORCHTITAN[section] for section, field in fields)
    assert ("config_registry import llama3_8b" in text) == (model == "Llama-3-8B")


def test_torchtune_gets_yaml():
    found = yaml.safe_load(artefacts(JOB)["torchtune.yaml"])
    assert (found["batch_size"], found["gradient_accumulation_steps"]) == (2, 4)
    assert (found["fsdp_reshard_after_forward"], found["fsdp_cpu_offload"]) == (False, False)
    assert found["data_parallel_shard_dim"] * found["data_parallel_replicate_dim"] == 16


def test_the_snippet_is_python_whatever_the_model_is_called():
    for name in ("Llama-3-8B", 'a """ b', "new\nline", "back\\slash"):
        compile(artefacts(Job(name, RECIPE, 16, 2, "cuda"))["fsdp2_setup.py"], "fsdp2_setup.py", "exec")


def test_a_job_follows_from_plan_and_request():
    request = Request(
        model=ModelRef(name="Llama-3-8B"), hardware=Hardware(gpus=16, gpu_type="H100"), recipe=Recipe(seq_len=4096)
    )
    job = job_of(choose_plan(request, None, named_shape("Llama-3-8B")), request)
    assert (job.ranks, job.nodes, job.per_node, job.shard_ranks) == (16, 2, 8, 16)


def test_skypilot_has_the_gpus_by_its_own_names():
    one, unknown = (
        yaml.safe_load(artefacts(Job("m", RECIPE, 8, 1, "cuda", gpu))["skypilot.yaml"]) for gpu in ("V100-32GB", None)
    )
    assert one["resources"] == {"accelerators": "V100-32GB:8"}
    assert "--standalone --nproc-per-node=8" in one["run"]
    assert "resources" not in unknown
    text = artefacts(Job("m", RECIPE, 8, 1, "cuda", "RTX-A6000"))["skypilot.yaml"]
    assert "# add resources.accelerators: NAME:8" in text
    assert "accelerators:" not in artefacts(Job("m", RECIPE, 2, 1, "cpu"))["skypilot.yaml"]


STARTERS = {"accelerate_fsdp2.yaml", "torchrun.sh", "job.slurm", "trainjob.yaml", "skypilot.yaml"}
"""Files that start or shard a train.py; the others hold the training itself."""


def planned(**changes):
    return replace(JOB, **changes)


@pytest.mark.parametrize(
    ("job", "training"),
    [
        (
            JOB,
            {"fsdp2_setup.py", "trainer_arguments.json", "torchtitan_config.py", "torchtune.yaml"},
        ),
        (planned(optimizer="sgd"), {"fsdp2_setup.py", "trainer_arguments.json", "torchtune.yaml"}),
        (planned(optimizer="sgd_momentum"), {"fsdp2_setup.py", "torchtune.yaml"}),
        (planned(optimizer="adamw_8bit"), {"trainer_arguments.json"}),
        (planned(optimizer="adafactor"), {"trainer_arguments.json"}),
        (planned(optimizer="muon"), set()),
        (planned(method="lora"), set()),
        (planned(method="qlora"), set()),
        (HYBRID, {"fsdp2_setup.py", "torchtitan_config.py", "torchtune.yaml"}),
    ],
    ids=["adamw", "sgd", "sgd_momentum", "adamw_8bit", "adafactor", "muon", "lora", "qlora", "hsdp"],
)
def test_a_file_that_cannot_say_the_plan_is_left_out_and_named(tmp_path, job, training):
    texts, said = artefacts(job), " ".join(shortcomings(job))
    assert set(texts) == training | STARTERS
    for name in {"fsdp2_setup.py", "trainer_arguments.json", "torchtitan_config.py", "torchtune.yaml"} - training:
        assert f"{name} is not written" in said
    for name in STARTERS:
        top = "\n".join(texts[name].splitlines()[:2])
        assert ("# Not in this file: " in top) == (job.optimizer != "adamw" or job.method != "full")
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert list(review_paths([tmp_path]).findings) == []


def test_the_optimizer_of_the_plan_is_the_one_that_is_made():
    sgd, momentum = (artefacts(planned(optimizer=name)) for name in ("sgd", "sgd_momentum"))
    assert "AdamW" not in sgd["fsdp2_setup.py"] + sgd["torchtune.yaml"]
    assert "torch.optim.SGD(" in sgd["fsdp2_setup.py"]
    assert "momentum=0.9" in momentum["fsdp2_setup.py"]
    assert yaml.safe_load(momentum["torchtune.yaml"])["optimizer"]["momentum"] == 0.9
    eight = json.loads(artefacts(planned(optimizer="adamw_8bit"))["trainer_arguments.json"])
    assert eight["optim"] in {name.value for name in OptimizerNames}
    assert eight["optim"] == OptimizerNames.ADAMW_TORCH_8BIT.value
    compile(sgd["fsdp2_setup.py"], "fsdp2_setup.py", "exec")


def test_a_plan_that_does_not_fit_writes_nothing(tmp_path):
    request = make_request(
        {"model": {"name": "Llama-3-8B"}, "hardware": {"gpus": 2, "gpu_type": "T4"}, "intent": "plan"}
    )
    made, _, _ = plan_of(request, tmp_path / "out")
    assert (made.fits, made.artifacts) == (False, ())
    assert not (tmp_path / "out").exists()
    assert any("nothing is written" in warning for warning in made.warnings)


def test_the_plan_says_what_its_files_do_not(tmp_path):
    request = make_request(
        {
            "model": {"name": "Llama-3-8B"},
            "optimizer": "muon",
            "hardware": {"gpus": 8, "gpu_type": "H100"},
            "intent": "plan",
        }
    )
    made, _, _ = plan_of(request, tmp_path)
    assert {Path(path).name for path in made.artifacts} == STARTERS
    assert any("fsdp2_setup.py is not written: it cannot express the optimizer muon" in w for w in made.warnings)
