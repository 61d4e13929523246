"""What holds of every wire format's reader, whatever a server sends."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.llms.wires.gemini import Gemini
from arena.llms.wires.openai_chat import OpenAiChat
from arena.llms.wires.openai_responses import OpenAiResponses
from arena.llms.wires.wire import Wire
from arena.records.answer import Trouble
from arena.secrets import Redactor
from tests.llms.asking import replied
from tests.llms.hostile import STATUSES, json_with
from tests.sizes import size

HIDES = Redactor("sk-0123456789abcdef")
OPENAI = (
    "choices message content error code type text usage prompt_tokens cost finish_reason"
    " refusal metadata model provider raw detail param output status incomplete_details reason"
    " errors msg loc cause reasons input_tokens prompt_tokens_details cached_tokens phase"
)
ANTHROPIC = (
    "type content text thinking stop_reason stop_details category explanation usage model"
    " input_tokens cache_read_input_tokens output_tokens output_tokens_details error message"
    " thinking_tokens service_tier details error_code request_id"
)
GEMINI = (
    "candidates content parts text thought finishReason promptFeedback blockReason"
    " usageMetadata promptTokenCount thoughtsTokenCount candidatesTokenCount modelVersion"
    " error code message status details violations quotaId retryDelay reason"
)
OPENAI_SAYS = 'message incomplete completed refusal output_text 403 {"error":{}}'
CLAUDE_SAYS = "error message text refusal max_tokens rate_limit_error tool_use"
GEMINI_SAYS = "STOP SAFETY MAX_TOKENS 14s PerDay RESOURCE_EXHAUSTED"
SPOILED: dict[Wire, st.SearchStrategy[object]] = {
    OpenAiChat(): json_with(OPENAI.split(), OPENAI_SAYS.split()),
    OpenAiResponses(): json_with(OPENAI.split(), OPENAI_SAYS.split()),
    AnthropicMessages(): json_with(ANTHROPIC.split(), CLAUDE_SAYS.split()),
    Gemini(): json_with(GEMINI.split(), GEMINI_SAYS.split()),
}
every_wire = pytest.mark.parametrize("wire", SPOILED, ids=lambda wire: type(wire).__name__)


@every_wire
@settings(max_examples=size(75, 300))
@given(data=st.data(), status=STATUSES)
def test_no_reply_breaks_a_reader(wire: Wire, data: st.DataObject, status: int) -> None:
    said = wire.read(replied(data.draw(SPOILED[wire]), status), HIDES)
    assert said.trouble is not None or said.text
    assert said.text is None or said.text != ""
    assert len(said.detail) <= 600
    assert said.usage.cost is None or isinstance(said.usage.cost, Decimal)


@every_wire
@settings(max_examples=size(25, 100))
@given(body=st.binary(max_size=60), status=STATUSES)
def test_no_bytes_break_a_reader(wire: Wire, body: bytes, status: int) -> None:
    assert wire.read(replied(body, status), HIDES).trouble is not None


@every_wire
@pytest.mark.parametrize(
    ("body", "status", "trouble", "again"),
    [
        (b" \n", 200, Trouble.EMPTY, True),
        (b"<html><style>b{}</style><h1>Upgrading</h1>", 200, Trouble.UNREADABLE, False),
        (b"<html><style>b{}</style><h1>Upgrading</h1>", 502, Trouble.SERVER, True),
    ],
    ids=["nothing", "a page", "a page of an error"],
)
def test_an_empty_body_is_asked_for_again_and_a_page_is_not(
    wire: Wire, body: bytes, status: int, trouble: Trouble, *, again: bool
) -> None:
    said = wire.read(replied(body, status), HIDES)
    assert (said.trouble, said.again) == (trouble, again)
