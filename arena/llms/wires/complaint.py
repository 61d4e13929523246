"""Which field of a request is it that a server will not have? Read from its words."""

import re

FORMAT = "response_format"
"""Says of any wire format that its way of asking for JSON or for a schema was refused."""

THINKING = "thinking"
"""Says that the server will not be told how hard to think, whatever the field is called."""

LONGEST = 2_000
_NAME = r"([A-Za-z_][\w.\[\]]{0,80})"
_QUOTE = r"""[\['"`\\ ]{0,4}"""
_KIND = r"(?:parameter|argument|field|setting|name|key|value|option|property|properties)"

_NO = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|forbidden|deprecated|unavailable|not available|no longer|not enabled|mandatory|moved to"
    r"|invalid (?:parameter|argument|schema|value)",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response_?format|json[ _]?schema|structured[ _]?outputs?|output_config\.format"
    r"|text\.format|response_?(?:json_?)?schema|response_?mime_?type|schema is too complex"
    r"|grammar|must contain the word .{0,3}json|support the requested parameters"
    r"|handle the requested parameters|\bschema\b",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"thinking level|thinking is not|does not support thinking|budget \d{1,9} is invalid"
    r"|reasoning is mandatory|reasoning is not",
    re.IGNORECASE,
)
_UN = rf"un(?:supported|known|recogni[sz]ed|expected)\s(?:request\s|keyword\s)?{_KIND}s?"
_IS_NOT = "(?:not (?:supported|allowed|permitted|available)|unsupported|deprecated|no longer)"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_UN}(?:\ssupplied)?:?\s?{_QUOTE}{_NAME}",
        rf"\b{_NAME}['\"`\\]{{0,3}}:\s?(?:extra inputs are not|input should be ['\"])",
        rf"extra_forbidden.{{1,20}}loc.{{1,5}}[\[(]{_QUOTE}body['\"`\\, ]{{1,8}}{_NAME}",
        rf"(?:does|do) not support (?:the )?{_KIND}s?:?\s?{_QUOTE}{_NAME}",
        rf"(?:does|do) not support (?:the )?{_QUOTE}{_NAME}['\"`\\]{{0,3}} {_KIND}",
        rf"{_KIND}s? not supported[^:\n]{{0,40}}:\s?{_QUOTE}{_NAME}",
        rf"\b{_NAME}['\"`\\\]]{{0,3}} (?:is|are) {_IS_NOT}",
    )
)


def refused_field(message: str, *, param: str = "", code: str = "") -> str:
    """Name the field that a refused request complains of; empty where it is about none.

    To be asked of an error whose status already says that the request was at fault: it is
    lenient about wording. What comes back is `FORMAT` for anything about JSON or a schema,
    `THINKING` for anything about how hard to think that names no field, else the server's
    name for the field, which may be dotted.

    Args:
        message: The server's words.
        param: The field as the server names it, where its error has a place for that.
        code: The error's code.

    >>> refused_field("Unsupported parameter: 'temperature' is not supported with this model.")
    'temperature'
    >>> refused_field("This response_format type is unavailable now")
    'response_format'
    >>> refused_field("This model's maximum context length is 8192 tokens.")
    ''
    """
    text = message[:LONGEST]
    complains = _NO.search(text) is not None or code.startswith("unsupported")
    if param:
        if _FORMAT.search(param):
            return FORMAT
        if complains or code.startswith(("unknown", "unrecognized")):
            return FORMAT if _FORMAT.search(text) and param == "messages" else param
        return FORMAT if "must contain the word" in text else ""
    if _THINKING.search(text):
        return THINKING
    if complains or "input should be" in text.casefold():
        named = next((match[1] for p in _NAMED if (match := p.search(text))), "").rstrip(".")
        if named:
            return FORMAT if _FORMAT.search(named) else named
    return FORMAT if _FORMAT.search(text) else ""
