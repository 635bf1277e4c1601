"""Vocabulary of what is other people's work; notation as in `words_topics`."""

from collections.abc import Mapping

OUTSIDE: Mapping[str, str] = {
    "inference": r"""
        vllm | sglang | tgi | text-generation-inference | ollama | lm ?studio | llama[.-]?cpp | tensorrt\S* | trt-llm
        exllama\w* | mlx | gguf | awq | gptq | ggml | q[2-8]_k(_[sml])? | q4_0 | onnx\w*
        serv(e|es|ing|ering|ere|eres)(?! er) | served | inferen(ce|s|cing|sen)\w* | inferring | deploy(s|ing|ment|e)?
        udrul\w* | i produktion | (in)?to production | latency | latenstid | ttft | time to first token
        req(uests)?(/s| per second) | (concurrent|samtidige) (users|brugere) | \d+ (users|brugere) | kv[ -]?cache
        speculative decoding | continuous batching | paged ?attention | triton (inference|server)
        (behind|med|on|with) triton | quanti[sz](e|ing|ation)(?! aware) | kvantiser\w*
        konvert[eé]r?\w* (\w+ ){0,3}til gguf | edge (device|box)\w* | jetson | endpoints? | chat model | chatmodel\w*
        svartid\w* | lm-eval\w* | evaluate | evaluér | evaluere | evals? | mmlu | benchmark(s|ing)?
        (generate|generating) (text|answers|embeddings) | text generation
        (compute|computing|beregn\w*|lav\w*|batch) (\w+ )?embeddings? | embeddings? (of|for|af|til|service)
        (batch|offline) inference
        transcri(be|bing|ption|ptions) | transskri\w+ | text[ -]to[ -]speech | ocr
        replikaer | kør(e|er)? (\S+ ){0,4}lokalt | run (\S+ ){0,4}locally | self-?host\w*
        hvor meget vram (\S+ ){0,6}for at køre
    """,
    # Said in so many words.
    "inference_only": r"""
        (for|til) (\w+ )?(inference|serving|inferens) | inference[ -]only | no training (is )?involved
        kun (til )?inferens | only (for )?(inference|serving) | uden træning
    """,
    # Tools that only serve or convert finished models.
    "serving_tool": r"""
        vllm | sglang | tgi | ollama | llama\.cpp | tensorrt\S* | gguf | awq | gptq | lm ?studio | ttft | kv[ -]?cache
        jetson | triton (inference|server) | (behind|med|on|with) triton | q[2-8]_k(_[sml])? | onnx
        continuous batching | speculative decoding | lm-eval\w*
    """,
    "provider": r"""
        which cloud | hvilken sky | hourly | timepris\w* | money | budget | alternativ\w* (hos|til|to|at)
        providers? | udbyder\w* | leverandør\w* | vendors? | azure | aws | gcp | bedrock | vertex | lambda labs?
        lambda(?= |,) | runpod | coreweave | vast\.ai | together(\.ai| ai) | fireworks(\.ai)? | openrouter | groq
        cohere | mistral api | sagemaker | nebius | hetzner | scaleway | ovh | afford\w* | cheap(est|er)?
        billig(st|ere|ste)?
        price\w* | pris(en|er|erne)? | pricing | costs? | koste[rt]? | rent(ing)? | leje[rs]? | dyr(e|est|ere|t)?
        pay for | betale (for|sig) | per (million )?tokens? | pr\.? (million )?tokens? | \$/\w+ | subscription
        abonnement\w* | sla | data residency
    """,
    "hosted": r"""
        openai(?!-?compat)\w* | anthropic\w* | claude\w* | chatgpt | gemini\w* | copilot
        gpt(?!-?(2|j|neo|neox|oss)\b)(-?[345][\w.-]*)? | perplexity | deepl | mistral large | le chat | api[ -]?keys?
        api-?nøgle\w* | rate[ -]limit\w* | hosted | hostede? | fine-?tuning api | saas | prompt caching
        together(\.ai| ai)
    """,
    # Agents, workflows, office work.
    "automation": r"""
        langgraph\w*(-\w+)? | langchain\w* | langsmith | langfuse | n8n\w*(-\w+)? | zapier | make\.com | crewai
        autogen | airflow | power automate | node-red | dify | flowise | llama-?index | workflows? | webhook\w*
        http node | reducer | recursion limit | state ?graph | checkpointer | chatbots? | assistent\w* | assistant
        rag | retriev\w* | vector (db|store|database)\w* | vektordatabase\w* | pgvector | postgres\w* | mcp
        tool[ -](call|result)\w* | knowledge graph | sql | databas\w* | spreadsheets? | excel | regneark\w*
        (google )?sheets | prompts? | prompt template\w* | system prompt | e-?mails? | mails? | mailen | inbox
        indbakke\w* | slack\w*(-\w+)? | outlook | calendar | kalender\w* | crm | hubspot | salesforce | jira
        confluence | notion | sharepoint | trello | tickets? | ticketsystem\w* | sager | faktura\w* | invoices?
        ordre\w* | orders | meetings? | meeting room | møde\w* | referat\w* | mødereferat\w* | minutes of
        invitation\w* | booking | book(e|ed)? | bestyrelse\w* | board members | kundeservice | receipts?
        kvittering\w* | (phone )?call with | appointment\w* | translat\w+ | oversæt\w* | summari[sz]\w+ | opsummer\w*
        remind(er|ers)? | påmind\w* | forward it | draft an? | proofread | korrekturlæs\w*
        write an? (\w+ )?(email|mail|blog|post|poem|reply|letter|press release) | skriv (en|et) | blog ?posts?\w*
        linkedin | tweet | nyhedsbrev\w* | newsletter | presentation | slides | præsentation\w* | archive
        arkiv[eé]r\w* | scrap(e|es|ing) | crawl\w* | cron\w* | docker compose | kubernetes\w* | terraform | ci/cd
        github actions | website | hjemmeside\w* | react app | frontend | python script every | weather | vejr\w*
        travel | flight to | hotel | rejse\w* | lunch | frokost\w* | plants | vacation | ferie\w* | workshop\w*
        tone of voice | agent(s|er|en|erne|ic)? | multi-?agent\w* | recursion
    """,
    # Names of tools whose graphs, nodes and workers are none of a training job.
    "automation_tool": r"""
        langgraph\w*(-\w+)? | langchain\w* | n8n\w*(-\w+)? | zapier | crewai | autogen | airflow | make\.com
        power automate | llama-?index | dify | flowise | postgres\w* | pgvector | recursion limit | webhook\w* | rag
        mcp | vector (db|store|database)\w* | kubernetes\w*
    """,
}
