"""`arena forecast`: a person's turn, through the form that models fill in."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS
from arena.cli.options import agreed, existing, is_dialogue, json_option, yes_option
from arena.cli.say import one_line, plain, say_json, utc
from arena.clock import SystemClock
from arena.records.decision import Status

if TYPE_CHECKING:
    from arena.steps.submit import Due
    from arena.store import Store

FINAL = "An answer that is handed in cannot be changed."


@click.command()
@click.option("--agent", required=True, help="The contestant that you answer for.")
@click.option("--cohort", help="A cohort, or a file of the cohorts folder; any if left out.")
@click.option(
    "--p",
    "stated",
    multiple=True,
    metavar="M1=0.62",
    help="A probability of YES; may be repeated.",
)
@click.option(
    "--bet", "bets", multiple=True, metavar="M1:YES:120", help="Bet dollars; may be repeated."
)
@click.option(
    "--sell",
    "sells",
    multiple=True,
    metavar="M1:YES:50",
    help="Sell percent of a position; may be repeated.",
)
@click.option("--hold", is_flag=True, help="Do nothing with the money, and say so.")
@click.option("--because", default="", metavar="TEXT", help="Why, in a few sentences.")
@yes_option
@click.option("--rules", "with_rules", is_flag=True, help="Show how each market resolves.")
@json_option
@click.pass_context
def forecast(  # noqa: PLR0913  each is an option
    context: click.Context,
    agent: str,
    cohort: str | None,
    *,
    stated: tuple[str, ...],
    bets: tuple[str, ...],
    sells: tuple[str, ...],
    hold: bool,
    because: str,
    is_sure: bool,
    with_rules: bool,
    as_json: bool,
) -> None:
    """Show the round that waits for AGENT's answer, and take the answer.

    On a terminal it asks market by market, shows what it understood, and hands that in when
    you agree. Elsewhere it prints the round; with --json, what models are told and the JSON
    schema of an answer. --p, --bet, --sell and --hold answer without being asked; one answer
    either bets or sells. An answer cannot be changed once it is handed in.
    """
    from arena.cli.play import turns
    from arena.config import load_settings
    from arena.steps.submit import coming, entrant, turn_data

    settings, now = load_settings(context.obj.config), SystemClock().now()
    who = entrant(settings, agent).id
    typed = turns.TypedAnswer(stated, bets, sells, hold=hold, because=because)
    with existing(context.obj.config, None) as store:
        asking = turns.TurnSelection(who, cohort, now)
        waiting = turns.open_turns(store, settings, asking)
        can_ask = is_dialogue() and not as_json
        if not typed and not (waiting and can_ask):
            ahead = coming(store, settings.cohorts, who, now)
            if as_json:
                turn_documents = [turn_data(due) for due in waiting]
                say_json(contestant=who, at=now, turns=turn_documents, next=ahead)
                return
            _show(waiting, now, with_rules=with_rules)
            if not waiting:
                click.echo(f"no round waits for an answer of {who} at {utc(now)}")
                _say(turns.waiting_words(store, who))
                click.echo(one_line(turns.next_words(ahead)))
            return
        due = turns.one_turn(store, settings, asking)
        if typed:
            words = turns.words_of(typed, due.briefing)
        else:
            _say(turns.turn_lines(due, now, with_rules=with_rules))
            click.echo("\nEnter skips.")
            words = turns.asked(due, _ask, click.echo)
        context.exit(_handed_in(store, due, words, is_sure=is_sure, as_json=as_json))


def _handed_in(store: "Store", due: "Due", words: str, *, is_sure: bool, as_json: bool) -> int:
    """Show what an answer would do, and hand it in if that is wanted; the exit code."""
    from arena.cli.play.turns import answer_json, prospect_lines
    from arena.steps.submit import prospect, submit

    outcome = prospect(due, words)
    if not as_json:
        _say(prospect_lines(outcome))
    is_kept = outcome.reading.status is not Status.REJECT
    if is_kept:
        can_ask = is_dialogue() and not as_json
        if not (is_sure or agreed(FINAL, "hand it in", can_ask=can_ask)):
            click.echo("nothing was handed in")
            return 0
        submit(store, due, words, SystemClock().now())
    if as_json:
        say_json(**answer_json(due, outcome))
    elif is_kept:
        click.echo("handed in: the next tick judges it")
    return 0 if is_kept else FINDINGS


def _ask(text: str) -> str:
    typed: str = click.prompt(text, default="", show_default=False)
    return typed


def _show(turns: "Sequence[Due]", now: datetime, *, with_rules: bool) -> None:
    """Print the turns that wait, and how the first is answered."""
    from arena.cli.play.turns import turn_lines

    for due in turns:
        _say(turn_lines(due, now, with_rules=with_rules))
        click.echo()
    for due in turns[:1]:
        briefing = due.briefing
        name = next((offer.alias for offer in briefing.offers), "M1")
        click.echo(
            f"answer with: arena forecast --agent {briefing.contestant} "
            f"--cohort {briefing.cohort} "
            f"--p {name}=0.62 --bet {name}:YES:{briefing.floor:.0f} --yes"
        )


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(plain(line))
