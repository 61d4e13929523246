"""What a reply in either of OpenAI's formats says of its tokens and dollars.

Whoever speaks these formats counts in a way of its own. Sources:
https://platform.openai.com/docs/api-reference/chat/object,
https://openrouter.ai/docs/use-cases/usage-accounting,
https://docs.x.ai/developers/cost-tracking,
https://api-docs.deepseek.com/api/create-chat-completion.
"""

from collections.abc import Mapping
from decimal import Decimal

from arena.llms.lenient import count, dollars, mapping
from arena.records.answer import Usage
from arena.records.money import Usd, usd

TICK = 10  # xAI's ticks are this power of ten to a dollar


def usage_in(body: Mapping[str, object], into: str, out: str) -> Usage:
    """Read the tokens and dollars of a reply, in the accounting of any of its servers.

    The total of a question holds its cached part, and that of an answer the reasoning. `cost`
    is what the provider says that it charged, and what it had others charge.

    Args:
        body: The reply.
        into: What the format calls the tokens of a question.
        out: What it calls those of an answer.
    """
    usage = mapping(body.get("usage"))
    question = mapping(usage.get(f"{into}_details"))
    cached = count(question.get("cached_tokens"))
    if cached is None:
        cached = count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek's name
    tokens_in = count(usage.get(into))
    reasoning = count(mapping(usage.get(f"{out}_details")).get("reasoning_tokens"))
    return Usage(
        tokens_in=tokens_in,
        tokens_out=_out(count(usage.get(out)), reasoning, tokens_in, usage),
        cost=_charged(usage),
        tokens_cached=cached,
        tokens_written=count(question.get("cache_write_tokens")),
        tokens_reasoning=reasoning,
    )


def _out(
    said: int | None, reasoning: int | None, tokens_in: int | None, usage: Mapping[str, object]
) -> int | None:
    """Count what was billed as an answer: xAI's chat format has the reasoning beside it.

    Only the total of all tokens tells which way of counting it is.
    """
    if said is None or reasoning is None or tokens_in is None:
        return said
    beside = count(usage.get("total_tokens")) == tokens_in + said + reasoning
    return said + reasoning if beside else said


def _charged(usage: Mapping[str, object]) -> Usd | None:
    """Read what was charged, in dollars; None where that is not said, or not all of it.

    With a key of one's own for a host, OpenRouter's `cost` is its fee alone: what the host
    charges comes on top.
    """
    ticks = count(usage.get("cost_in_usd_ticks"))
    if ticks is not None:
        return usd(Decimal(ticks).scaleb(-TICK))
    cost = dollars(usage.get("cost"))
    if usage.get("is_byok") is not True:
        return cost
    host = dollars(mapping(usage.get("cost_details")).get("upstream_inference_cost"))
    return None if cost is None or host is None else usd(cost + host)
