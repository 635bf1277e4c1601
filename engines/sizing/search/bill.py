"""Time and money for a number of tokens, at the predicted speed."""

from contracts.aim import Aim
from contracts.plan import Bill, Throughput

SECONDS_PER_HOUR = 3600


def bill_for(aim: Aim, tokens: int | None, throughput: Throughput, ranks: int) -> Bill | None:
    """Return what training takes; None where the number of tokens is not known.

    Args:
        aim: The price, and the tokens where they are stated.
        tokens: Tokens of the planned steps, where the aim states none.
        throughput: The predicted speed.
        ranks: GPUs in all.
    """
    total = aim.tokens or tokens
    if not total:
        return None
    hours = total / (throughput.tokens_per_s_per_gpu * ranks) / SECONDS_PER_HOUR
    gpu_hours = hours * ranks
    cost = None if aim.price_per_gpu_hour is None else gpu_hours * aim.price_per_gpu_hour
    text = f"{total:,} tokens / ({throughput.tokens_per_s_per_gpu:,.0f} tokens/s x {ranks} GPUs) = {hours:,.2f} hours"
    text += f" = {gpu_hours:,.2f} GPU hours"
    if cost is not None:
        text += f" x {aim.price_per_gpu_hour:g} = {cost:,.2f}"
    text += f", plus or minus {throughput.error_pct:.0f} %"
    return Bill(tokens=total, hours=hours, gpu_hours=gpu_hours, cost=cost, arithmetic=text)
