"""Sentences of the need gate in English; `texts_da` has the same keys.

Placeholders are named in `verdict_memory.numbers`; sizes arrive with their unit.
"""

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "method_assumed": "The method is not stated; this holds for training all weights.",
    "memory_assumed": "The memory of one GPU is not stated; {mem} is assumed.",
    "states_full": "Full training with AdamW in mixed precision holds 16 bytes per parameter (weights 2 + gradients 2 "
    "+ fp32 master weights 4 + Adam moments 4 + 4): {params} x 16 = {states_own} of model states.",
    "states_full_otherwise": "Full training with {optimizer} in mixed precision holds {bytes} bytes per parameter "
    "(weights 2 + gradients 2 + fp32 master weights 4 + optimizer state {state_bytes}): {params} x {bytes} = "
    "{states_own} of model states.",
    "states_lora": "LoRA holds the frozen bf16 weights (2 bytes per parameter) and adapters with their states (about "
    "1 % of the parameters x 16 bytes = 0.16): {params} x {bytes} = {states_own} of model states.",
    "states_qlora": "QLoRA holds the frozen weights in 4 bits (about 0.55 bytes per parameter) and adapters with their "
    "states (about 0.16): {params} x {bytes} = {states_own} of model states.",
    "states_frozen": "The frozen second model adds {frozen} in bf16 (2 bytes per parameter): {states} together.",
    "states_exceed": "One GPU has {mem}, of which about {usable} is usable: they do not fit on one.",
    "activations_exceed": "They fit on one GPU of {mem}, but the activations of {batch} x {seq_len} tokens add roughly "
    "{activations}, even with checkpointing: {one_gpu} is more than the {usable} that is usable.",
    "activations_second": "Activations of {batch} x {seq_len} tokens take roughly {activations} per GPU even with "
    "checkpointing: the second problem after the states, and sharding does not reduce it.",
    "sharded": "Sharded over {gpus} GPUs it is {sharded} each.",
    "fits": "With roughly {activations} of activations ({batch} x {seq_len} tokens, checkpointing) that is {one_gpu}: "
    "it fits on one GPU of {mem}.",
    "ddp_exceeds": "One GPU alone would hold it ({one_gpu}), but a replica under DDP holds 6 bytes per parameter more "
    "(gradient buckets 4, autocast's bf16 copies 2): {replica} is more than the {usable} of {mem} that is usable.",
    "ddp": "Each of the {gpus} GPUs can hold a whole replica: DDP scales the throughput with less communication than "
    "FSDP, which would gather the parameters for every block.",
    "single_gpu": "There is one GPU only: with a single rank there is nothing to shard over.",
    "more_than_fsdp": "Even sharded over all {gpus} GPUs it is about {per_gpu} on each (states {sharded}, gathered "
    "blocks {gathered}, activations roughly {activations}) of {usable} usable: more GPUs, CPU offload, an 8-bit "
    "optimizer, LoRA, or tensor/context parallelism on top are needed.",
    "logits": "Of the activations, logits and loss take {logits}: 12 bytes x {batch} x {seq_len} tokens x {vocabulary} "
    "entries of the vocabulary.",
    "logits_assumed": "Of the activations, logits and loss take {logits}: 12 bytes x {batch} x {seq_len} tokens x "
    "{vocabulary} entries of the vocabulary, a typical number that is assumed.",
    "logits_remedy": "A fused or chunked loss does not hold them whole, and context parallelism splits the sequence.",
    "oom_on_one": "The job runs out of memory on one GPU and there are several: sharding the states is what FSDP does.",
    "large_model": "Model size or GPU memory is not stated, but the job is trained over several GPUs with a sharded "
    "model in mind; the missing numbers decide the configuration.",
    "nothing_to_shard_over": "The states do not fit, and there is no second GPU to shard over.",
    "hardware_absent": "There is no multi-GPU hardware yet that a configuration could be computed for.",
    "accelerator_tpu": "TPUs are driven by torch_xla, which has an FSDP of its own: nothing that is computed here, for "
    "torch's FSDP on GPUs under CUDA or ROCm, holds for them.",
    "accelerator_mps": "Apple's GPU (MPS) is one device, not several under CUDA or ROCm: nothing to shard over.",
    "accelerator_other": "This accelerator is driven by its maker's own backend, not by CUDA or ROCm: no memory and no "
    "speed is computed for it here.",
    "adapters_on_one": "Adapters are trained on frozen weights, and one GPU is all there is.",
    "failure": "A failing or misbehaving distributed training job: this is what the specialist is for.",
    "failure_single": "The job runs on one GPU: the memory goes to activations and batch, not to states that could be "
    "sharded. A smaller batch, mixed precision and activation checkpointing help.",
    "review": "Code or configuration for sharded training: a review is what the specialist is for.",
    "question": "A question about distributed or sharded training: answered from the knowledge cards, with citations.",
    "no_training": "No training or fine-tuning is under way or scheduled: there is nothing to shard yet.",
    "no_information": "Neither the model size nor the hardware is known: there is nothing to compute from.",
    "inference": "This is inference, serving, evaluation or conversion of a finished model: nothing is trained.",
    "provider": "This is a choice between providers or offers.",
    "hosted": "This is about using a hosted model or a hosted training service: its owner runs the GPUs.",
    "automation": "This is ordinary agent, workflow or office automation, not distributed training.",
    "unrelated": "This has nothing to do with distributed training.",
    "run_asked": "The request asks for this job on {ranks} ranks, with model and data named.",
    "run_asked_one": "The request asks for this job on one rank, with model and data named.",
    "trials_asked": "The request asks for trials of up to {trials} configurations of this model; ranks: {ranks}.",
    "run_script": "The request asks to run the named script.",
    "run_sharded": "Sharded over {ranks} ranks the model states are {per_rank} each.",
    "run_not_by_memory": "Memory alone would not need sharding here; it runs because it was asked for.",
    "run_one_rank": "With one rank nothing is sharded: the recipe runs, but saves no memory.",
    "lora_run": "The built-in recipe trains all weights; a LoRA run needs your own script.",
}

INSTEAD: Mapping[str, str] = {
    "one_gpu": "Train on one GPU without sharding; with memory to spare, raise the batch.",
    "ddp": "Use DDP (DistributedDataParallel under torchrun) with one replica per GPU, or a single GPU.",
    "lora_one_gpu": "Train with LoRA or QLoRA on one GPU, with activation checkpointing.",
    "lora_ddp": "Train with LoRA on one GPU; for throughput, DDP with one replica per GPU.",
    "more_gpus": "Wait for more GPUs, or allow LoRA or QLoRA.",
    "single_oom": "Lower the batch or the input size, use mixed precision and activation checkpointing, and accumulate "
    "gradients.",
    "revisit": "Come back when a training or fine-tuning job is planned: model size, method, GPUs and sequence length.",
    "tell_more": "Answer the questions; the verdict follows from the numbers.",
    "hardware_first": "Come back when the GPUs' number, type and memory and the model size are settled.",
    "other_accelerator": "Come back with GPUs under CUDA or ROCm (number, type, memory), or follow the documentation "
    "of the accelerator's backend.",
    "inference": "Ask a serving specialist (vLLM, SGLang, llama.cpp and the like).",
    "provider": "Compare the offers' price, quality and terms; this specialist has no data on them.",
    "hosted": "Follow the documentation of the hosted service.",
    "automation": "Ask the general assistant or the workflow tool (LangGraph, n8n and the like).",
    "unrelated": "Ask somewhere else: this specialist answers about training models on several GPUs.",
}

QUESTIONS: Mapping[str, str] = {
    "model_size": "How many parameters does the model have?",
    "model": "Which model folder (config.json, safetensors, tokenizer) is to be trained?",
    "data": "Which JSONL file holds the training examples?",
    "method": "Which weights are trained: all (full), LoRA or QLoRA?",
    "gpus": "How many GPUs are there in all?",
    "nodes": "Over how many machines are the GPUs spread?",
    "gpu_memory_of": "How much memory has one {gpu}?",
    "gpu_memory": "Which GPU is it, and how much memory has one?",
    "seq_len": "How many tokens has a sequence?",
    "batch_per_gpu": "How many sequences per GPU and micro-step?",
    "interconnect": "What connects the nodes (InfiniBand, RoCE, Ethernet; Gbit/s)?",
    "activation_checkpointing": "May activations be recomputed (activation checkpointing)?",
    "torch_version": "Which torch version is it?",
    "logs": "What do the logs of all ranks say, from the first error on?",
    "code": "Which script or configuration is it (file or text)?",
    "hardware_date": "When are the GPUs there, and which are they?",
    "more_gpus": "Can more GPUs be had, and when?",
    "lora_allowed": "May LoRA or QLoRA be used after all?",
    "training_date": "Is multi-GPU training planned, and when?",
    "conflict": "{name}: {first} contradicts {second}. Which holds?",
    "two_readings": "{name}: read as {first}; a language model reads {second}. Which holds?",
    "second_reading": "{name}: a language model reads {second}. Is that right?",
}

ASSUMED: Mapping[str, str] = {
    "method": "full (16 bytes per parameter)",
    "nodes": "one machine",
    "nodes_several": "{machines} machines of {each} GPUs",
    "gpu_memory": "{mem} per GPU",
    "seq_len": "{seq_len} tokens",
    "batch_per_gpu": "{batch} per GPU",
    "activation_checkpointing": "yes, every block",
    "interconnect": "InfiniBand or RoCE of 200 Gbit/s or more",
    "torch_version": "the installed one",
    "not_stated": "not stated",
}

NAMES: Mapping[str, str] = {
    "intent": "What is wanted",
    "model": "Model",
    "params_b": "Model size",
    "gpus": "Number of GPUs",
    "nodes": "Number of machines",
    "gpu_type": "GPU type",
    "gpu_mem_gb": "Memory of one GPU",
    "seq_len": "Sequence length",
    "batch": "Batch per GPU",
    "method": "Method",
}
