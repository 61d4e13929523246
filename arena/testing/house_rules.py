"""What a provider insists on before it lets a model answer."""

from arena.testing.asked import Asked, Format
from arena.testing.misbehaviour import Misbehaviour, fails


def broken(asked: Asked) -> Misbehaviour | None:
    """Refuse a request that lacks what its format cannot do without."""
    if asked.format is not Format.ANTHROPIC:
        return None
    if "anthropic-version" not in asked.recorded.headers:
        return fails(400, "anthropic-version: header is required")
    if not isinstance(asked.recorded.body.get("max_tokens"), int):
        return fails(400, "max_tokens: Field required")
    return None
