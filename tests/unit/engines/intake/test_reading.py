"""What a text states, value by value, in the ways in which people write it."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.request import Request
from engines.intake.assess import assess_request
from engines.intake.facts import Values
from engines.intake.names import model_size_b
from engines.intake.normal import normalise
from engines.intake.reading import read_text


def values(text: str) -> Values:
    return read_text(text).values


def read(text: str, key: str) -> Any:
    return getattr(values(text), key)


@pytest.mark.parametrize(
    ("text", "gpus", "nodes"),
    [
        ("on 8xH100", 8, None),
        ("on 8 x H100 80GB", 8, None),
        ("with H100 x8", 8, None),
        ("på 4 stk. A100", 4, None),
        ("2 nodes x 8 GPUs", 16, 2),
        ("2 nodes, 8 A100-40GB each", 16, 2),
        ("two nodes with eight H100 each", 16, 2),
        ("2x8 H100", 16, 2),
        ("two 8-GPU boxes", 16, 2),
        ("32 H100s (4 nodes x 8)", 32, 4),
        ("16 H100 80GB (2 nodes)", 16, 2),
        ("16 A100'ere fordelt på 2 maskiner, 80 GB hver", 16, 2),
        ("8 noder à 8 A100 40 GB", 64, 8),
        ("otte H100 på én server", 8, 1),
        ("our 8xH100 node", 8, 1),
        ("nodes a01-a02 (8 A100 80GB each)", 16, 2),
        ("torchrun --nnodes=2 --nproc_per_node=8 train.py", 16, 2),
        ('{"gpus": 64, "nodes": 8}', 64, 8),
        ("#SBATCH --nodes=4\n#SBATCH --gres=gpu:8", 32, 4),
        ("one T4 16GB", 1, None),
        ("on my 4090", 1, None),
        ("mit eget 4090-kort", 1, None),
        ("ét 80 GB-kort. Vi har otte af dem i samme maskine", 8, 1),
        ("a single A100-80; there are three more identical cards in the box", 4, 1),
        ("moved from 8 to 16 GPUs", 16, None),
        ("på 4 GPU'er i stedet for 8", 4, None),
        ("fine on one GPU, broken on 4 GPUs", 4, None),
        ("8x80GB", 8, None),
        ("2 x 24 GB-kort", 2, None),
        ("either 4 or 8 cards", None, None),
        ("step 1841 on rank 3 of the job", None, None),
        ("GPU 2 has a total capacity of 79.15 GiB", None, None),
        ("the meeting room GPU-3", None, None),
        ("srun with ntasks-per-node=4 on 2 nodes", None, 2),
        ("moved the model to GPUs, fire and forget", None, None),
    ],
)
def test_gpus_and_machines_are_counted(text: str, gpus: int | None, nodes: int | None) -> None:
    found = values(text)
    assert (found.gpus, found.nodes) == (gpus, nodes)


@pytest.mark.parametrize(
    ("text", "kind", "memory"),
    [
        ("8 A100-40GB", "A100", 40),
        ("4 x H100-80.", "H100", 80),
        ("8xH100 (80GB)", "H100", 80),
        ("our A100-40s", "A100", 40),
        ("en L40S på 48 GB", "L40S", 48),
        ("one 4090 (24 gb)", "RTX 4090", 24),
        ("NVIDIA GeForce RTX 3090 Ti", "RTX 3090", None),
        ("four RTX 4090s. Each has 24 GB", "RTX 4090", 24),
        ("ét 80 GB-kort", None, 80),
        ("8 GPUs with 32 GB each", None, 32),
        ("16 MI300X", "MI300X", None),
        ("en node med 256 GB RAM, 8 GPU'er", None, None),
        ("GPU 0 has a total capacity of 79.15 GiB", None, 80),
        ("41 GB of 80 in use on each H100 80GB", "H100", 80),
        ("an H200 and L4s", "H200", None),
    ],
)
def test_gpus_have_a_type_and_a_memory(text: str, kind: str | None, memory: float | None) -> None:
    found = values(text)
    assert (found.gpu_type, found.gpu_mem_gb) == (kind, memory)


@pytest.mark.parametrize(
    ("text", "model", "params_b"),
    [
        ("full fine-tune of Mistral 7B", "Mistral 7B", 7),
        ("Llama-3.1-8B med alle parametre", "Llama-3.1-8B", 8),
        ("meta-llama/Llama-3.1-70B on 64 GPUs", "meta-llama/Llama-3.1-70B", 70),
        ("a 1.1B TinyLlama", "TinyLlama", 1.1),
        ("Gemma 2 27B", "Gemma 2 27B", 27),
        ("Mixtral 8x7B", "Mixtral 8x7B", 46.7),
        ("a 60M-parameter U-Net", "U-Net", 0.06),
        ("BERT-large (340M)", "BERT-large", 0.34),
        ("en model på 24 mia. parametre", None, 24),
        ("34 billion parameter code model", None, 34),
        ("1,5B-model", None, 1.5),
        ("around 20-ish B", None, 20),
        ("going from 1.3B to 6.7B parameters", None, 6.7),
        ("a 7B actor with a frozen 2B reference", None, 7),
        ("trained on 300B tokens", None, None),
        ("5M samples, 12-16 B per param", None, None),
        ("llama.cpp and LlamaIndex", None, None),
        ("GPT-4 or Claude", None, None),
        ("the B200 and bf16", None, None),
    ],
)
def test_models_have_a_name_and_a_size(text: str, model: str | None, params_b: float | None) -> None:
    found = values(text)
    assert (found.model, found.params_b) == (model, params_b)


def test_a_frozen_second_model_is_kept_apart() -> None:
    found = values("DPO on an 8B policy plus frozen 2B reference")
    assert (found.params_b, found.frozen_params_b) == (8, 2)


@pytest.mark.parametrize(
    ("text", "seq_len"),
    [
        ("Sequence 8192.", 8192),
        ("seq 4k", 4096),
        ("context 2k", 2048),
        ("32k context", 32768),
        ("128k tokens per sequence", 131072),
        ("kontekst 16k", 16384),
        ("Sekvenserne er 4.096 tokens", 4096),
        ("max_seq_length: 2048", 2048),
        ("packed to 16k tokens", 16384),
        ("100k context", 100_000),
        ("ctx=1024", 1024),
        ("price per million tokens", None),
        ("1024x1024 images", None),
        ("900 tok/s/GPU and 3000 tokens/s", None),
        ("10M tokens", None),
        ("checkpoint every 500 steps", None),
    ],
)
def test_sequence_lengths_are_in_tokens(text: str, seq_len: int | None) -> None:
    assert read(text, "seq_len") == seq_len


@pytest.mark.parametrize(
    ("text", "batch", "is_global"),
    [
        ("batch 2 pr. GPU", 2, False),
        ("bs=1", 1, False),
        ("micro-batch will be 4", 4, False),
        ("per_device_train_batch_size: 8", 8, False),
        ("global batch 128", 128, True),
        ("global batch 128, micro-batch 2", 2, False),
        ("4 sequences per GPU", 4, False),
        ("batchstørrelse 16", 16, False),
        ("batch job on node 3", None, False),
    ],
)
def test_batches_are_local_where_both_are_stated(text: str, batch: int | None, is_global: bool) -> None:
    found = values(text)
    assert (found.batch, found.global_batch) == (batch, is_global)


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("full fine-tune", "full"),
        ("all parameters", "full"),
        ("med alle vægte", "full"),
        ("finjuster 8B med fulde vægte på 8 H100", "full"),
        ("med fulde parametre", "full"),
        ("træn samtlige vægte", "full"),
        ("LoRA, ikke fulde vægte", "lora"),
        ("Fuld finetuning uden LoRA", "full"),
        ("pretrain from scratch", "full"),
        ("Customer insists on no LoRA", "full"),
        ("LoRA is not an option, full SFT", "full"),
        ("LoRA r=16", "lora"),
        ("adapters only (PEFT)", "lora"),
        ("qlora", "qlora"),
        ("4-bit LoRA", "qlora"),
        ("full fine-tuning or LoRA?", None),
        ("fine-tune a pre-trained model", None),
        ("full of errors", None),
    ],
)
def test_methods_are_read_with_their_negations(text: str, method: str | None) -> None:
    assert read(text, "method") == method


@pytest.mark.parametrize(
    ("name", "params_b"),
    [
        ("gpt2-xl", 1.56),
        ("bert-base-uncased", 0.11),
        ("meta-llama/Llama-2-7b-hf", 7),
        ("Mixtral-8x22B", 140.6),
        ("Phi-4", 14.7),
        ("nobody's model", None),
    ],
)
def test_names_tell_sizes(name: str, params_b: float | None) -> None:
    assert model_size_b(name) == params_b


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Skal vi bruge FSDP?", "da"),
        ("Vi vil køre full fine-tune af Mistral 7B på 8xH100 med seq 4k", "da"),
        ("Jobbet dør. Log: 'Watchdog caught collective operation timeout, this is what the process said to us'", "da"),
        ("70B QLoRA på 2 kort, kan det shardes?", "da"),
        ("job died after 40 min, pls help", "en"),
        ("13B, 8 GPUs", "en"),
        ("FSDP_OFFLOAD_PARAMS=true, world size 16", "en"),
    ],
)
def test_the_prose_tells_the_language(text: str, language: str) -> None:
    assert read_text(text).language == language


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "8",
        "_",
        "x",
        "8x",
        "-",
        "(",
        "'",
        "`",
        " ",
        "\n",
        "\u00a0",
        "ﬁ",
        "8xH100 ",
        "no ",
        "nodes ",
        "a_b: ",
        "løber a ",
    ],
)
def test_the_longest_text_takes_seconds_at_most(piece: str) -> None:
    text = (piece * 200_000)[:200_000]
    started = time.monotonic()
    assess_request(Request(text=text))
    # Seconds; half of one on an idle core. Without the bounds some took minutes.
    assert time.monotonic() - started < 20


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    need = assess_request(Request(text=text))
    assert need.reasons


_TERSE = """FSDP 8 x H100 80GB nodes each 7B 0B LoRA no full seq 4k batch 0 gpus GPU'er på hver = 12 or from to 2 1.5
, . ? ( ) - crash træne"""
_WORDS = st.sampled_from(_TERSE.split())


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=40))
def test_any_order_of_known_words_gives_values_that_a_request_may_have(words: list[str]) -> None:
    said = assess_request(Request(text=" ".join(words))).extracted
    assert said.params_b is None or said.params_b > 0
    assert said.nodes is None or said.nodes >= 1
    assert said.gpu_mem_gb is None or said.gpu_mem_gb > 0
    assert said.seq_len is None or said.seq_len >= 2
    assert said.batch is None or said.batch >= 1


@pytest.mark.parametrize(
    ("ascii_only", "proper"),
    [
        ("Vi skal traene alle vaegte paa eet kort", "Vi skal træne alle vægte på ét kort"),
        (
            "Naar vi koerer paa fire noder, er sekvenslaengden 2048",
            "Når vi kører på fire noder, er sekvenslængden 2048",
        ),
        ("Vi skal ikke bruge aeldre kort, siger een af os", "Vi skal ikke bruge ældre kort, siger én af os"),
    ],
)
def test_danish_without_its_letters_is_read_as_danish(ascii_only: str, proper: str) -> None:
    assert normalise(ascii_only).text == proper


@pytest.mark.parametrize(
    "text",
    [
        "the model does go over the toes of GPU 3",
        "vi skal bruge torch.aaa og /data/noer/maa_x.yaml, og det er det",
        "vi træner på det, og paa er en mappe",
    ],
)
def test_what_is_no_danish_without_its_letters_stays(text: str) -> None:
    assert normalise(text).text == text
