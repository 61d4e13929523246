"""A contestant behind HTTP: what it is posted, and what of its answers counts."""

import asyncio
import hmac
from base64 import b64decode
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath
from typing import Any

import pytest

from arena.agents.outside import WebhookAgent, WebhookLlm, from_settings, model_of, signature
from arena.agents.reply import MAX_BYTES
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import HttpDoor
from arena.llms.retries import Retries
from arena.ports import Backstage
from arena.records.answer import Answer, Trouble
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings
from tests.agents.briefings import T0, briefing, offer
from tests.standins.guest_server import HOLD, WELL, GuestServer, Saying, holds, sent
from tests.standins.misbehaviour import Delivery, Misbehaviour

KEY = "a-key-of-somebody"
ROUND = briefing([offer("M1"), offer("M2")])


def guest(url: str, **options: object) -> ContestantSettings:
    given = {"url": url, **options}
    return ContestantSettings(ContestantId("ada"), "http", options=tuple(given.items()))


def told(
    saying: Saying = holds, *, key: str | None = KEY, seconds: float = 60
) -> tuple[Answer, GuestServer]:
    """Ask a server that answers so for a turn."""
    with GuestServer(saying) as server:
        settings = replace(
            model_of(guest(f"{server.home}/turn")), deadline=timedelta(seconds=seconds)
        )
        retries = Retries(jitter=lambda: 0.0, sleep=no_wait, clock=HandClock(T0))
        llm = WebhookLlm(settings, key, HttpDoor(), retries)
        return asyncio.run(WebhookAgent(llm).answer(ROUND)), server


async def no_wait(seconds: float) -> None:
    del seconds


def test_the_signature_is_that_of_the_published_example() -> None:
    body = b'{"test": 2432232314}'
    message, stamp = "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330"
    key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    known = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(key, message, stamp, body) == known


def test_a_turn_is_posted_signed_and_its_reply_is_taken_as_it_came() -> None:
    answer, server = told()
    (asked,) = server.asked
    headers: Any = asked.headers
    version, _, mac = headers["webhook-signature"].partition(",")
    stamp = headers["webhook-timestamp"]
    message = f"{headers['webhook-id']}.{stamp}.".encode() + sent(asked)
    assert (version, b64decode(mac)) == ("v1", hmac.digest(KEY.encode(), message, "sha256"))
    assert stamp == str(int(T0.timestamp()))
    assert (asked.method, asked.path) == ("POST", "/turn")
    assert [asked.body[name] for name in ("contestant", "cohort", "round", "deadline")] == [
        "ada",
        "c",
        3,
        (T0 + timedelta(seconds=60)).isoformat(),
    ]
    document: Any = asked.body
    assert [m["market_id"] for m in document["briefing"]["markets"]] == ["M1", "M2"]
    assert document["schema"]["required"] == ["reasoning", "forecasts", "action", "bets"]
    assert (answer.completion.text, answer.completion.trouble) == (HOLD.decode(), None)


def test_without_a_key_nothing_is_signed() -> None:
    _, server = told(key=None)
    assert "webhook-signature" not in server.asked[0].headers


def test_it_is_asked_again_under_the_same_id_while_it_is_overloaded() -> None:
    troubles = {1: 503, 2: 429}

    def saying(number: int) -> tuple[Misbehaviour, bytes]:
        status = troubles.get(number)
        return (replace(WELL, status=status), b"{}") if status else holds(number)

    answer, server = told(saying)
    assert answer.completion.text == HOLD.decode()
    assert [a.status for a in answer.completion.attempts] == [503, 429, 200]
    assert len({asked.headers["webhook-id"] for asked in server.asked}) == 1


PAGE = Misbehaviour(content_type="text/html")
AWAY = Misbehaviour(status=302, headers=(("Location", "https://elsewhere.example/turn"),))


@pytest.mark.parametrize(
    ("how", "body", "trouble", "words"),
    [
        (AWAY, b"", Trouble.REQUEST, "answered 302: redirects are not followed"),
        (PAGE, b"<html>\x1b[2J", Trouble.UNREADABLE, "answered a web page"),
        (WELL, b"\xff\xfe", Trouble.UNREADABLE, "what is not text in UTF-8"),
        (WELL, b" \n", Trouble.EMPTY, "answered nothing"),
        (WELL, b"x" * 10_000_000, Trouble.UNREADABLE, f"more than {MAX_BYTES} bytes"),
        (replace(WELL, status=401), b'"no\\u001b[2J"', Trouble.CREDENTIALS, "401: no [2J"),
        (
            replace(WELL, delivery=Delivery(raw=b"HTTP/1.1 nonsense\r\n\r\n")),
            b"",
            Trouble.UNREACHABLE,
            "broke off",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_trouble_in_plain_words_and_nobody_else_is_asked(
    how: Misbehaviour, body: bytes, trouble: Trouble, words: str
) -> None:
    answer, _ = told(lambda _: (how, body))
    completion = answer.completion
    assert (completion.text, completion.trouble) == (None, trouble)
    assert words in completion.detail
    assert completion.detail.isprintable()


def test_a_server_that_drips_is_late_and_is_not_asked_again() -> None:
    drips = replace(WELL, drip=3600.0)
    answer, server = told(lambda _: (drips, HOLD), seconds=0.3)
    assert (answer.completion.trouble, len(server.asked)) == (Trouble.TIMEOUT, 1)
    assert "did not answer within 0.3 s" in answer.completion.detail


def test_nobody_there_is_told() -> None:
    with GuestServer() as server:
        url = server.home
    retries = Retries(jitter=lambda: 0.0, sleep=no_wait, clock=HandClock(T0))
    llm = WebhookLlm(model_of(guest(url)), None, HttpDoor(), retries)
    completion = asyncio.run(WebhookAgent(llm).answer(ROUND)).completion
    assert (completion.trouble, len(completion.attempts)) == (Trouble.UNREACHABLE, 4)


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("http://example.org/turn", {}),
        ("ftp://127.0.0.1/turn", {}),
        ("https://ada:secret@example.org", {}),
        ("https://example.org/a b", {}),
        ("https://example.org", {"seconds": 0}),
        ("https://example.org", {"token": "A"}),
        ("https://example.org", {"token_env": "not a name"}),
    ],
)
def test_an_option_that_cannot_be_used_is_refused_and_no_key_is_shown(
    url: str, options: dict[str, object]
) -> None:
    with pytest.raises(ArenaError) as caught:
        from_settings(guest(url, **options), Backstage({}, {}, PurePath()))
    assert (caught.value.code, caught.value.status) == ("agent.option", 2)
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"
