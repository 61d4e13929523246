"""Models that call tools, and what providers insist on where tools were called.

Sources: https://platform.openai.com/docs/guides/function-calling,
https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use,
https://ai.google.dev/gemini-api/docs/function-calling.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from tests.standins.asked import Asked, Format, mapping, parts
from tests.standins.bettors import small_bettor
from tests.standins.misbehaviour import Misbehaviour, fails
from tests.standins.scripts import Reply, Saying, said_by

Named = tuple[str, str]  # the id or the name that a call is known by, and what there is of it


def tools_of(asked: Asked) -> list[str]:
    """Name the tools that a request declares and lets be called."""
    body = asked.recorded.body
    if mapping(body.get("tool_choice")).get("type") == "none":
        return []
    listed = [mapping(tool) for tool in body.get("tools", ())]
    if asked.format is Format.CHAT:
        listed = [mapping(tool["function"]) for tool in listed]
    if asked.format is Format.GEMINI:
        listed = [mapping(t) for tool in listed for t in tool["functionDeclarations"]]
    return [str(tool["name"]) for tool in listed]


def history(asked: Asked) -> list[tuple[str, str, str]]:
    """List calls and results as they stand in a request: "call" or "result", whose, and it."""
    body = asked.recorded.body
    said: list[tuple[str, str, str]] = []
    if asked.format is Format.RESPONSES:
        items = body.get("input")
        for item in items if isinstance(items, list) else []:
            if item.get("type") == "function_call":
                said.append(("call", item["call_id"], item["arguments"]))
            if item.get("type") == "function_call_output":
                said.append(("result", item["call_id"], item["output"]))
        return said
    key = "contents" if asked.format is Format.GEMINI else "messages"
    for message in body.get(key, ()):
        called = message.get("tool_calls") or ()
        said += [("call", c["id"], c["function"]["arguments"]) for c in called]
        if message.get("role") == "tool":
            said.append(("result", message["tool_call_id"], message["content"]))
        for part in parts(message):
            said += _part(part)
    return said


def _part(part: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    if part.get("type") == "tool_use":
        return [("call", part["id"], json.dumps(part["input"]))]
    if part.get("type") == "tool_result":
        return [("result", part["tool_use_id"], part["content"])]
    if "functionCall" in part:
        whose = mapping(part["functionCall"])
        signed = part.get("thoughtSignature", "without a signature")
        return [("call", whose["name"], signed)]
    if "functionResponse" in part:
        whose = mapping(part["functionResponse"])
        return [("result", whose["name"], whose["response"]["result"])]
    return []


def results_of(asked: Asked) -> list[str]:
    """Give the results of tools that a request holds."""
    return [text for kind, _, text in history(asked) if kind == "result"]


def disorder(asked: Asked) -> Misbehaviour | None:
    """Refuse what every provider refuses: a call without its result, or a result of none."""
    past = history(asked)
    complaint = _unpaired(asked, past)
    body = asked.recorded.body
    if asked.format is Format.ANTHROPIC:
        roles = [message["role"] for message in body["messages"]]
        if past and not body.get("tools"):
            complaint = "Requests which include tool_use blocks must define tools."
        if any(first == second for first, second in pairwise(roles)):
            complaint = "messages: roles must alternate"
    if asked.format is Format.GEMINI and body.get("tools") and asked.schema is not None:
        complaint = "Function calling with a response mime type is unsupported."
    return fails(400, complaint) if complaint else None


def _unpaired(asked: Asked, past: list[tuple[str, str, str]]) -> str:
    """Say which call has no result, or the other way round; empty where all is well."""
    open_calls: list[str] = []
    for kind, whose, text in past:
        if kind == "result" and whose not in open_calls:
            return f"No tool call found with id {whose}."
        if kind == "result":
            open_calls.remove(whose)
            continue
        open_calls.append(whose)
        if text == "without a signature":
            return "Function call is missing a thought_signature."
        if asked.format in {Format.CHAT, Format.RESPONSES} and not _is_object(text):
            return "Invalid function arguments."
    return f"No tool output found for {open_calls[0]}." if open_calls else ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def calls_tools(*steps: tuple[Named, ...], then: Saying = small_bettor) -> Reply:
    """Call tools, step after step, each with the text of its arguments; then answer.

    Where tools are offered after the last of the steps it says that it knows enough.
    """

    def reply(model: str, asked: Asked) -> Misbehaviour:
        if not tools_of(asked):
            return said_by(then, model, asked)
        left, known = list(steps), len(results_of(asked))
        while left and known >= len(left[0]):
            known -= len(left.pop(0))
        return Misbehaviour(calls=left[0]) if left else Misbehaviour(content="I know enough.")

    return reply
