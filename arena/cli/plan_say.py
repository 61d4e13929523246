"""A plan as text."""

import click

from arena.cli.plan import Plan
from arena.cli.say import MISSING, one_line, report_line
from arena.cli.tables import table
from arena.records.money import Usd


def say_plan(plan: Plan) -> None:
    """Print what a tick would do, the calls that it would make, and the plan's digest."""
    click.echo(f"would do, were models silent: {report_line(plan.report)}")
    rows = [
        [
            one.contestant,
            one.model,
            one.cohort,
            str(one.round),
            one.call,
            f"{one.tokens:,}",
            _dollars(one.cost),
            _dollars(one.worst),
        ]
        for one in plan.calls
    ]
    if rows:
        head = (
            "contestant",
            "model",
            "cohort",
            "round",
            "call",
            "tokens",
            "about $",
            "worst $",
        )
        table(head, rows, names=3)
        click.echo("first questions alone: separate stakes and what is asked again come on top")
    for who, why in plan.refused:
        click.echo(one_line(f"refused: {who}: {why}"))
    if plan.refused:
        click.echo("refusals suppose that each call takes its worst: a real tick may ask more")
    spent = f"about ${_dollars(plan.cost)}, at worst ${_dollars(plan.worst)}"
    click.echo(f"calls: {len(plan.calls)}; tokens to read: {plan.tokens:,}; {spent}")
    click.echo(one_line(f"writes: {', '.join(plan.writes)}"))
    click.echo(f"plan {plan.digest}")


def _dollars(amount: Usd | None) -> str:
    return MISSING if amount is None else f"{amount:.6f}"
