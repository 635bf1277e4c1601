"""Vocabulary of what a request is about: training, sharding, hardware.

Notation of all `words_*` tables, read by `signals`: phrases of lower-case text, one or more
to a line, separated by ` | `; a phrase is a regular expression in which one space stands for
any white space. A signal says only that the words are there; `scope`, `intent` and `verdict`
weigh them.
"""

from collections.abc import Mapping

TOPICS: Mapping[str, str] = {
    # Weights of one's own are trained, now or by plan. "Fine-tuned" and "trained" are past.
    "training": r"""
        (post-?|re|co-)?train(s|ing|er|able)? | trained end[ -]to[ -]end | fine-? ?tun(e|es|ing|ings) | finetuner
        (full|lora|qlora)[ -]ft | sft | dpo | ppo | grpo | rlhf | orpo | kto | (continued )?pre-?train(s|ing)?
        instruction[ -]tun\w* | distill(s|ing|ation)? | domain[ -]adapt\w* | training_job | finetune_plan | train_job
        (tun(e|ing)|adapt(ing)?) (a|an|the|our|my|some|it|this|\d+b|[\w.-]*\d\S*)( \w+){0,2} | be trained
        is trained | (for|efter|gen)?træn(e|es|er|ing|ingen|inger|ings\w+)? | (for|efter|gen)træning\w*
        efteruddan\w* | fin(e-? ?tun|juster|tun|etun)(e|er|es|ing|ingen|ings\w*)? | \w+-kørslen
    """,
    # Words of training that do not say that it is done.
    "training_words": r"""
        q?lora | peft | adapters? | epochs? | epoker | backward(\(\))? | gradient(s|er|erne)? | optimi[sz]er\w*
        grad(ient)? norm | mi[ck]ro-?batch | loss | loss'en | checkpoints? | checkpoint-\w+ | learning rate | lr
        convergence | konvergens | state_dicts? | state dicts? | from_pretrained | (py)?torch\S* | perplexity
        step time | training step | skridt | tok(ens?)?/s/gpu | mfu
    """,
    # Names of the techniques.
    "technique": r"""
        fsdp[12]?\w* | fsdp-\w+ | hsdp | fully ?sharded data ?parallel\w* | fullyshardeddataparallel
        hybrid[_ -]shard\w* | zero( ?-?stage|_stage)?s? ?-? ?[123](?!\d) | zero stages? | deepspeed | ddp
        distributed ?data ?parallel | torchtitan | torchtune | megatron\w* | axolotl | llama-?factory
    """,
    # Parts and calls that only sharded training has.
    "mechanism": r"""
        fully[_ -]?shard\w* | reshard\w* | dtensors? | dtensor-\w+ | flatparam\w* | flat param\w* | shardedgradscaler
        mixedprecision(policy)? | cpuoffload\w* | offload[_ -]?params | offload_policy | fsdp_\w+ | no_sync
        set_requires_gradient_sync | clip_grad_norm_? | \w*auto[_ -]wrap\w* | wrap(ping)?[ -]poli(c|t)\w+ | no_wrap
        use_orig_params | statedicttype\w* | (sharded|full)_state_dict | (sharded|full|local) state[_ -]dicts?
        [gs]et_(model|optimizer)?_?state_dict | shardede? state dicts | dcp(\.\w+)? | distributed[_ -]checkpoint\w*
        torch\.distributed\.checkpoint | data_parallel_(shard|replicate)_degree | limit_all_gathers
        \w+_prefetch | (forward|backward) prefetch\w* | prefetch(ing|es|er)? | optimizer[ -]states?
        optimizerens tilstand\w* | (parameter|model|weight|gradient|optimizer)[ -]shard\w* | sharding[_ -]strateg\w+
        _orig_mod\S* | _fsdp_wrapped_module\S* | reduce_dtype | param_dtype | mp_policy
        (init_)?device_?mesh\w*(-\w+)? | mesh_dim_names | meta[ -]device | full_shard | shard_grad_op
    """,
    # Words of distributed computing, training or not.
    "distributed": r"""
        nccl(-\w+)? | processgroupnccl\w* | worknccl | gloo | rccl | torch\.dist\w* | c10d\w* | dist\w*error
        childfailederror | torchrun | torchelastic | rendezvous\w* | accelerate( launch| config| yaml)?
        accelerate-\w+ | _?all-?_?gather\w* | _allgather_base | _?reduce-?_?scatter\w* | all-?_?reduce\w*
        all-gather-\w+ | collectives? | kollektiv\w* | world[_ ]?size
        ((all|alle|every|each|one|\d+) )?ranks?( ?\d+)? | device mesh | mesh'?ens? | multi-? ?(gpu|node)s?
        multi-?(gpu|node)-\w+ | (data|tensor|context|pipeline|sequence|expert)[ -]?parallel\w* | parallelism
        distribu(ted|eret)\w* | shard'?(e|er|es|et|ed|ing|s|ede)? | sharding-\w+ | flight[ -]recorder | infiniband
        nvlink | rdma | roce | slurm | srun | sbatch | (activation|gradient)[_ -]checkpoint\w* | process[_ -]?groups?
        torch\.compile | gradient[_ -]accumulation\w* | cpu[ -]offload\w*
        (un)?(gather|shard|reduce)(ed|ede) (parameters?|parametre|weights|vægte|gradient\w*)
        (split(ting)?|spread(ing)?|divid(ed|ing)|cut) (\w+ ){0,3}(over|across|between|among) (\w+ ){0,3}(gpus?|cards?)
        (delt|fordelt|spredt|opdelt) (\w+ ){0,3}(over|på|mellem|ud) (\w+ ){0,3}(gpu\w*|kort\w*|maskiner\w*)
        (del|dele|opdel|opdele|fordel|fordele)s? (\w+ ){0,4}(op|ud|kort\w*|gpu\w*) | opdeles? | delt ud
    """,
    # Words of the trade in the widest sense; each of them has other meanings too.
    "trade": r"""
        gpus? | cards? | kort | accelerators? | clusters? | klynge\w* | ranks? | nodes? | noder | weights | vægt\w*
        layers? | lag
        parameters? | parametre\w* | models? | model(len|ler|lerne)? | gradient\w* | memory | hukommelse\w*
        a100\w* | h100\w*
    """,
    # Evidence that no workflow tool prints: a distributed job of PyTorch.
    "distributed_proof": r"""
        nccl(-\w+)? | processgroupnccl\w* | worknccl | torch\.distributed\w* | c10d\w* | distbackenderror
        childfailederror | torchelastic | torchrun | fully_shard | fsdp[12]? | ddp | deepspeed | hsdp
        _allgather_base | _reduce_scatter_base | torch\.outofmemoryerror | torch\.cuda\.\w+ | cuda out of memory
    """,
    "image_model": r"""
        u-?net | resnet[ -]?\d* | vit | vit-\w+ | convnext | images? | billeder | imagenet | diffusion | sdxl | cnn
        yolo\w* | segmentation | segmentering
    """,
    "interconnect": r"""
        infiniband | ib | roce | ethernet | nvlink | nvswitch
        \d+ ?g(b/s|bit|bps|be)?(/s)? (between|ethernet|netværk|network|mellem)
    """,
    "checkpointing": r"""
        (activation|gradient|aktiverings?)[_ -]?checkpoint\w* | checkpointing | recompute | genberegn\w*
    """,
    "torch_version": r"""
        (py)?torch ?(==|version |v)? ?\d\.\d+ | nightly
    """,
    "too_big_for_one": r"""
        (too (big|large) for|won't fit( on| in)?) (\w+ ){0,3}?(one|a single|single|1) (\w+ )?(gpu|card)
        (does(n't| not) (fit|load)( on| in| onto)?) (\w+ ){0,3}?(one|a single|single|1) (\w+ )?(gpu|card)
        (can(not|'t| not) fit( on| in)?|exceeds?) (\w+ ){0,3}?(one|a single|single|1) (\w+ )?(gpu|card)
        (won't|can(not|'t)|kan ikke) (\w+ )?(train|be trained|trænes) (on|in|på) (one|a single|single|1|ét|et|én)
        for stor til (ét|én|et|en) (\w+ )?(kort|gpu) | kan ikke være (på|i) (ét|én|et|en)
        for meget til (ét|én|et|en) (\w+ )?(kort|gpu)
    """,
}
