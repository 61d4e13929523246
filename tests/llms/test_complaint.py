"""Messages as servers are known to word them."""

import pytest

from arena.llms.wires.unsupported_fields import FORMAT, THINKING, refused_field
from tests.hangs import grows_in_proportion

NAMED = [
    ("Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens"),
    ("Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
    ("Unrecognized request argument supplied: top_k", "top_k"),
    ("temperature: Extra inputs are not permitted", "temperature"),
    ("`temperature` is deprecated for this model.", "temperature"),
    ("output_config.effort: Input should be 'low' or 'high'", "output_config.effort"),
    ("This model does not support the effort parameter.", "effort"),
    ('"thinking.type.disabled" is not supported for this model.', "thinking.type.disabled"),
    ("Unknown name \"topP\" at 'generation_config': Cannot find field.", "topP"),
    ("UnsupportedParamsError: openai does not support parameters: ['seed'], for m", "seed"),
    ("Argument not supported on this model: stop", "stop"),
    ("Model grok-4 does not support parameter reasoningEffort.", "reasoningEffort"),
    ("property 'seed' is unsupported, did you mean 'x'?", "seed"),
    ("[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'no'}]", "seed"),
    ('{"detail":"Unsupported parameter: metadata"}', "metadata"),
    ("got an unexpected keyword argument 'top_k'", "top_k"),
    ('Error: {\\n \\"message\\": \\"Unsupported parameter: \'top_p\' is not', "top_p"),
]
ABOUT_THE_FORMAT = [
    "This response_format type is unavailable now",
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported.",
    "output_config.format: Extra inputs are not permitted",
    "Schema is too complex for compilation",
    "Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.",
    "No endpoints found that support the requested parameters",
    "'response_format.json_schema.schema' must be an object",
    "Failed to parse grammar",
    "does not support parameters: ['response_format'], for model=x",
]
ABOUT_THINKING = [
    "Thinking level MINIMAL is not supported for this model.",
    "Budget 0 is invalid. This model only works in thinking mode.",
    '"llama3" does not support thinking',
    "Reasoning is mandatory for this endpoint and cannot be disabled",
]
ABOUT_NOTHING_WE_COULD_DROP = [
    "This model's maximum context length is 8192 tokens.",
    "`max_tokens` or `max_completion_tokens` is too large: 4096.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The model `x` does not exist or you do not have access to it.",
    "`temperature` and `top_p` cannot both be specified for this model.",
    "",
]


@pytest.mark.parametrize(("message", "field"), NAMED)
def test_the_field_is_found_in_the_words(message: str, field: str) -> None:
    assert refused_field(message) == field


@pytest.mark.parametrize("message", ABOUT_THE_FORMAT)
def test_a_complaint_about_the_format_is_one_whatever_the_field(message: str) -> None:
    assert refused_field(message) == FORMAT


@pytest.mark.parametrize("message", ABOUT_THINKING)
def test_a_complaint_about_thinking_is_one_whatever_the_field(message: str) -> None:
    assert refused_field(message) == THINKING


@pytest.mark.parametrize("message", ABOUT_NOTHING_WE_COULD_DROP)
def test_other_mistakes_name_no_field(message: str) -> None:
    assert refused_field(message) == ""


@pytest.mark.parametrize(
    ("message", "param", "code", "field"),
    [
        ("Unknown parameter: 'a.b'.", "a.b", "unknown_parameter", "a.b"),
        ("no", "temperature", "unsupported_value", "temperature"),
        (
            "Invalid schema for response_format",
            "response_format",
            "invalid_json_schema",
            FORMAT,
        ),
        ("Invalid schema", "text.format.schema", "invalid_json_schema", FORMAT),
        ("'messages' must contain the word 'json' in some form", "messages", "", FORMAT),
        ("max_tokens is too large: 4096.", "max_tokens", "", ""),
        ("The model does not exist", "model", "model_not_found", ""),
    ],
)
def test_the_server_s_own_place_for_the_field_counts_more(
    message: str, param: str, code: str, field: str
) -> None:
    assert refused_field(message, param=param, code=code) == field


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "unknown ", "'\"`\\", "extra_forbidden", "does not support the ", "[(body'"],
)
def test_no_message_takes_long(piece: str) -> None:
    assert grows_in_proportion(lambda n: refused_field(piece * (n // len(piece))), 100_000)
