"""`arena shadow`: everybody's forecasts under every rule, and what is behind the P/L."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.evidence import level_option
from arena.cli.options import database_option, json_option
from arena.cli.shadow_say import Market, say_board, say_detail
from arena.cli.tables import Look, table_options
from arena.errors import ArenaError
from arena.records.cohort import CohortId

if TYPE_CHECKING:
    from arena.metrics.offered import Offered
    from arena.metrics.shadow import Board, Detail, Terms

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
    type=click.FloatRange(1, 1e12),
    default=10_000.0,
    show_default=True,
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
    look: Look,
    as_json: bool,
) -> None:
    """Replay forecasts under every sizing rule, and split P/L into skill, luck and costs.

    Without CONTESTANT everybody has a line; with one it is shown in detail. --columns, --sort
    and --limit shape the table of results.
    """
    from arena.metrics.shadow import Terms, board, detail

    if "champion" in policies and champion is None:
        raise ArenaError(
            "usage.missing",
            "the champion's rule needs a champion",
            hint="--champion NAME says whose gate and lines",
            status=2,
        )
    offered, where = _read(context.obj.config, database, cohort)

    terms = Terms(capital, champion, level)
    rules = tuple(dict.fromkeys(policies)) or (("own", "champion") if champion else ("own",))
    market = _market(offered)
    if contestant is None:
        everybody = board(offered, rules, terms)
        if as_json:
            say.say_json(**_head(where, cohort, market, terms), **_of_board(everybody))
        else:
            say_board(everybody, market, rules, terms, look)
    else:
        one = detail(offered, contestant, rules, terms)
        if as_json:
            say.say_json(**_head(where, cohort, market, terms), **_of_detail(one))
        else:
            say_detail(one, market, terms, look)
    if not as_json:
        click.echo(f"{WORDS}.")


def _read(config: Path, database: Path | None, name: str | None) -> tuple["Offered", str]:

    from arena.cli.database import existing, no_cohort
    from arena.store.lines import SqliteLines

    with existing(config, database) as store:
        cohort = CohortId(name) if name else None
        if cohort and store.books.cohort(cohort) is None:
            raise no_cohort(store, cohort)
        return SqliteLines(store.db).offered(cohort), str(store.db.path)


def _market(offered: "Offered") -> Market:
    return Market(
        len(offered.lines),
        len(offered.markets),
        len(set(offered.lines.event.tolist())),
        {str(rule): n for rule, n in offered.gate.fired.items()},
        {str(rule): n for rule, n in offered.gate.abstained.items()},
    )


def _head(
    where: str, cohort: str | None, market: Market, terms: "Terms"
) -> Mapping[str, object]:
    return {
        "where": where,
        "cohort": cohort,
        "standing": "exploratory",
        "words": WORDS,
        "market": market,
        "terms": terms,
    }


def _of_board(found: "Board") -> Mapping[str, object]:
    return {"books": found.judged, "sums": found.sums}


def _of_detail(found: "Detail") -> Mapping[str, object]:
    return {
        "contestant": found.contestant,
        "forecasts": found.forecasts,
        "repeated": found.repeated,
        "books": found.judged,
        "closing": found.valued,
    }
