"""From words to a decision, and back: one format for every contestant."""

from arena.agents.reply.json_repair import MAX_BYTES, was_cut_off
from arena.agents.reply.order_checks import Budget
from arena.agents.reply.reply_parser import (
    MAX_REASONING,
    ReplyReading,
    read_forecasts,
    read_reply,
    read_words,
    write_reply,
)

__all__ = [
    "MAX_BYTES",
    "MAX_REASONING",
    "Budget",
    "ReplyReading",
    "read_forecasts",
    "read_reply",
    "read_words",
    "was_cut_off",
    "write_reply",
]
