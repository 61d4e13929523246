"""What the twins say is what the books hold, asked with queries of this file's own."""

import hashlib
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.present import some
from tests.site.conftest import Site
from tests.site.truth.twins import kinds, said_by

MILLION = Decimal(1_000_000)

# A forecast with the truth of its market, if that has one: neither void nor a fraction.
TRUTHS = """
WITH truths AS (
    SELECT said.market, said.probability AS p, done.contestant, done.cohort, done.seq,
        CASE WHEN came.void = 0 AND came.yes_pays_micro IN (0, 1000000)
            THEN came.yes_pays_micro / 1000000 END AS truth,
        came.void IS NOT NULL AS ruled
    FROM journal_forecasts AS said JOIN journal_entries AS done ON done.seq = said.entry
    LEFT JOIN resolutions AS came ON came.market = said.market
)
"""
LEDGER = """
SELECT e.contestant, e.cohort, sum(iif(book = 'cash', p.micro_usd, 0)) AS cash,
    -sum(iif(book = 'capital', p.micro_usd, 0)) AS capital,
    sum(iif(book = 'fees', p.micro_usd, 0)) AS fees,
    -sum(iif(book = 'profit', p.micro_usd, 0)) AS profit
FROM journal_postings AS p JOIN journal_entries AS e ON e.seq = p.entry
GROUP BY e.contestant, e.cohort
"""
WORTH = """
SELECT contestant, cohort, bid_micro - owed_micro AS worth, max(at) FROM marks
GROUP BY contestant, cohort
"""


def twin(site: Site, path: str) -> dict[str, Any]:
    return said_by(site.out / path)


def twins(site: Site, kind: str) -> list[tuple[Path, dict[str, Any]]]:
    found = [(page, said_by(page)) for page in kinds(site.out)[kind]]
    assert found
    return found


def last(href: str) -> str:
    """The folder that a link to a folder's page ends in: it is named after what it is of."""
    return href.split("/")[-2]


@pytest.fixture(scope="module")
def money(simulated: Site) -> dict[tuple[str, str], dict[str, Decimal]]:
    """Dollars of every seat by (contestant, cohort), from postings and the newest marks."""
    worth = {(r["contestant"], r["cohort"]): r["worth"] for r in simulated.store.db.rows(WORTH)}
    found = {}
    for row in simulated.store.db.rows(LEDGER):
        seat = row["contestant"], row["cohort"]
        if row["contestant"]:
            micro = {name: row[name] for name in ("cash", "capital", "fees", "profit")}
            micro["pnl"] = micro["cash"] + worth[seat] - micro["capital"]
            found[seat] = {name: amount / MILLION for name, amount in micro.items()}
    return found


def truths(site: Site, by: str) -> dict[str, tuple[int, int, float]]:
    """How many forecasts there are by contestant or cohort, how many are scored, and how."""
    rows = site.store.db.rows(
        f"{TRUTHS} SELECT {by} AS name, count(*) AS n, count(truth) AS scored, "  # noqa: S608
        f"avg((p - truth) * (p - truth)) AS brier FROM truths GROUP BY {by}"
    )
    return {row["name"]: (row["n"], row["scored"], row["brier"]) for row in rows}


def by_key(columns: list[dict[str, Any]], cells: list[dict[str, Any]]) -> dict[str, Any]:
    return {c["key"]: cell for c, cell in zip(columns, cells, strict=False)}


def test_the_leaderboard_has_everybody_and_their_money(
    simulated: Site, money: dict[tuple[str, str], dict[str, Decimal]]
) -> None:
    names = {who for who, _ in money}
    for path in ("index.html", "leaderboard/returns.html"):
        table = twin(simulated, path)["ranking"]
        assert sorted(row["slug"] for row in table["rows"]) == sorted(names)
    for row in some(table["rows"]):
        own = [seat for (who, _), seat in money.items() if who == row["slug"]]
        pnl, capital = (sum(seat[key] for seat in own) for key in ("pnl", "capital"))
        shown = by_key(table["columns"], row["cells"])
        assert Decimal(shown["pnl"]["value"]) == pnl
        assert shown["returned"]["value"] == pytest.approx(float(pnl / capital))
        assert Decimal(shown["fees"]["value"]) == sum(seat["fees"] for seat in own)


def test_a_cohorts_board_has_the_money_of_its_seats(
    simulated: Site, money: dict[tuple[str, str], dict[str, Decimal]]
) -> None:
    for _, said in some(twins(simulated, "cohort")):
        board = said["board"]
        seats = {who: seat for (who, cohort), seat in money.items() if cohort == said["name"]}
        assert {last(row["contestant"]["href"]) for row in board["rows"]} == set(seats)
        for row in board["rows"]:
            shown = by_key(board["columns"], row["cells"])
            seat = seats[last(row["contestant"]["href"])]
            assert Decimal(shown["pnl"]["value"]) == seat["pnl"]


def test_a_cohorts_rounds_are_those_that_were_played(simulated: Site) -> None:
    db = simulated.store.db
    for _, said in some(twins(simulated, "cohort")):
        rounds = db.rows("SELECT * FROM rounds WHERE cohort = ? ORDER BY round", said["name"])
        shown = sorted(said["rounds"]["rows"], key=lambda row: row[0]["value"])
        assert len(shown) == len(rounds) > 0
        for row, known in zip(shown, rounds, strict=True):
            ok, failed = db.rows(
                "SELECT count(*) - count(failure) AS ok, count(failure) AS failed FROM turns "
                "WHERE cohort = ? AND round = ?",
                said["name"],
                known["round"],
            )[0]
            assert row[0]["value"] == known["round"]
            assert row[2]["value"] == len(json.loads(known["offered"]))
            assert row[3]["text"] == f"{ok} / {failed}"
            assert row[5]["text"] == known["digest"]


def test_every_cohort_and_every_market_is_in_the_lists_once(simulated: Site) -> None:
    db = simulated.store.db
    cohorts = twin(simulated, "cohorts/page-1.html")["table"]["rows"]
    assert [row[0]["text"] for row in cohorts] == [
        row["cohort"] for row in db.rows("SELECT cohort FROM cohorts ORDER BY started_at DESC")
    ]
    listed = twin(simulated, "markets/page-1.html")["rows"]
    assert len(listed) == db.value("SELECT count(*) FROM watched")
    assert len({row["market"]["href"] for row in listed}) == len(listed)


def test_a_contestants_rows_are_its_own(simulated: Site) -> None:
    db, most = simulated.store.db, 12
    for page, said in some(twins(simulated, "contestant")):
        who = page.parent.name
        deals = db.rows(
            "SELECT entry, cost_micro AS micro, 'bought' AS deed FROM fills "
            "WHERE contestant = ?1 UNION ALL SELECT entry, proceeds_micro, 'sold' FROM sales "
            "WHERE contestant = ?1 ORDER BY entry DESC LIMIT ?2",
            who,
            most,
        )
        assert Counter(
            (row["deed"], Decimal(row["amount"]["value"])) for row in said["trades"]
        ) == Counter((row["deed"], row["micro"] / MILLION) for row in deals)
        played = db.value("SELECT count(*) FROM seats WHERE contestant = ?", who)
        assert len(said["played"]["rows"]) == played
        turns = db.value("SELECT count(*) FROM turns WHERE contestant = ?", who)
        assert len(said["decisions"]["rows"]) == min(most, turns)
        held = db.rows(
            "SELECT cost_micro FROM positions WHERE contestant = ? AND state = 'OPEN'", who
        )
        shown = said["positions"]["rows"] if said["positions"] else []
        costs = Counter(row["cost_micro"] / MILLION for row in held)
        assert len(shown) == min(20, len(held))
        assert not Counter(Decimal(row[3]["value"]) for row in shown) - costs


def test_a_seats_forecasts_are_scored_as_they_came_out(simulated: Site) -> None:
    db = simulated.store.db
    scored = 0
    for page, said in twins(simulated, "seat"):
        who, cohort = page.parent.name, page.parent.parent.name
        known = db.rows(
            TRUTHS + "SELECT count(*) AS n, avg((p - truth) * (p - truth)) AS brier "
            "FROM truths WHERE contestant = ? AND cohort = ? GROUP BY market",
            who,
            cohort,
        )
        shown = said["forecasts"]["rows"] if said["forecasts"] else []
        assert sum(row[1]["value"] for row in shown) == sum(row["n"] for row in known)
        briers = sorted(row[4]["value"] for row in shown if row[4]["value"] is not None)
        assert briers == pytest.approx(
            sorted(r["brier"] for r in known if r["brier"] is not None)
        )
        scored += len(briers)
    assert scored > 50


def test_a_markets_rows_are_everything_that_was_said_and_done_on_it(simulated: Site) -> None:
    db = simulated.store.db
    known = {row["market"]: row for row in db.rows(
        TRUTHS + "SELECT market, count(*) AS n, count(DISTINCT contestant) AS who "
        "FROM truths GROUP BY market"
    )}  # fmt: skip
    deals = {row["market"]: row["n"] for row in db.rows(
        "SELECT market, count(*) AS n FROM (SELECT market FROM fills UNION ALL SELECT market "
        "FROM sales) GROUP BY market"
    )}  # fmt: skip
    said = 0
    for _, page in twins(simulated, "market"):
        of = known.get(page["id"])
        assert sum(row["count"] for row in page["players"]) == (of["n"] if of else 0)
        assert len([r for r in page["players"] if r["count"]]) == (of["who"] if of else 0)
        assert len(page["trades"]) == deals.get(page["id"], 0)
        said += len(page["trades"])
    assert said == sum(deals.values()) > 100


def test_a_decision_shows_what_was_filled_refused_and_forecast(simulated: Site) -> None:
    db = simulated.store.db
    for page, said in some(twins(simulated, "decision")):
        cohort, who, number = page.parts[-3], page.parts[-2], int(page.stem)
        turn = db.rows(
            "SELECT * FROM turns WHERE cohort = ? AND contestant = ? AND round = ?",
            cohort, who, number,
        )  # fmt: skip
        assert len(turn) == 1
        deals = db.rows(
            "SELECT cost_micro AS micro FROM fills WHERE cohort = ?1 AND contestant = ?2 AND "
            "round = ?3 UNION ALL SELECT proceeds_micro FROM sales WHERE cohort = ?1 AND "
            "contestant = ?2 AND round = ?3",
            cohort, who, number,
        )  # fmt: skip
        assert Counter(Decimal(row["amount"]["value"]) for row in said["orders"]) == Counter(
            row["micro"] / MILLION for row in deals
        )
        assert len(said["refused"]) == turn[0]["refused"]


def test_costs_add_up_to_those_of_all_answers(simulated: Site) -> None:
    known = {
        row["contestant"]: row["micro"] / MILLION
        for row in simulated.store.db.rows(
            "SELECT contestant, sum(cost_micro) AS micro FROM tape_answers GROUP BY contestant"
        )
        if row["micro"]
    }
    [table] = [t for t in twin(simulated, "costs.html")["tables"] if t["key"] == "contestants"]
    found = {
        last(row["about"]["href"]): by_key(table["columns"], row["cells"])["cost"]["value"]
        for row in table["rows"]
    }
    assert set(found) == set(known)
    assert {who: Decimal(value) for who, value in found.items()} == known


def test_calibration_counts_every_forecast_that_came_out(simulated: Site) -> None:
    known = {who: scored for who, (_, scored, _) in truths(simulated, "contestant").items()}
    tables = twin(simulated, "calibration.html")["tables"]
    table = next(t for t in tables if any(c["key"] == "forecasts_n" for c in t["columns"]))
    found = {
        last(row["about"]["href"]): by_key(table["columns"], row["cells"])["forecasts_n"][
            "value"
        ]
        for row in table["rows"]
        if row["about"]["href"]
    }
    assert found
    assert found == {who: known[who] for who in found}


def test_a_file_of_data_has_the_rows_and_the_digest_that_are_said_of_it(
    simulated: Site,
) -> None:
    said = twin(simulated, "data.html")
    assert said["files"]
    for row in said["files"]:
        content = (simulated.out / row["file"]["href"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == row["digest"]
        assert row["size"]["value"] == len(content)
        if row["file"]["href"].endswith(".csv"):
            assert row["rows"]["value"] == content.count(b"\n") - 1
    cohorts = {row["cohort"] for row in simulated.store.db.rows("SELECT cohort FROM cohorts")}
    assert {row["cohort"]["text"] for row in said["folders"]} == cohorts


def test_corrections_are_the_resolutions_that_were_revised(lively: Site) -> None:
    revised = lively.store.db.value("SELECT count(*) FROM resolutions WHERE revision > 1")
    said = said_by(lively.out / "changes.html")
    assert revised > 0
    assert len({row["market"]["href"] for row in said["corrections"]}) == revised
