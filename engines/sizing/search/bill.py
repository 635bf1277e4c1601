"""Time and money for a number of tokens, at the predicted speed."""

from contracts.aim import Aim
from contracts.plan import Bill, Throughput
from contracts.request import Language
from engines.sizing.texts import say

SECONDS_PER_HOUR = 3600


def bill_for(
    aim: Aim, tokens: int | None, throughput: Throughput, ranks: int, language: Language = "en"
) -> Bill | None:
    """Return what training takes; None where the number of tokens is not known.

    Args:
        aim: The price, and the tokens where they are stated.
        tokens: Tokens of the planned steps, where the aim states none.
        throughput: The predicted speed.
        ranks: GPUs in all.
        language: Language of the arithmetic.
    """
    total = aim.tokens or tokens
    if not total:
        return None
    hours = total / (throughput.tokens_per_s_per_gpu * ranks) / SECONDS_PER_HOUR
    gpu_hours = hours * ranks
    cost = None if aim.price_per_gpu_hour is None else gpu_hours * aim.price_per_gpu_hour
    values = {"tokens": total, "speed": throughput.tokens_per_s_per_gpu, "hours": hours, "gpu_hours": gpu_hours}
    text = say("bill", language, ranks=ranks, **values)
    if cost is not None:
        text += say("bill_cost", language, price=aim.price_per_gpu_hour, cost=cost)
    text += say("bill_error", language, error=throughput.error_pct)
    return Bill(tokens=total, hours=hours, gpu_hours=gpu_hours, cost=cost, arithmetic=text)
