"""An old default accelerate config file silently switches FSDP on."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="stale-accelerate-config",
    card="stale-accelerate-config",
    signs=(
        Sign(
            5.0,
            (
                r"default_config\.yaml|(?:old|stale|earlier|previous|left.?over"
                r"|another project)~(?:accelerate )?config|never asked for fsdp|set fsdp to false"
                r"|fsdp is still enabled|(?:do not|don't|not"
                r"|without) us(?:e|ing) fsdp|fsdp~(?:set to false|turned off|disabled)~still|(?:did not|didn't"
                r"|never|do not) (?:ask|enable|use|configure|want)\w*~fsdp"
            ),
            r"accelerate|config|fsdp",
        ),
        Sign(
            5.0,
            r"accelerate launch|accelerate config|accelerator",
            r"fsdp|fullyshardeddataparallel",
            (
                r"fsdp~(?:commented out|set to no|removed)|(?:colleague|another|other|different)\S*"
                r" (?:account|user|home|machine)|ran .?accelerate config|months ago|without arguments"
            ),
        ),
        Sign(
            -3.0,
            r"accelerate test\b|test_script",
        ),
        Sign(
            5.0,
            r"fsdp(?:_config)?\b[ :=]{1,3}\W{0,2}(?:empty|none|null|off|false|no\b|unset|not set|\[\])",
            r"fsdp is enabled|fullysharded|transformer layer class|auto.?wrap|fsdp~(?:on|active)",
        ),
        Sign(
            3.0,
            (
                r"(?:used|ran|had|configured|set up)\b~(?:account|machine|server|box|home|login|node)|(?:account"
                r"|machine|server|home)~(?:another|other|earlier|previous|before|last year|months ago)"
            ),
            r"fsdp",
            r"another|other|earlier|previous|before|last year|months ago",
            r"accelerate|colleague",
        ),
        Sign(
            4.0,
            (
                r"(?:fresh|new|other|another|colleague|second)\S* (?:account|user|home|machine|login)"
                r"|\.cache/huggingface/accelerate"
            ),
            r"fsdp",
            r"suddenly|does not|fine|works|no config|without (?:a )?config|last (?:year|spring|month|week)",
        ),
    ),
    confirm="accelerate env shows no FSDP",
)
