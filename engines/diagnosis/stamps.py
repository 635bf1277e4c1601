"""Reads the time stamps of log lines, whatever their format, as seconds since the epoch (UTC where no zone is told)."""

import re
from datetime import UTC, datetime, timedelta, timezone

_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_FULL = re.compile(
    r"(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T _](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(?:[.,](?P<part>\d{1,9}))?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?"
)
_GLOG = re.compile(r"(?:^|[\[ ])[IWEF](?P<month>\d\d?)(?P<day>\d\d) " + _TIME + r"\.(?P<part>\d{1,9})")
_WORDS = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r" {1,2}(?P<day>\d{1,2}) " + _TIME + r"(?: (?P<year>20\d\d))?"
)
_CLOCK = re.compile(
    r"^\s*\[?(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?:[.,](?P<part>\d{1,9}))?\]?\s"
)
_FORMS = (_FULL, _GLOG, _WORDS, _CLOCK)
_LOOK_CHARS = 160


class Clock:
    """Reads stamps one after another: what one leaves out (the year, the day) is taken from those before it."""

    def __init__(self) -> None:
        """Start without any date; until one is seen, stamps without a year are of 1970."""
        self._day = datetime(1970, 1, 1, tzinfo=UTC)

    def read(self, text: str) -> float | None:
        """Return the time of a line in seconds since the epoch; None where it carries no stamp.

        Args:
            text: The line; its beginning is looked at.
        """
        for form in _FORMS:
            if found := form.search(text[:_LOOK_CHARS]):
                try:
                    return self._time(found)
                except ValueError:  # such as 13 o'clock in the 31st of February
                    continue
        return None

    def _time(self, found: re.Match[str]) -> float:
        parts = found.groupdict()
        month = parts.get("month") or _MONTHS.get((parts.get("name") or "").lower()) or self._day.month
        time = datetime(
            int(parts.get("year") or self._day.year),
            int(month),
            int(parts.get("day") or self._day.day),
            int(parts["hour"]),
            int(parts["minute"]),
            int(parts["second"]),
            int(float("0." + (parts.get("part") or "0")) * 1e6),
            tzinfo=_zone(parts.get("zone")),
        )
        if parts.get("year"):
            self._day = time
        return time.timestamp()


def _zone(text: str | None) -> timezone:
    if not text or text == "Z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
