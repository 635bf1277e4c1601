"""Vocabulary of topics, in English and Danish: what a request is about.

Each entry is a pattern for lower-case text that stands as a word of its own; `signals`
compiles them. A signal says only that the words are there; `scope`, `intent` and `verdict`
weigh them.
"""

from collections.abc import Mapping

TOPICS: Mapping[str, tuple[str, ...]] = {
    # Weights of one's own are trained, now or by plan. "Fine-tuned" and "trained" are past.
    "training": (
        r"(?:post-?|re)?train(?:s|ing|er|able)?",
        r"fine-?\s?tun(?:e|es|ing|ings)",
        r"finetuner",
        r"(?:full|lora|qlora)[\s-]ft",
        r"sft|dpo|ppo|grpo|rlhf|orpo|kto",
        r"(?:continued\s)?pre-?train(?:s|ing)?",
        r"instruction[\s-]tun\w*",
        r"distill(?:s|ing|ation)?",
        r"domain[\s-]adapt\w*",
        r"træn(?:e|er|es|ing|ingen|inger|ings\w+)?",
        r"(?:for|efter|gen)træn(?:e|es|er|ing|ingen)",
        r"fin(?:e-?\s?tun|juster|tun|etun)(?:e|er|es|ing|ingen|ings\w*)?",
        r"finjuster(?:e|er|es|ing|ingen|ings\w*)?",
        r"training_job|finetune_plan|train_job",
    ),
    # Words of training that do not say that it is done.
    "training_words": (
        r"q?lora",
        r"peft|adapters?",
        r"epochs?",
        r"backward(?:\(\))?",
        r"gradient(?:s|er|erne)?",
        r"optimi[sz]er\w*",
        r"mikro-?batch|micro-?batch",
        r"loss|loss'en",
        r"checkpoints?|checkpoint-\w+",
    ),
    # Words that only distributed training uses.
    "sharded_training": (
        r"fsdp[12]?\w*",
        r"fully[_\s-]?shard\w*",
        r"fullysharded\w*",
        r"hsdp",
        r"hybrid[_\s-]shard\w*",
        r"zero(?:-|\s|_stage\s?|\sstage\s|-?stage-?)?[123](?!\d)",
        r"deepspeed",
        r"ddp",
        r"distributed\s?data\s?parallel",
        r"distributeddataparallel",
        r"reshard\w*",
        r"dtensor\w*",
        r"torchtitan|torchtune|megatron\w*|axolotl",
        r"shardedgradscaler",
        r"mixedprecision(?:policy)?",
        r"cpuoffload\w*|fsdp_offload_params|offload[\s_-]params",
        r"no_sync|set_requires_gradient_sync|clip_grad_norm_?",
        r"auto_wrap\w*|wrap[\s_-]polic\w+|no_wrap",
        r"statedicttype\w*|sharded_state_dict|full_state_dict|get_model_state_dict|set_model_state_dict|get_state_dict",
        r"dcp(?:\.\w+)?|distributed[\s_-]checkpoint\w*|torch\.distributed\.checkpoint",
        r"data_parallel_(?:shard|replicate)_degree",
        r"mixed_precision:\s?\w+",
        r"gradient[\s_-]accumulation\w*",
        r"fsdp-script\w*|fsdp-konfig\w*",
        r"optimizer[\s-]states?|optimizerens\stilstand\w*",
        r"(?:parameter|model|weight|gradient)[\s-]shard\w*",
    ),
    # Words of distributed computing, training or not.
    "distributed": (
        r"nccl\w*|processgroupnccl|worknccl|gloo|rccl",
        r"torch\.distributed\w*|torch\.dist\w*|c10d\w*|disterror|distbackenderror|childfailederror",
        r"torchrun|torchelastic|rendezvous\w*|accelerate(?:\slaunch|\sconfig|\syaml)?",
        r"all-?_?gather\w*|_allgather_base|reduce-?_?scatter\w*|_reduce_scatter_base|all-?_?reduce\w*",
        r"collectives?|kollektiv\w*",
        r"world[\s_]?size",
        r"(?:all\s|alle\s|\d+\s)?ranks?(?:\s?\d+)?",
        r"device[\s_-]?mesh|mesh'?ens?|init_device_mesh",
        r"multi-?\s?(?:gpu|node)s?",
        r"multi-?(?:gpu|node)-?træning",
        r"data[\s-]?parallel\w*|tensor[\s-]?parallel\w*|context[\s-]?parallel\w*|pipeline[\s-]?parallel\w*|sequence[\s-]?parallel\w*",
        r"parallelism",
        r"distribu(?:ted|eret)\w*",
        r"shard'?(?:e|er|es|et|ed|ing|s|er|ede)?",
        r"flight[\s-]recorder",
        r"infiniband|nvlink|rdma|roce",
        r"slurm|srun|sbatch",
        r"activation[\s_-]checkpoint\w*|gradient[\s_-]checkpoint\w*",
        r"process[\s_-]?groups?",
        r"(?:del|dele|opdel|opdele|fordel|fordele)s?\s(?:\w+\s){0,4}(?:op|ud|kort\w*|gpu\w*)|opdeles?|delt\sud",
        r"torch\.compile",
    ),
    # Evidence that no workflow tool prints: a distributed job of PyTorch.
    "distributed_proof": (
        r"nccl\w*|processgroupnccl|worknccl",
        r"torch\.distributed\w*|c10d\w*|distbackenderror|childfailederror|torchelastic",
        r"torchrun|fully_shard|fsdp[12]?|ddp|deepspeed|hsdp",
        r"_allgather_base|_reduce_scatter_base",
        r"torch\.outofmemoryerror|cuda\sout\sof\smemory",
    ),
    "inference": (
        r"vllm|sglang|tgi|text-generation-inference|ollama|lm\s?studio|llama[.-]?cpp|llama\.cpp|tensorrt\w*|trt-llm|exllama\w*|mlx",
        r"gguf|awq|gptq|ggml|q[2-8]_k(?:_[sml])?|q4_0|onnx\w*",
        r"serv(?:e|es|ing|ering|ere|ere[rs]?)(?!\s?er\b)",
        r"served",
        r"inferen(?:ce|s|cing|sen)\w*|inferring",
        r"deploy(?:s|ing|ment)?|deploye|udrul\w*|i\sproduktion|to\sproduction|into\sproduction",
        r"latency|latenstid|ttft|time\sto\sfirst\stoken|tokens/s\sper\suser|req(?:uests)?(?:/s|\sper\ssecond)|concurrent\susers|samtidige\sbrugere",
        r"kv[\s-]?cache|speculative\sdecoding|continuous\sbatching|paged\s?attention",
        r"triton\s(?:inference|server)|behind\striton|triton\smed",
        r"quanti[sz]e|quanti[sz]ing|kvantiser\w*|konvert[eé]r?\w*\s(?:\w+\s){0,3}til\sgguf",
        r"edge\s(?:device|box)\w*|jetson",
        r"endpoints?|chat\smodel|svartid\w*",
        r"lm-eval\w*|evaluate|evaluer\w*|benchmark(?:s|ing)?",
        r"generate\s(?:text|answers|embeddings)|text\sgeneration|embeddings?",
        r"køre?\s(?:\w+\s){0,4}lokalt|run\s(?:\w+\s){0,4}locally",
        r"batch\sinference|offline\sinference|prompt\scach\w*",
    ),
    # Tools that only serve or convert finished models.
    "serving_tool": (
        r"vllm|sglang|tgi|ollama|llama\.cpp|tensorrt\w*|gguf|awq|gptq|lm\s?studio|ttft|kv[\s-]?cache|jetson|triton",
        r"q[2-8]_k(?:_[sml])?|onnx",
    ),
    "provider": (
        r"providers?|udbyder\w*|leverandør\w*|vendors?",
        r"azure|aws|gcp|bedrock|vertex|lambda\s?labs?|lambda|runpod|coreweave|vast\.ai|together(?:\.ai)?|fireworks|replicate|modal|hetzner"
        r"|openrouter|groq|cohere|mistral\sapi|sagemaker|nebius",
        r"cheap(?:est|er)?|billig(?:st|ere|ste)?|price\w*|pris(?:en|er|erne)?|pricing|cost\w*|koste[rt]?|rent(?:ing)?|leje[rs]?|dyre?(?:st|re)?",
        r"per\s(?:million\s)?tokens?|pr\.?\s(?:million\s)?tokens?|per\shour|pr\.?\stime|\$/\w+",
        r"subscription|abonnement\w*|contract\swith|kontrakt\smed|sla",
    ),
    "hosted": (
        r"openai\w*|anthropic\w*|claude\w*|chatgpt|gemini\w*|copilot|gpt(?!-?(?:2|j|neo|neox|oss)\b)(?:-?[345][\w.-]*)?|grok|perplexity|deepl"
        r"|mistral\slarge|le\schat|bard",
        r"api[\s-]?keys?|api-?nøgle\w*|rate[\s-]limit\w*|hosted|hostede?|fine-?tuning\sapi|saas|context\swindow\sof\sclaude|429",
    ),
    # Agents, workflows, office work.
    "automation": (
        r"langgraph\w*|langchain\w*|langsmith|langfuse|n8n\w*|zapier|make\.com|crewai|autogen|airflow|temporal|power\sautomate|node-red|dify|flowise"
        r"|llama-?index",
        r"workflows?|webhooks?|http\snode|reducer|recursion\slimit|state\s?graph|checkpointer",
        r"chatbots?|assistent\w*|assistant|rag|retriev\w*|vector\s(?:db|store|database)\w*|vektordatabase\w*|pgvector|postgres\w*|mcp|tool[\s-]call\w*"
        r"|embeddings?\sindex|knowledge\sgraph|sql|database\w*|spreadsheet|excel|regneark\w*",
        r"prompts?|prompt\stemplate\w*|system\sprompt",
        r"e-?mails?|mails?|mailen|inbox|indbakke\w*|slack\w*|teams-\w+|outlook|calendar|kalender\w*|crm|hubspot|salesforce|jira|confluence|notion"
        r"|sharepoint|trello",
        r"tickets?|ticketsystem\w*|sager|faktura\w*|invoices?|ordre\w*|orders?|meeting(?:s|\sroom)?|møde\w*|mødelokale\w*|referat\w*|minutes"
        r"|invitation\w*|booking|book(?:e|ed)?|bestyrelse\w*|board\smembers|kundeservice|receipts?|kvittering\w*",
        r"translat\w+|oversæt\w*|summari[sz]\w+|opsummer\w*|remind(?:er|ers)?|påmind\w*|forward\sit|draft\san?|proofread|korrekturlæs\w*|skriv\set?"
        r"|write\san?\s(?:email|blog|post|poem|reply)|blog\s?post\w*|linkedin|tweet|nyhedsbrev\w*|newsletter|presentation|slides|præsentation\w*",
        r"scrap(?:e|es|ing)|crawl\w*|cron\w*|docker\s?compose|kubernetes\w*|terraform|ci/cd|github\sactions|website|hjemmeside\w*|react\sapp|frontend",
        r"weather|vejr\w*|recipe\sfor|travel|flight\sto|hotel|rejse\w*|lunch|frokost\w*|plants|vacation|ferie\w*",
        r"agent(?:s|er|en|erne|ic)?|multi-?agent\w*|orchestrat\w+\sof\sagents",
    ),
    # Names of tools whose graphs, nodes and workers are none of a training job.
    "automation_tool": (
        r"langgraph\w*|langchain\w*|n8n\w*|zapier|crewai|autogen|airflow|make\.com|power\sautomate|llama-?index|dify|flowise|postgres\w*|pgvector"
        r"|recursion\slimit|webhooks?|rag|mcp|vector\s(?:db|store|database)\w*|kubernetes\w*",
    ),
    "image_model": (r"u-?net|resnet[\s-]?\d*|vit|vit-\w+|convnext|images?|billeder|imagenet|diffusion|sdxl|cnn|yolo\w*|segmentation|segmentering",),
    "interconnect": (r"infiniband|ib|roce|ethernet|nvlink|nvswitch|pcie|\d+\s?g(?:b/s|bit|bps|be)?\s(?:between|ethernet|netværk|network|mellem)",),
    "checkpointing": (r"(?:activation|gradient|aktiverings?)[\s_-]?checkpoint\w*|checkpointing|recompute|genberegn\w*|\bac\b",),
    "torch_version": (r"torch\s?(?:==|version\s|v)?\s?\d\.\d+|pytorch\s?(?:v|version\s)?\d\.\d+|nightly",),
}
