"""The whole request: what the wire says, and what options and profile add to it."""

from collections.abc import Iterator, Mapping, Sequence

from arena.llms.options import NONE, Options
from arena.llms.wires.wire import Ask, Wire


def request_of(wire: Wire, ask: Ask, options: Options) -> dict[str, object]:
    """Say a question as the JSON of a request, complete.

    Effort, sampling, the pinned route and `extra` are put into what the wire says, `extra`
    over all; then what the server has refused is taken out.
    """
    body = merged({}, wire.body(ask))
    for path, value in _placed(ask, options):
        body = merged(body, _nested(path.split("."), value))
    if options.sampling:
        inside = [name for name in ask.profile.sampling_field.split(".") if name]
        body = merged(body, _nested(inside, options.sampling))
    if options.route:
        body = merged(body, {"provider": options.route})
    body = merged(body, options.extra)
    for path in ask.without:
        body = _without(body, path.split("."))
    return body


def merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Put one mapping over another, field by field; what is no mapping is replaced.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": [4]})
    {'a': {'b': 1, 'c': 3}, 'd': [4]}
    """
    both = dict(base)
    for name, value in over.items():
        inner = both.get(name)
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            both[name] = merged(inner, value)
        else:
            both[name] = value
    return both


def paths_in(body: Mapping[str, object]) -> Iterator[str]:
    """List the fields of a request, dotted, an outer one before those inside it.

    >>> list(paths_in({"a": {"b": 1}, "c": [{"d": 2}]}))
    ['a', 'a.b', 'c']
    """
    for name, value in body.items():
        yield name
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in paths_in(value))


def _placed(ask: Ask, options: Options) -> Iterator[tuple[str, object]]:
    profile = ask.profile
    yield from profile.always
    if options.effort == NONE and profile.effort_none:
        yield from profile.effort_none
    elif options.effort:
        yield profile.effort_field, options.effort
        yield from profile.with_effort


def _nested(path: Sequence[str], value: object) -> dict[str, object]:
    for name in reversed(path):
        value = {name: value}
    return dict(value) if isinstance(value, Mapping) else {}


def _without(body: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """Take a field out, and with it what is left empty around it."""
    name, *rest = path
    inner = body.get(name)
    kept = {field: value for field, value in body.items() if field != name}
    if rest and isinstance(inner, Mapping):
        left = _without(inner, rest)
        return {**kept, name: left} if left else kept
    return dict(body) if rest else kept
