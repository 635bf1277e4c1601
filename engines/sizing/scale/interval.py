"""How often to save, where failures come at random: Young's and Daly's intervals.

Sources: J. W. Young, A first order approximation to the optimum checkpoint interval,
Communications of the ACM 17(9), 1974, doi:10.1145/361147.361115; J. T. Daly, A higher order
estimate of the optimum checkpoint interval for restart dumps, Future Generation Computer
Systems 22(3), 2006, doi:10.1016/j.future.2004.11.016.

Here `save_s` is the time that the job waits for one checkpoint (delta), `mtbf_s` the mean
time between its failures (M), `restart_s` the time from a failure to the next step (R).
"""

from math import exp, inf, sqrt

_LARGEST_EXPONENT = 700.0
"""exp of more is no floating-point number: the job never ends."""


def young_s(save_s: float, mtbf_s: float) -> float:
    """Return Young's interval in seconds: sqrt(2 delta M)."""
    return sqrt(2 * save_s * mtbf_s)


def daly_s(save_s: float, mtbf_s: float) -> float:
    """Return Daly's interval in seconds: training between the end of one save and the begin of the next.

    sqrt(2 delta M) [1 + 1/3 (delta/2M)^(1/2) + 1/9 (delta/2M)] - delta, where delta < 2M; M otherwise.
    """
    if save_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = save_s / (2 * mtbf_s)
    return young_s(save_s, mtbf_s) * (1 + sqrt(ratio) / 3 + ratio / 9) - save_s


def slowdown(interval_s: float, save_s: float, mtbf_s: float, restart_s: float) -> float:
    """Return expected wall time over the time of the training alone (Daly's complete cost function).

    M/tau e^(R/M) (e^((tau + delta)/M) - 1), for failures at random at every moment, those of
    saving and of restarting included. Infinite where no segment is ever completed.
    """
    whole = (interval_s + save_s) / mtbf_s
    if restart_s / mtbf_s + whole > _LARGEST_EXPONENT:
        return inf
    return mtbf_s / interval_s * exp(restart_s / mtbf_s) * (exp(whole) - 1)


def useful_share(interval_s: float, save_s: float, mtbf_s: float, restart_s: float) -> float:
    """Return the share of the wall time that makes progress, 0 to 1."""
    return 1 / slowdown(interval_s, save_s, mtbf_s, restart_s)
