"""The job's own code raised, and the other ranks only tell that it is gone."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="exception-in-user-code",
    card="exception-on-one-rank",
    signs=(
        Sign(
            3.5,
            r"(?:value|key|index|type|name|zerodivision|attribute|filenotfound)error",
            r"my (?:own )?(?:script|code|data ?set|collate|parser)|own code",
        ),
        Sign(
            3.5,
            (
                r"keyerror: .(?:input_ids|labels|attention_mask|pixel_values|text|messages|prompt|conversations)\b"
                r"|filenotfounderror: [^\n]{0,80}\.(?:jsonl?|parquet|arrow|csv|tsv|txt|npy|tar|bin\.idx|ya?ml)\b"
            ),
        ),
    ),
    fallback=True,
    confirm="the line passes for that example on one process",
)
