"""What a person is told of the files of a plan, in English and Danish."""

from contracts.request import Language
from contracts.wording import Sentences, told

_SENTENCES: Sentences = {
    "withheld": (
        "{name} is not written: it cannot express {what}",
        "{name} skrives ikke: den kan ikke udtrykke {what}",
    ),
    "left": (
        "{names} do not hold {left}: train.py has to make it",
        "{names} indeholder ikke {left}: det skal train.py lave",
    ),
    "reduced": (
        "{names}: accelerate reduces gradients in bf16, not in the plan's fp32, unless train.py gives the policy that "
        "{file} names",
        "{names}: accelerate reducerer gradienter i bf16, ikke i planens fp32, medmindre train.py giver den "
        "policy, som {file} nævner",
    ),
    "nothing_fits": (
        "nothing is written to {folder}: the prediction does not fit, and such a job would run out of memory",
        "intet skrives til {folder}: forudsigelsen kan ikke være der, og sådan et job ville løbe tør for hukommelse",
    ),
    "optimizer": ("the optimizer {optimizer}", "optimizeren {optimizer}"),
    "mesh": ("the HSDP mesh of {copies} replicas", "HSDP-meshen på {copies} replikaer"),
    "lora": ("LoRA adapters on frozen weights", "LoRA-adaptere på frosne vægte"),
    "qlora": ("QLoRA adapters on frozen 4-bit weights", "QLoRA-adaptere på frosne 4-bit-vægte"),
    "and": (" and ", " og "),
}
"""By name: English, Danish."""


def say(key: str, language: Language, /, **values: object) -> str:
    """Return a sentence, or a part of one, with its values filled in."""
    return told(_SENTENCES, key, language, **values)
