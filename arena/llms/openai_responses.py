"""The OpenAI responses format."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.http import HttpDoor, HttpReply, spread
from arena.llms.attempts import Retries
from arena.llms.client import WireClient, wire_client
from arena.llms.openai_chat import bearer, named_schema
from arena.llms.options import COMMON
from arena.llms.responses_reply import read_responses
from arena.llms.wire import Ask, Output, WireReply
from arena.ports import Llm
from arena.records.settings import ModelSettings
from arena.secrets import Redactor

OPTIONS = (*COMMON, "route")


def from_settings(settings: ModelSettings, key: str | None) -> Llm:
    """Build the client of a model behind `POST {base_url}/responses`.

    Options are those of the chat format, without `token_field`. Nothing is kept at the
    provider: `store` is false.

    Args:
        settings: The model, its server, its prices and options.
        key: Sent as a bearer token; None sends none.

    Raises:
        ArenaError: The address, an option or the key cannot be used.
    """
    return responses_client(
        settings, key, door=HttpDoor(), retries=Retries(jitter=spread(settings.name))
    )


def responses_client(
    settings: ModelSettings, key: str | None, *, door: HttpDoor, retries: Retries
) -> WireClient:
    """Build the client as `from_settings` does, with a door and a patience of one's own."""
    return wire_client(
        OpenAiResponses(), settings, key, door=door, retries=retries, allowed=OPTIONS
    )


@dataclass(frozen=True, slots=True)
class OpenAiResponses:
    """Says questions and reads replies in the OpenAI responses format."""

    def url(self, settings: ModelSettings) -> str:
        """Give the address that a model is asked at."""
        return f"{settings.base_url.rstrip('/')}/responses"

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:  # noqa: ARG002  the port's
        """Give the headers of a request, the key among them."""
        return bearer(key)

    def body(self, ask: Ask) -> Mapping[str, object]:
        """Say a question as the JSON of a request."""
        said: dict[str, object] = {
            "model": ask.settings.model,
            "instructions": ask.question.system,
            "input": [{"role": "user", "content": ask.question.user}],
            "max_output_tokens": ask.settings.max_tokens,
            "store": False,
            "stream": False,
        }
        if ask.output is Output.SCHEMA and ask.question.schema:
            schema = named_schema(ask.question, ask.profile)
            said["text"] = {"format": {"type": "json_schema", **schema}}
        elif ask.output is Output.JSON:
            said["text"] = {"format": {"type": "json_object"}}
        return said

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        """Understand one HTTP reply; nothing that a server says makes this raise."""
        return read_responses(reply, redact)
