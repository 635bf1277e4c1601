"""A request with the changes of all rounds, and what of them no request holds."""

from collections.abc import Sequence
from typing import Any

from contracts.amendment import Amendment
from contracts.recipe import Recipe
from contracts.request import Request

_ENVIRONMENT = "env."


def amended_request(request: Request, recipe: Recipe | None, amendments: Sequence[Amendment]) -> Request:
    """Return a request with the settings of all rounds laid over it, the newest last.

    Args:
        request: What was asked.
        recipe: The settings that the last launch of the built-in job had, those included that a plan
            chose; None for a script of the user's own, which has its own.
        amendments: The rounds, the oldest first.

    Raises:
        ValidationError: The result is no request.
    """
    body = request.model_dump(mode="json", exclude_unset=True)
    if recipe is not None:
        body["recipe"] = recipe.model_dump(mode="json")
    for amendment in amendments:
        for place, value in amendment.settings.items():
            if not place.startswith(_ENVIRONMENT):
                _put(body, place.split("."), value)
    return Request.model_validate(body)


def amended_variables(amendments: Sequence[Amendment]) -> dict[str, str]:
    """Return the variables that the rounds set for the job."""
    return {
        place.removeprefix(_ENVIRONMENT): str(value)
        for amendment in amendments
        for place, value in amendment.settings.items()
        if place.startswith(_ENVIRONMENT)
    }


def _put(body: dict[str, Any], place: list[str], value: Any) -> None:
    for name in place[:-1]:
        inner = body.get(name)
        body[name] = dict(inner) if isinstance(inner, dict) else {}
        body = body[name]
    body[place[-1]] = value
