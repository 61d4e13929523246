"""`arena shadow`: everybody's forecasts under every rule, and what is behind the P/L."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli import say
from arena.cli.options import FiniteNumber, database_option, existing, json_option, known
from arena.cli.say import usage_error
from arena.cli.scores.evidence import level_option
from arena.cli.tables import TableLayout, refuse_unknown, table, table_options
from arena.metrics.registry import METRICS

if TYPE_CHECKING:
    from arena.metrics.closing import Closing
    from arena.metrics.shadow import Detail, Judged, OfferedMarket, ShadowBoard, Terms
    from arena.scoring.bets.luck import Luck

PASSED = {
    "NO_FORECAST": "nothing was forecast",
    "GATE_FIRED": "the gate held the line back",
    "NO_PRICE": "nobody sold at a price, or it was too old or too wide",
    "NO_EDGE": "neither side was worth its price and fee",
    "BELOW_THRESHOLD": "forecast and price are too close",
    "NO_STAKE": "no bet was placed: no wish, no room under the caps, or no cash",
}
EXCLUDED = {
    "NO_STAKE": "nothing was staked",
    "GATE_FIRED": "the gate held the line back",
    "NO_OPEN": "the market had no price for the side",
    "RESOLVED_BEFORE_CLOSE": "it resolved without a price before its close",
    "NO_CLOSE": "it has not closed yet, or never had both sides",
}
RESULTS = (
    "EV-CLV: the value of a dollar staked at the last price before the close, after costs, "
    "less that dollar; its interval takes events as units. edge: GENUINE_EDGE or WEAK_EDGE "
    "where its 95 % or 90 % interval is above 0, NO_EDGE where none was shown, "
    "INSUFFICIENT_DATA below 30 bets or 20 events. e: wealth from 1 of a bet that prices move "
    "the way of these bets; chance reaches 20 at most once in 20 times. luck p: how likely so "
    "much P/L was, had prices been right; nobody's is corrected for the others."
)
SPLIT = (
    "forecast: what the market moved their way by the close, at equal stakes; sizing: what "
    "larger stakes on larger moves added; luck: what outcomes gave beyond the close; costs: "
    "spread and fees. They add up to P/L, which is that of settled and sold bets."
)


@dataclass(frozen=True, slots=True)
class Market:
    """How much was offered, and what the champion's gate says of it."""

    lines: int
    markets: int
    events: int
    gate_fired: Mapping[str, int]
    gate_abstained: Mapping[str, int]


def say_board(
    shadow_board: "ShadowBoard",
    market: Market,
    rules: Sequence[str],
    terms: "Terms",
    layout: TableLayout,
) -> None:
    """Print everybody's line under some rules, and their returns under all."""
    refuse_unknown(_column_names("contestant", terms), layout)
    _say_market(market)
    for rule in rules:
        books = [book for book in shadow_board.judged if book.policy == rule]
        click.echo(f"\n{_title(rule, terms)}")
        if not books:
            click.echo("nobody has such bets")
            continue
        _results("contestant", books, lambda book: book.contestant, terms, layout)
        click.echo()
        _split("contestant", books, lambda book: book.contestant)
    columns = list(dict.fromkeys(rule for sums in shadow_board.sums.values() for rule in sums))
    click.echo("\nreturn by rule")
    table(
        ["contestant", *columns],
        [
            [name, *(_returned(sums, rule) for rule in columns)]
            for name, sums in sorted(shadow_board.sums.items())
        ],
    )
    click.echo(
        f"P/L of the same forecasts as a part of ${terms.capital:,.0f} (own: of the cohorts' "
        "capital); `arena shadow --help` says what each rule stakes."
    )
    if terms.champion:
        _gate(market)


def say_detail(shadowed: "Detail", market: Market, terms: "Terms", layout: TableLayout) -> None:
    """Print one contestant's books under every rule, and what is behind them."""
    refuse_unknown(_column_names("rule", terms), layout)
    _say_market(market)
    click.echo(
        f"{say.one_line(shadowed.contestant)} forecast {shadowed.forecasts:,} of the lines"
        + (f"; said again in other cohorts: {shadowed.repeated:,}" if shadowed.repeated else "")
    )
    if not shadowed.judged:
        click.echo("it has neither forecasts nor bets")
        return
    click.echo("\nits forecasts under every rule")
    _results("rule", shadowed.judged, lambda book: book.policy, terms, layout)
    click.echo("\nwhat made the P/L")
    _split("rule", shadowed.judged, lambda book: book.policy)
    click.echo("\nP/L against luck")
    _luck(shadowed.judged)
    click.echo("\nlines without a bet")
    _counts("rule", {book.policy: book.passed for book in shadowed.judged}, PASSED)
    for rule, closing in shadowed.valued.items():
        click.echo(f"\nclosing line value: {_title(rule, terms)}")
        _forms(closing, terms)
    click.echo("\nbets without a closing line value")
    _counts("rule", {book.policy: book.excluded for book in shadowed.judged}, EXCLUDED)
    if terms.champion:
        _gate(market)


def _title(rule: str, terms: "Terms") -> str:
    if rule == "own":
        return "own stakes"
    if rule == "champion":
        return f"under the gate, thresholds, fractions and lines of {terms.champion}"
    return f"stakes by {rule}"


def _say_market(market: Market) -> None:
    click.echo(
        f"{market.lines:,} lines (a market at a moment it was offered) of {market.markets:,} "
        f"markets in {market.events:,} events"
    )


def _column_names(first: str, terms: "Terms") -> Sequence[str]:
    between = f"{100 * terms.level:g} % interval"
    head = ["bets", "events", "open", "staked $", "P/L", "return", "EV-CLV", between]
    return [first, *head, "edge", "e", "luck p"]


def _results(
    first: str,
    books: "Sequence[Judged]",
    named: "Callable[[Judged], str]",
    terms: "Terms",
    layout: TableLayout,
) -> None:
    money, percent = METRICS["pnl_luck"], METRICS["ev_clv"]
    rows = [
        [
            named(book),
            str(book.bets),
            str(book.events),
            str(book.open),
            f"{book.staked:,.0f}",
            money.shown(book.profit),
            say.percent(book.returned, signed=True),
            *say.with_interval(book.ev_clv, percent),
            book.label,
            METRICS["betting_e"].shown(book.remarked.e),
            say.p_value(book.luck.upper),
        ]
        for book in books
    ]
    table(_column_names(first, terms), rows, layout)
    click.echo(RESULTS)


def _split(head: str, books: "Sequence[Judged]", named: "Callable[[Judged], str]") -> None:
    money, rows = METRICS["pnl_luck"], []
    for book in books:
        split = book.split
        parts = (split.pnl, split.forecast, split.sizing, split.luck, split.costs, split.fees)
        rows.append([named(book), *map(money.shown, parts)])
    table([head, "P/L", "forecast", "sizing", "luck", "costs", "of it fees"], rows)
    click.echo(SPLIT)


def _luck(books: "Sequence[Judged]") -> None:
    table(
        ["rule", "found", "markets", "P/L if held", "expected", "sd", "5 %", "95 %", "luck p"],
        [[book.policy, *_fortune(book.luck)] for book in books],
    )
    click.echo(
        "The P/L of settled yes/no bets, had none been sold, against its distribution if every "
        "price had been right; luck p is the chance of this much or more. Found: exact, on a "
        "grid of cents, or simulated where outcomes are too many."
    )


def _fortune(luck: "Luck") -> list[str]:
    if luck.upper is None:
        return [say.MISSING] * 8
    low, high = luck.quantiles[1], luck.quantiles[-2]
    amounts = (luck.pnl, luck.mean, luck.sd, low, high)
    dollars = [f"{amount:,.0f}" for amount in amounts]
    return [luck.how, str(luck.markets), *dollars, say.p_value(luck.upper)]


def _counts(head: str, rows: Mapping[str, Mapping[Any, int]], words: Mapping[str, str]) -> None:
    there = [why for why in words if any(why in counts for counts in rows.values())]
    if not there:
        click.echo("none")
        return
    table(
        [head, *there],
        [[name, *(str(counts.get(why, 0)) for why in there)] for name, counts in rows.items()],
    )
    click.echo("; ".join(f"{why}: {words[why]}" for why in there) + ".")


def _forms(closing: "Closing", terms: "Terms") -> None:
    table(
        ["form", "bets", "mean", f"{100 * terms.level:g} % interval", "by stake", "sum"],
        [
            [
                METRICS[form.key].short,
                str(form.mean.n),
                *say.with_interval(form.mean, METRICS[form.key]),
                METRICS[form.key].shown(form.by_stake),
                METRICS[form.key].shown(form.total),
            ]
            for form in closing.forms
        ],
    )
    click.echo(
        "EV-CLV counts costs, CLV does not; by stake weighs a bet by its dollars. The "
        "logarithms are below 0 on average even where prices are right."
    )
    ratio = say.with_interval(closing.sharpe, METRICS["sharpe_clv"])
    click.echo(f"Sharpe ratio of events' CLV: {ratio[0]}, {ratio[1]}")
    naive, source = closing.source_c.z, closing.source_c
    click.echo(
        f"with bets taken as independent: t-test {say.p_equals(closing.t.p)}; The 45 "
        f"Percent Problem: Z = {naive.z:.2f}, resampled Sharpe ratio {source.sharpe:.3f} "
        f"({source.low_95:.3f} to {source.high_95:.3f}), {source.label}: too often genuine"
    )


def _returned(sums: Mapping[str, object], rule: str) -> str:
    book_sums = sums.get(rule)
    return say.percent(getattr(book_sums, "returned", None), signed=True)


def _gate(market: Market) -> None:
    def told(counts: Mapping[str, int]) -> str:
        return ", ".join(f"{rule} {n:,}" for rule, n in counts.items()) or "none"

    click.echo(
        f"gate: held back {told(market.gate_fired)}; rules that knew nothing and let lines "
        f"pass: {told(market.gate_abstained)}"
    )


POLICIES = (
    *("own", "flat", "kelly_quarter", "crra_1", "crra_2", "crra_4", "crra_8"),
    *("edge_proportional", "champion"),
)
EPILOG = """\b
Rules that turn a forecast into a stake:
  own                the contestant's own bets, with the capital of its cohorts
  flat               1 % of the bankroll on every bet
  kelly_quarter      a quarter of Kelly's fraction, an eighth for long shots, capped
  crra_1 ... crra_8  for a constant aversion to risk of 1 (Kelly), 2, 4 and 8
  edge_proportional  a quarter of what the forecast is above the price
  champion           kelly_quarter with the brakes, gate and lines of --champion
All but own bet where forecast and price are more than 3 points apart, and keep to 8 % of
the bankroll on an event and 15 % on a day."""
WORDS = "exploratory: no test of these numbers was registered"


@click.command(epilog=EPILOG)
@click.argument("contestant", required=False)
@click.option("--cohort", help="Only this cohort.")
@database_option
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(POLICIES),
    help="Show this rule in full; again for several. Own stakes if none is named.",
)
@click.option(
    "--capital",
    type=FiniteNumber(1, 1e12),
    default=10_000.0,
    help="Dollars that a rule starts with; own bets have those of their cohorts.",
)
@click.option("--champion", help="Replay all under this contestant's gate and lines.")
@level_option
@table_options
@json_option
@click.pass_context
def shadow(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    contestant: str | None,
    *,
    cohort: str | None,
    database: Path | None,
    policies: tuple[str, ...],
    capital: float,
    champion: str | None,
    level: float,
    layout: TableLayout,
    as_json: bool,
) -> None:
    """Replay forecasts under every sizing rule, and split P/L into skill, luck and costs.

    Without CONTESTANT everybody has a line; with one it is shown in detail. --columns, --sort
    and --limit shape the table of results.
    """
    from arena.metrics.shadow import Terms, board, detail

    if "champion" in policies and champion is None:
        raise usage_error(
            "usage.missing",
            "the champion's rule needs a champion",
            hint="--champion NAME says whose gate and lines",
        )
    offered, where = _read(context.obj.config, database, cohort)

    terms = Terms(capital, champion, level)
    rules = tuple(dict.fromkeys(policies)) or (("own", "champion") if champion else ("own",))
    market = _market(offered)
    head = {
        "where": where,
        "cohort": cohort,
        "standing": "exploratory",
        "words": WORDS,
        "market": market,
        "terms": terms,
    }
    if contestant is None:
        everybody = board(offered, rules, terms)
        if as_json:
            say.say_json(**head, books=everybody.judged, sums=everybody.sums)
        else:
            say_board(everybody, market, rules, terms, layout)
    else:
        shadowed = detail(offered, contestant, rules, terms)
        if as_json:
            say.say_json(
                **head,
                contestant=shadowed.contestant,
                forecasts=shadowed.forecasts,
                repeated=shadowed.repeated,
                books=shadowed.judged,
                closing=shadowed.valued,
            )
        else:
            say_detail(shadowed, market, terms, layout)
    if not as_json:
        click.echo(f"{WORDS}.")


def _read(config: Path, database: Path | None, name: str | None) -> tuple["OfferedMarket", str]:

    from arena.store.scores.offered_markets import SqliteLines

    with existing(config, database) as store:
        cohort = known(store, name)
        return SqliteLines(store.db).offered(cohort), str(store.db.path)


def _market(offered: "OfferedMarket") -> Market:
    return Market(
        len(offered.lines),
        len(offered.markets),
        len(set(offered.lines.event.tolist())),
        {str(rule): n for rule, n in offered.gate.fired.items()},
        {str(rule): n for rule, n in offered.gate.abstained.items()},
    )
