"""FSDP016: parameter names are asked for after an FSDP1 wrap has made them `_flat_param`."""

from collections.abc import Iterator

from engines.review.flow.flat import parameters_of_fsdp1
from engines.review.flow.knowing import options
from engines.review.flow.trace import Event
from engines.review.flow.values import Alt, Const, Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP016",
    slug="fsdp1-names-after-wrap",
    severity="error",
    fix="use_orig_params=True, or group the parameters before the wrap, or FSDP2.",
)

_MATCHES = ("re.search", "re.match", "re.fullmatch", "fnmatch.fnmatch", "fnmatch.fnmatchcase")
_TESTS = ("endswith", "startswith", "split", "find")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield tests of names that come from an FSDP1 model with flat parameters."""
    if flow.mentions("lambda_auto_wrap_policy", "CustomPolicy", "LambdaPolicy"):
        return  # units may be as small as what the names ask for, and units keep their place in a name
    asked = [(event, event.args) for event in flow.trace.kind("compare") if event.name in ("in", "not in", "==", "!=")]
    asked += [(event, (event.receiver,)) for event in flow.trace.methods(*_TESTS) if event.receiver is not None]
    asked += [(event, event.args) for event in flow.trace.calls(*_MATCHES)]
    asked += [(event, event.args[:1]) for event in flow.trace.methods("search", "match", "fullmatch")]
    reported: set[int] = set()
    for event, values in asked:
        walk = _walk(flow, values)
        if walk is None or id(walk) in reported:
            continue
        if parameters_of_fsdp1(flow.sharding, walk, event, orig_params=False):
            reported.add(id(walk))
            yield flow.hit(event, "names of FSDP1's flat parameters end in _flat_param: the test matches nothing")


def _walk(flow: Flow, values: tuple[Value | None, ...]) -> Event | None:
    """Return the call of named_parameters from which a tested name comes."""
    for value in values:
        for option in options(value):
            if isinstance(option, Obj) and option.label == "name" and option.made is not None:
                others = [v for v in values if v is not value]
                if not others or any(isinstance(v, Const | Obj | Alt) or _before_wrap(flow, v) for v in others):
                    return option.made
    return None


def _before_wrap(flow: Flow, value: Value | None) -> bool:
    """Tell whether a collection holds the names that parameters had before the wrap."""
    walks = [item.made for item in getattr(value, "items", ()) if isinstance(item, Obj) and item.label == "name"]
    known = [walk for walk in walks if walk is not None]
    return bool(known) and not any(parameters_of_fsdp1(flow.sharding, w, w, orig_params=False) for w in known)
