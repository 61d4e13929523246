"""The worked example of Metaculus tournament scoring (2022), and other small tournaments."""

from collections.abc import Mapping, Sequence

from arena.scoring.tournament.records import (
    Coverage,
    Period,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentQuestion,
    Value,
)
from tests.vectors import source

Days = Mapping[str, Sequence[Value | None]]
KINDS = {"q1": QuestionKind.BINARY, "q2": QuestionKind.DENSITY, "q3": QuestionKind.BINARY}


def spread_of_days(weights: tuple[float, ...]) -> tuple[Period, ...]:
    """Weights of coverage for each day from day 0 on."""
    return tuple(Period(float(day), day + 1.0, weight) for day, weight in enumerate(weights))


def of_days(forecaster: str, values: tuple[Value | None, ...]) -> tuple[TimedForecast, ...]:
    """A forecast for each day from day 0 on, as a history; None where none stands."""
    before: tuple[Value | None, ...] = (None, *values)
    return tuple(
        TimedForecast(forecaster, float(day), value)
        for day, (last, value) in enumerate(zip(before, values, strict=False))
        if value != last
    )


def histories(by_day: Days) -> tuple[TimedForecast, ...]:
    """Forecasts day by day, as one list of rows."""
    return tuple(said for name, days in by_day.items() for said in of_days(name, tuple(days)))


def question(name: str, *, given: bool = False) -> TournamentQuestion:
    """A question of the example; with the medians as given, or to be computed."""
    told = source(f"s003.{name}.relative_log")["input"]
    median = [float("nan") if m is None else m for m in told["median"]]
    early = name == "q3"
    return TournamentQuestion(
        id=name,
        kind=KINDS[name],
        open=0.0,
        close=float(told["days"]),
        closed=3.0 if early else None,
        outcome=1,
        hidden_until=2.0,
        forecasts=histories(told["forecasts"]),
        community=of_days("", tuple(median[:3] if early else median)) if given else (),
    )


def example(coverage: Coverage = Coverage.ALL, *, given: bool = False) -> Tournament:
    questions = tuple(question(name, given=given) for name in KINDS)
    return Tournament(questions, coverage=coverage, pool=1000.0)


def yes_no(by_day: Days, *, days: int = 4, outcome: int = 1) -> TournamentQuestion:
    """A yes/no question that lasts some days."""
    return TournamentQuestion(
        "rain", QuestionKind.BINARY, 0.0, float(days), outcome, histories(by_day)
    )
