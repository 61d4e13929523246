"""From words to a decision, and back: one format for every contestant."""

from arena.agents.reply.orders import Budget
from arena.agents.reply.read import (
    MAX_ORDERS,
    MAX_REASONING,
    ReplyReading,
    read_forecasts,
    read_reply,
    read_words,
    write_reply,
)
from arena.agents.reply.statement import MAX_BYTES, was_cut_off

__all__ = [
    "MAX_BYTES",
    "MAX_ORDERS",
    "MAX_REASONING",
    "Budget",
    "ReplyReading",
    "read_forecasts",
    "read_reply",
    "read_words",
    "was_cut_off",
    "write_reply",
]
