"""Host RAM runs out at load time in one process (inference or single-GPU training)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="host-ram-inference-load",
    card="host-ram-exhausted-at-load",
    signs=(
        Sign(
            5.0,
            (
                r"inference|device_map|notebook|jupyter|text.generation|pipeline\(|generat\w+ text|demo"
                r"|generation script"
                r"|chat_completion|text_completion|no training|single[ -](?:gpu|process)|one process"
                r"|not training|only (?:want to )?load|colab|\bchat|\bserv(?:e|ing)\b"
            ),
            (
                r"\bkilled\b|kernel (?:dies|died|restart)|\bram\b|sigkill|exit ?code ?:? ?(?:-9|137)"
                r"|out of (?:host |system |cpu )memory"
            ),
            (
                r"climbs|special tokens have been added|pipeline\(|ckpt_dir|load|from_pretrained|checkpoint|ckpt"
                r"|initializing model"
            ),
        ),
        Sign(
            -4.0,
            r"every (?:rank|process)|each (?:rank|process)|fsdp|per gpu|nproc[_-]per[_-]node[= ](?:[2-9]|1\d)",
        ),
        Sign(
            4.0,
            r"\bkilled\b|kernel (?:dies|died)",
            r"special tokens have been added|load",
            r"\A(?=.)(?!.*(?:\brank|process(?:es)|\bgpus|torchrun|accelerate|nproc|workers?\b|fsdp))",
        ),
        Sign(
            4.0,
            r"\b(?:chat|example|generate|inference|demo|convert\w*|run)\.py|only want to (?:generat|chat|load|run)",
            r"\bkilled\b|exit ?code ?:? ?(?:-9|137)|ram goes|dies",
        ),
    ),
    outside="never_fsdp",
    confirm="free -g while it loads",
)
