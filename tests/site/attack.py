"""An arena in which every stranger's word is an attack."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from arena.records.cohort import ContestantId
from arena.records.market import Market, MarketId, State, Status
from arena.store import Store
from tests.build import COHORT, T0, at_price, market, spec
from tests.stage import Says, playing

POLYGLOT = (
    "jaVasCript:/*-/*`/*\\`/*'/*\"/**/(/* */oNcliCk=alert() )//%0D%0A%0d%0a//</stYle/</titLe/"
    "</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert()//>\\x3e{{ 7 * 7 }}{% raw %}&lt;"
)
RIGHT_TO_LEFT = "\u202egnp.exe \u2066\u05d0\u05d1\u200f?"
LONG = "x" * 50_000 + " \u0301" * 2_000
IDS = (POLYGLOT, RIGHT_TO_LEFT + "\x1b[2J\n", LONG, "../../../etc/passwd", "a/b?c#d", "..")
ATTACKER = ContestantId("<img src=x onerror=alert(1)>/../\u202eada")


def hostile(name: str) -> Market:
    return replace(
        market(MarketId(name)),
        question=f"{name} <script>alert('q')</script> {RIGHT_TO_LEFT} {LONG}",
        rules=f"{POLYGLOT}\n\n<b onmouseover=alert(1)>{RIGHT_TO_LEFT}</b>\x07\n{LONG}",
        category="</td><script>",
        url="javascript:alert(document.domain)",
    )


@contextmanager
def under_attack() -> Iterator[Store]:
    """An arena of which every name is an attack, down to the ids."""
    bets = Says(
        forecasts={MarketId(name): 0.5 for name in IDS},
    )
    crash = ValueError(f"<script>alert(2)</script>{RIGHT_TO_LEFT}\x1b")
    agreed = spec(COHORT, (ATTACKER,), days=2)
    with playing({ATTACKER: {1: bets, 2: crash}}, replace(agreed, title=POLYGLOT)) as game:
        game.venue.listed = [hostile(name) for name in IDS]
        game.venue.quoted = {MarketId(m): at_price("0.5", MarketId(m)) for m in IDS}
        game.venue.said = {MarketId(m): Status(MarketId(m), State.OPEN, T0) for m in IDS}
        game.tick(0)
        game.tick(24)
        yield game.store


LABELS = {ATTACKER: f"{POLYGLOT}{RIGHT_TO_LEFT}"}
