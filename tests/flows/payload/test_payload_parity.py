"""The losses of the sharded job against plain PyTorch in one process, and against each other."""

import json
import math

import pytest
import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config

pytestmark = pytest.mark.train

STEPS = 20
FEW = 8
EXACT = 1e-4
"""fp32: what differs is the order of sums."""


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """The references are tiny: more threads would only wait for each other on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def models(llama, make_model, llama_config):
    small = {"vocab_size": 300, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
    quiet = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "bos_token_id": 0, "eos_token_id": 1}
    return {
        "llama": llama,
        "tied": make_model("tied", llama_config(tie_word_embeddings=True)),
        "in_parts": make_model("parts", llama_config(), max_shard_size="100KB"),
        # learned positions, biases, Conv1D, tied head, a mask buffer that no file has
        "gpt2": make_model("gpt2", GPT2Config(**small, **quiet)),
    }


@pytest.fixture(scope="module")
def jobs(models, make_config, module_torchrun, corpus, tmp_path_factory):
    """Run folders of all jobs of this module: two ranks, one after the other."""
    prompts = tmp_path_factory.mktemp("prompts") / "train.jsonl"
    lines = (corpus / "train.jsonl").read_text().splitlines(keepends=True)
    prompts.write_text("".join(line for line in lines if "prompt" in line))
    llama = models["llama"]
    return module_torchrun.drive(
        {
            "fp32": make_config(llama),
            "bf16": make_config(llama, param_dtype="bf16"),
            "short": make_config(llama, steps=FEW),
            "accumulated": make_config(llama, steps=FEW, micro_batch=1, grad_accum=2),
            "recomputed": make_config(llama, steps=FEW, activation_checkpointing="full"),
            "gathered_once": make_config(llama, steps=FEW, reshard_after_forward=False),
            "offloaded": make_config(llama, steps=FEW, cpu_offload=True),
            "hsdp": make_config(llama, steps=FEW, dp_replicate=2),
            "unclipped": make_config(llama, steps=FEW, max_grad_norm=0),
            "tied": make_config(models["tied"], steps=FEW),
            "in_parts": make_config(models["in_parts"], steps=FEW),
            "gpt2": make_config(models["gpt2"], steps=FEW),
            # two tokens hold no response of any example but plain text ones, which this file has not
            "prompts_only": make_config(llama, steps=3, warmup_steps=0, seq_len=2) | {"train_data": str(prompts)},
        }
    )


def encode_all(corpus, tokenizer, seq_len):
    """Token ids and labels, written apart from the payload: labels are not shifted here."""
    encoded = []
    for line in (corpus / "train.jsonl").read_text().splitlines():
        example = json.loads(line)
        prompt = tokenizer.encode(example.get("prompt", ""))
        response = [*tokenizer.encode(example.get("response", example.get("text"))), tokenizer.eos_token_id]
        ids = (prompt + response)[:seq_len]
        labels = ([-100] * len(prompt) + response)[:seq_len]
        encoded.append((ids, labels))
    return encoded


def pad(rows, multiple):
    """Input ids, labels and attention mask of some examples, padded to the longest, rounded up."""
    width = -(-max(len(ids) for ids, _ in rows) // multiple) * multiple
    ids = torch.tensor([ids + [0] * (width - len(ids)) for ids, _ in rows])
    labels = torch.tensor([labels + [-100] * (width - len(labels)) for _, labels in rows])
    mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids, _ in rows])
    return ids, labels, mask


def rate(step, recipe):
    if step < recipe["warmup_steps"]:
        return recipe["lr"] * (step + 1) / recipe["warmup_steps"]
    way = (step - recipe["warmup_steps"]) / (recipe["steps"] - 1 - recipe["warmup_steps"])
    return recipe["lr"] * (0.1 + 0.9 * (1 + math.cos(math.pi * way)) / 2)


def reference(config, corpus, micro_batch, dtype=torch.float32):
    """Losses and norms of AdamW in one process without FSDP: four examples in a step."""
    from fsdp_sft_order import example_at

    recipe = config["recipe"]
    tokenizer = AutoTokenizer.from_pretrained(config["model"])
    # eager in fp32, to compare with another kernel; in bf16 the kernel's own rounding would only blur the comparison
    attention = "eager" if dtype == torch.float32 else "sdpa"
    model = AutoModelForCausalLM.from_pretrained(config["model"], dtype=torch.float32, attn_implementation=attention)
    encoded = encode_all(corpus, tokenizer, recipe["seq_len"])
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1.0, betas=(0.9, 0.95), eps=1e-8)
    losses, norms = [], []
    for step in range(recipe["steps"]):
        rows = [encoded[example_at(step * 4 + place, len(encoded), seed=0)] for place in range(4)]
        count = sum(label != -100 for _, labels in rows for label in labels[1:])
        loss = 0.0
        for first in range(0, 4, micro_batch):
            # fp32: other shapes than the payload's. bf16 rounds otherwise in other shapes: the same ones
            ids, labels, mask = pad(rows[first : first + micro_batch], 1 if dtype == torch.float32 else 8)
            cast = {name: p.to(dtype) for name, p in model.named_parameters()}
            # padding stands right of all that counts: the mask changes nothing but the kernel
            masked = {"attention_mask": mask} if dtype == torch.float32 else {}
            inputs = {"input_ids": ids, "use_cache": False} | masked
            logits = torch.func.functional_call(model, cast, kwargs=inputs).logits
            flat = logits[:, :-1].float().reshape(-1, logits.shape[-1])
            part = F.cross_entropy(flat, labels[:, 1:].reshape(-1), ignore_index=-100, reduction="sum") / count
            part.backward()
            loss += part.item()
        limit = recipe.get("max_grad_norm", 1.0) or math.inf
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), limit).item())
        for group in optimizer.param_groups:
            group["lr"] = rate(step, recipe)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return losses, norms


def close(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


CASES = [("fp32", "llama", STEPS), ("tied", "tied", FEW), ("gpt2", "gpt2", FEW)]


@pytest.mark.parametrize(("job", "model", "steps"), CASES)
def test_fp32_equals_plain_adamw_in_one_process(jobs, models, make_config, corpus, read_events, job, model, steps):
    losses = [event["loss"] for event in read_events(jobs[job], "step")]
    expected, norms = reference(make_config(models[model], steps=steps), corpus, micro_batch=4)
    assert len(losses) == steps
    assert losses[-1] < losses[0] - 0.5, "nothing was learned: the comparison would prove little"
    assert close(losses, expected) < EXACT
    found = [event["grad_norm"] for event in read_events(jobs[job], "step")]
    assert close(found, norms) < 1e-3


def test_without_clipping_it_equals_the_unclipped_reference(jobs, models, make_config, corpus, read_losses):
    expected, norms = reference(make_config(models["llama"], steps=FEW, max_grad_norm=0), corpus, micro_batch=4)
    assert max(norms) > 1, "nothing to clip: the comparison would prove little"
    assert close(read_losses(jobs["unclipped"]).values(), expected) < EXACT


ALIKE = 1e-5
"""bf16, first steps: the same roundings in the same shapes, so that only fp32 sums differ."""

UNIT_ROUNDOFF = 2**-9
"""bf16 keeps 8 bits of significand. Sooner or later an fp32 sum that differs in its last bit
rounds to another bf16 number; from there two runs drift apart by about this much."""


def test_bf16_equals_a_bf16_reference_in_one_process(jobs, models, make_config, corpus, read_losses):
    losses = list(read_losses(jobs["bf16"]).values())
    expected, _ = reference(make_config(models["llama"]), corpus, micro_batch=2, dtype=torch.bfloat16)
    assert close(losses[:5], expected[:5]) < ALIKE
    assert close(losses, expected) < UNIT_ROUNDOFF
    assert close(losses[:5], list(read_losses(jobs["fp32"]).values())[:5]) > 10 * ALIKE, "bf16 had no effect"


@pytest.mark.parametrize("job", ["accumulated", "recomputed", "gathered_once", "offloaded", "hsdp", "in_parts"])
def test_how_the_work_is_cut_does_not_change_the_losses(jobs, read_losses, job):
    assert close(read_losses(jobs[job]).values(), read_losses(jobs["short"]).values()) < EXACT


@pytest.mark.parametrize("job", ["fp32", "tied", "in_parts", "gpt2"])
def test_no_rank_reads_or_holds_more_than_its_share(jobs, models, job):
    model = AutoModelForCausalLM.from_pretrained(models[job if job != "fp32" else "llama"])
    sizes = [parameter.numel() for parameter in model.parameters()]
    seen = [json.loads((jobs[job] / f"seen-{rank}.json").read_text()) for rank in range(2)]
    assert [each["local"] for each in seen] == [each["read"] for each in seen]
    # every weight is read exactly once by all ranks together, tied ones included; all have an even number of rows
    assert [each["read"] for each in seen] == [sum(sizes) // 2] * 2
    assert all(each["largest_read"] == max(sizes) // 2 for each in seen)


@pytest.mark.slow
def test_two_replicas_of_two_shards_on_four_ranks(jobs, models, make_config, torchrun, read_losses):
    cut = make_config(models["llama"], steps=FEW, micro_batch=1, dp_replicate=2)
    folder = torchrun.drive({"four": cut}, ranks=4)["four"]
    assert close(read_losses(folder).values(), read_losses(jobs["short"]).values()) < EXACT
    whole = AutoModelForCausalLM.from_pretrained(models["llama"]).num_parameters()
    assert [json.loads((folder / f"seen-{rank}.json").read_text())["local"] for rank in range(4)] == [whole // 2] * 4


def test_prompts_that_fill_the_sequence_leave_the_weights_and_warn(jobs, read_events):
    assert {event["loss"] for event in read_events(jobs["prompts_only"], "step")} == {0.0}
    warnings = read_events(jobs["prompts_only"], "warning")
    assert [event["data"]["code"] for event in warnings] == ["no_targets"] * 3
    assert {event["grad_norm"] for event in read_events(jobs["prompts_only"], "step")} == {0.0}


def test_replicas_of_hsdp_hold_the_whole_model_between_their_shards(jobs, models):
    # two replicas of one shard each: every rank has all of it
    whole = AutoModelForCausalLM.from_pretrained(models["llama"]).num_parameters()
    assert json.loads((jobs["hsdp"] / "seen-1.json").read_text())["local"] == whole


def test_evaluation_covers_all_held_out_examples_once(jobs, models, corpus, read_events, tmp_path):
    """Seven examples on two ranks with two each: the last turn has one rank with one and one with none."""
    (event,) = read_events(jobs["fp32"], "eval")
    tokenizer = AutoTokenizer.from_pretrained(models["llama"])
    (tmp_path / "train.jsonl").write_text((corpus / "eval.jsonl").read_text())
    rows = encode_all(tmp_path, tokenizer, 40)
    assert event["data"]["targets"] == sum(label != -100 for _, labels in rows for label in labels[1:])
    assert event["step"] == STEPS
    assert 0 < event["loss"] < math.log(300)
