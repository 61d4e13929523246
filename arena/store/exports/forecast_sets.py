"""What a contestant forecast of ForecastBench's questions, in ForecastBench's own format."""

from collections.abc import Mapping
from typing import Any

from arena.scoring.forecastbench import MARKETS
from arena.store.sqlite import Connection

_SAID = """
SELECT substr(rounds.at, 1, 10) AS due, said.market AS market, said.probability AS p
FROM turns CROSS JOIN rounds ON rounds.cohort = turns.cohort AND rounds.round = turns.round
CROSS JOIN journal_forecasts AS said ON said.entry = turns.entry
WHERE turns.contestant = ? ORDER BY said.entry, said.number
"""


def forecast_sets(
    db: Connection, contestant: str, organization: str
) -> Mapping[str, Mapping[str, Any]]:
    """A forecast set by the day of its round; the last forecast of a day counts.

    Markets that are of none of ForecastBench's sources are left out. Market questions have no
    date of resolution.

    Source: ForecastBench, "How to submit to ForecastBench", its project's wiki on GitHub.
    """
    days: dict[str, dict[str, Any]] = {}
    for row in db.rows(_SAID, contestant):
        source, _, name = row["market"].partition(":")
        if source in MARKETS and name:
            days.setdefault(row["due"], {})[row["market"]] = {
                "id": name,
                "source": source,
                "forecast": row["p"],
                "resolution_date": None,
                "reasoning": None,
            }
    return {
        due: {
            "organization": organization,
            "model": contestant,
            "model_organization": organization,
            "question_set": f"{due}-llm.json",
            "forecast_due_date": due,
            "forecasts": list(forecasts.values()),
        }
        for due, forecasts in sorted(days.items())
    }
