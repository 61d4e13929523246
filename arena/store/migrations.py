"""The tables: the tape and the journal, which only grow, and the caches made from them.

Dollars, shares and prices are whole millionths (`_micro`), scores whole trillionths
(`_pico`), moments ISO 8601 text in UTC. A migration is never edited once it has landed.
"""

import json
from dataclasses import fields
from typing import TYPE_CHECKING

from arena.records.grade import Tally

if TYPE_CHECKING:
    from sqlite3 import Connection

    from sqlite_utils import Database, Migrations

TRUTHS = (
    "tape_polls", "tape_markets", "tape_quotes", "tape_statuses", "tape_blobs", "tape_volumes",
    "tape_answers", "tape_attempts", "tape_asks", "tape_asked_again", "tape_calls",
    "tape_batched", "tape_submissions", "tape_names", "tape_repeats", "tape_payloads",
    "tape_bodies", "tape_contexts", "journal_lines", "journal_pieces",
)  # fmt: skip
CACHES = (
    "names", "entry_index", "forecast_index", "cohorts", "rounds", "turns", "fill_rows",
    "sales", "position_rows", "seats", "totals", "mark_rows", "resolutions", "watched",
    "touched", "conduct", "days", "packed",
)  # fmt: skip

_TAPE = """
CREATE TABLE tape_polls (
    venue TEXT NOT NULL, at TEXT NOT NULL, error TEXT,
    PRIMARY KEY (venue, at)
) STRICT;
CREATE TABLE tape_markets (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, facts TEXT NOT NULL,
    PRIMARY KEY (market, seen_at)
) STRICT;
CREATE TABLE tape_quotes (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, quoted_at TEXT NOT NULL,
    bid_micro INTEGER, ask_micro INTEGER, volume_micro INTEGER, book TEXT,
    PRIMARY KEY (market, seen_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE tape_statuses (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, said_at TEXT NOT NULL, state TEXT NOT NULL,
    void INTEGER, yes_pays_micro INTEGER,
    PRIMARY KEY (market, seen_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE tape_blobs (digest TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE tape_answers (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL,
    system_digest TEXT, user_digest TEXT, text_digest TEXT, raw_digest TEXT,
    model TEXT NOT NULL, finish TEXT NOT NULL, trouble TEXT, detail TEXT NOT NULL,
    tokens_in INTEGER, tokens_out INTEGER, cost_micro INTEGER, latency_ms INTEGER NOT NULL,
    PRIMARY KEY (cohort, round, contestant)
) STRICT;
CREATE TABLE tape_attempts (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL,
    number INTEGER NOT NULL, latency_ms INTEGER NOT NULL, status INTEGER, trouble TEXT,
    detail TEXT NOT NULL, billed INTEGER,
    PRIMARY KEY (cohort, round, contestant, number)
) STRICT;
"""

_JOURNAL = """
CREATE TABLE journal_entries (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, kind TEXT NOT NULL,
    cohort TEXT, contestant TEXT, event TEXT NOT NULL, digest TEXT NOT NULL
) STRICT;
CREATE INDEX journal_openings ON journal_entries (seq) WHERE kind = 'opened';
CREATE TABLE journal_postings (
    entry INTEGER NOT NULL REFERENCES journal_entries (seq), leg INTEGER NOT NULL,
    book TEXT NOT NULL, market TEXT, side TEXT,
    micro_usd INTEGER NOT NULL, micro_shares INTEGER NOT NULL,
    PRIMARY KEY (entry, leg)
) STRICT, WITHOUT ROWID;
CREATE TABLE journal_forecasts (
    entry INTEGER NOT NULL REFERENCES journal_entries (seq), market TEXT NOT NULL,
    number INTEGER NOT NULL, probability REAL NOT NULL,
    PRIMARY KEY (entry, market)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_forecasts_by_market ON journal_forecasts (market);
"""

_CACHES = """
CREATE TABLE cohorts (
    cohort TEXT PRIMARY KEY, spec TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
    started_at TEXT NOT NULL, window_ends_at TEXT NOT NULL, complete_at TEXT,
    moved_entry INTEGER NOT NULL, marked_entry INTEGER NOT NULL, marked_at TEXT
) STRICT;
CREATE INDEX cohorts_running ON cohorts (cohort) WHERE complete_at IS NULL;
CREATE INDEX cohorts_by_name ON cohorts (name, started_at);
CREATE TABLE rounds (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, at TEXT NOT NULL, offered TEXT NOT NULL,
    digest TEXT NOT NULL, closed INTEGER NOT NULL,
    PRIMARY KEY (cohort, round)
) STRICT;
CREATE INDEX rounds_open ON rounds (cohort, round) WHERE NOT closed;
CREATE TABLE turns (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, at TEXT NOT NULL,
    action TEXT, accepted INTEGER NOT NULL, refused INTEGER NOT NULL, failure TEXT,
    PRIMARY KEY (cohort, round, contestant)
) STRICT;
CREATE TABLE fills (
    entry INTEGER PRIMARY KEY, cohort TEXT NOT NULL, round INTEGER NOT NULL,
    contestant TEXT NOT NULL, at TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    shares_micro INTEGER NOT NULL, price_micro INTEGER NOT NULL, cost_micro INTEGER NOT NULL,
    fee_micro INTEGER NOT NULL, cap_micro INTEGER NOT NULL, base_micro INTEGER NOT NULL,
    confidence REAL NOT NULL, linear REAL NOT NULL, kelly REAL NOT NULL, stated REAL,
    spoken_micro INTEGER
) STRICT;
CREATE INDEX fills_by_market ON fills (market);
CREATE INDEX fills_by_seat ON fills (contestant, entry);
CREATE TABLE sales (
    entry INTEGER PRIMARY KEY, cohort TEXT NOT NULL, round INTEGER NOT NULL,
    contestant TEXT NOT NULL, at TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    shares_micro INTEGER NOT NULL, price_micro INTEGER NOT NULL,
    proceeds_micro INTEGER NOT NULL, basis_micro INTEGER NOT NULL, fee_micro INTEGER NOT NULL
) STRICT;
CREATE INDEX sales_by_market ON sales (market);
CREATE TABLE positions (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    number INTEGER NOT NULL, shares_micro INTEGER NOT NULL, cost_micro INTEGER NOT NULL,
    state TEXT NOT NULL, proceeds_micro INTEGER NOT NULL, realised_micro INTEGER NOT NULL,
    PRIMARY KEY (cohort, contestant, market, side, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX positions_open ON positions (market, cohort, contestant, side)
    WHERE state = 'OPEN';
CREATE INDEX positions_by_market ON positions (market);
CREATE INDEX positions_open_by_seat ON positions (cohort, contestant) WHERE state = 'OPEN';
CREATE TABLE marks (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, at TEXT NOT NULL,
    cash_micro INTEGER NOT NULL, owed_micro INTEGER NOT NULL,
    bid_micro INTEGER NOT NULL, bid_unpriced INTEGER NOT NULL,
    mid_micro INTEGER NOT NULL, mid_unpriced INTEGER NOT NULL, open INTEGER NOT NULL,
    PRIMARY KEY (cohort, contestant, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE resolutions (
    market TEXT PRIMARY KEY, revision INTEGER NOT NULL, at TEXT NOT NULL,
    void INTEGER, yes_pays_micro INTEGER
) STRICT;
CREATE TABLE watched (
    market TEXT PRIMARY KEY, venue TEXT NOT NULL, resolved_at TEXT
) STRICT;
CREATE INDEX watched_by_end ON watched (resolved_at);
CREATE TABLE touched (
    kind TEXT NOT NULL, id TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX touched_since ON touched (entry);
"""

_SITE_INDEXES = """
CREATE INDEX tape_polls_by_moment ON tape_polls (at);
CREATE INDEX rounds_by_moment ON rounds (at);
CREATE INDEX sales_by_seat ON sales (contestant, entry);
CREATE INDEX turns_failed ON turns (contestant, at) WHERE failure IS NOT NULL;
"""

# An ask is written before a call is sent and a call when it has come back, so that what was
# asked and never heard of is known to have been, perhaps, paid for.
_CALLS = """
CREATE TABLE tape_asks (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, call TEXT NOT NULL,
    at TEXT NOT NULL, llm TEXT NOT NULL, reserved_micro INTEGER,
    PRIMARY KEY (cohort, round, contestant, call)
) STRICT;
CREATE TABLE tape_asked_again (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, call TEXT NOT NULL,
    number INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (cohort, round, contestant, call, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX tape_asks_by_moment ON tape_asks (at);
CREATE INDEX tape_asks_by_seat ON tape_asks (cohort, contestant);
CREATE TABLE tape_calls (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, call TEXT NOT NULL,
    at TEXT NOT NULL, llm TEXT NOT NULL, provider TEXT NOT NULL, request TEXT NOT NULL,
    system_digest TEXT NOT NULL, shared_digest TEXT NOT NULL, own_digest TEXT NOT NULL,
    schema_digest TEXT NOT NULL, text_digest TEXT, raw_digest TEXT,
    model TEXT NOT NULL, route TEXT NOT NULL, tier TEXT NOT NULL, finish TEXT NOT NULL,
    trouble TEXT, detail TEXT NOT NULL, adapted TEXT NOT NULL,
    tokens_in INTEGER, tokens_cached INTEGER, tokens_written INTEGER,
    tokens_out INTEGER, tokens_reasoning INTEGER, cost_micro INTEGER, priced TEXT NOT NULL,
    latency_ms INTEGER NOT NULL,
    PRIMARY KEY (cohort, round, contestant, call)
) STRICT;
CREATE INDEX tape_calls_by_moment ON tape_calls (at);
CREATE INDEX tape_calls_by_seat ON tape_calls (cohort, contestant);
CREATE INDEX tape_calls_by_request ON tape_calls (request);
CREATE TABLE tape_batched (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, call TEXT NOT NULL,
    at TEXT NOT NULL, llm TEXT NOT NULL, batch TEXT NOT NULL,
    PRIMARY KEY (cohort, round, contestant, call, at, batch)
) STRICT;
CREATE TABLE tape_submissions (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, at TEXT NOT NULL,
    text_digest TEXT NOT NULL,
    PRIMARY KEY (cohort, round, contestant)
) STRICT;
CREATE TABLE tape_attempts_of_calls (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, call TEXT NOT NULL,
    number INTEGER NOT NULL, latency_ms INTEGER NOT NULL, status INTEGER, trouble TEXT,
    detail TEXT NOT NULL, billed INTEGER,
    PRIMARY KEY (cohort, round, contestant, call, number)
) STRICT;
INSERT INTO tape_attempts_of_calls SELECT cohort, round, contestant, '', number, latency_ms,
    status, trouble, detail, billed FROM tape_attempts;
DROP TABLE tape_attempts;
ALTER TABLE tape_attempts_of_calls RENAME TO tape_attempts;
ALTER TABLE tape_answers ADD COLUMN tokens_cached INTEGER;
ALTER TABLE tape_answers ADD COLUMN tokens_written INTEGER;
ALTER TABLE tape_answers ADD COLUMN tokens_reasoning INTEGER;
ALTER TABLE tape_answers ADD COLUMN priced TEXT NOT NULL DEFAULT '';
CREATE INDEX journal_turns_by_contestant ON journal_entries (contestant, seq)
    WHERE kind = 'turn';
ALTER TABLE rounds ADD COLUMN seed TEXT NOT NULL DEFAULT '';
CREATE TABLE conduct (
    contestant TEXT NOT NULL, cohort TEXT NOT NULL,
    turns INTEGER NOT NULL, calls INTEGER NOT NULL,
    reasks INTEGER NOT NULL, repaired INTEGER NOT NULL, dropped INTEGER NOT NULL,
    against INTEGER NOT NULL, halved INTEGER NOT NULL,
    baited INTEGER NOT NULL, bait_taken INTEGER NOT NULL,
    PRIMARY KEY (contestant, cohort)
) STRICT, WITHOUT ROWID;
INSERT INTO conduct SELECT contestant, cohort, count(*), 0, 0, 0, 0, 0, 0, 0, 0
    FROM turns GROUP BY contestant, cohort;
INSERT INTO conduct SELECT contestant, '', count(*), 0, 0, 0, 0, 0, 0, 0, 0
    FROM turns GROUP BY contestant;
"""

SUMS = tuple(f.name for f in fields(Tally))

# A quote that is as it was is a row of `tape_repeats`: its market's number and the second of
# the reading, a tenth of the bytes of a row of `tape_quotes`.
_VENUES = """
ALTER TABLE tape_quotes ADD COLUMN volume_24h_micro INTEGER;
ALTER TABLE tape_quotes ADD COLUMN liquidity_micro INTEGER;
ALTER TABLE tape_quotes ADD COLUMN source TEXT;
ALTER TABLE tape_statuses ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0;
CREATE TABLE tape_names (number INTEGER PRIMARY KEY, market TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE tape_repeats (
    number INTEGER NOT NULL REFERENCES tape_names (number), seen_at INTEGER NOT NULL,
    PRIMARY KEY (number, seen_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE tape_payloads (
    number INTEGER PRIMARY KEY, venue TEXT NOT NULL, at TEXT NOT NULL, method TEXT NOT NULL,
    url TEXT NOT NULL, asked_digest TEXT, status INTEGER NOT NULL, headers TEXT NOT NULL,
    digest TEXT NOT NULL, size INTEGER NOT NULL
) STRICT;
CREATE INDEX tape_payloads_by_time ON tape_payloads (venue, at);
CREATE TABLE tape_bodies (digest TEXT PRIMARY KEY, packed BLOB NOT NULL) STRICT;
"""

_PARSER_VERSIONS = """
ALTER TABLE tape_answers ADD COLUMN parser_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tape_calls ADD COLUMN parser_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tape_submissions ADD COLUMN parser_version INTEGER NOT NULL DEFAULT 1;
"""

# One row a round. The cost is None where a source does not say what its requests cost.
_CONTEXTS = """
CREATE TABLE tape_contexts (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, at TEXT NOT NULL, digest TEXT NOT NULL,
    requests INTEGER NOT NULL, cost_micro INTEGER,
    PRIMARY KEY (cohort, round)
) STRICT, WITHOUT ROWID;
"""

_BY_COHORT = """
CREATE INDEX fills_by_cohort ON fills (cohort, entry);
CREATE INDEX sales_by_cohort ON sales (cohort, entry);
"""

# What a year has of forecasts, trades and daily worth is read in a moment. A day's sums are
# what changed on it; a mark changes a seat's worth since the mark before, or its capital.
_OF_DAYS = """
CREATE TABLE packed (
    told TEXT NOT NULL, last INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (told, last)
) STRICT;
CREATE TABLE days (
    contestant TEXT NOT NULL, day TEXT NOT NULL,
    capital_micro INTEGER NOT NULL DEFAULT 0, realised_micro INTEGER NOT NULL DEFAULT 0,
    bid_micro INTEGER NOT NULL DEFAULT 0, bid_unpriced INTEGER NOT NULL DEFAULT 0,
    mid_micro INTEGER NOT NULL DEFAULT 0, mid_unpriced INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (contestant, day)
) STRICT, WITHOUT ROWID;
INSERT INTO days SELECT contestant, day, sum(capital), sum(realised),
    sum(bid), sum(bid_without), sum(mid), sum(mid_without) FROM (
    SELECT contestant, date(at) AS day, -iif(book = 'capital', micro_usd, 0) AS capital,
        -iif(book = 'capital', 0, micro_usd) AS realised,
        0 AS bid, 0 AS bid_without, 0 AS mid, 0 AS mid_without
    FROM journal_postings JOIN journal_entries ON seq = entry
    WHERE book IN ('capital', 'profit', 'fees')
    UNION ALL
    SELECT contestant, date(at), 0, 0,
        cash_micro - owed_micro + bid_micro - lag(
            cash_micro - owed_micro + bid_micro, 1, capital_micro) OVER seat,
        (bid_unpriced > 0) - lag(bid_unpriced > 0, 1, 0) OVER seat,
        cash_micro - owed_micro + mid_micro - lag(
            cash_micro - owed_micro + mid_micro, 1, capital_micro) OVER seat,
        (mid_unpriced > 0) - lag(mid_unpriced > 0, 1, 0) OVER seat
    FROM (SELECT marks.*, capital_micro FROM marks JOIN seats USING (cohort, contestant))
    WINDOW seat AS (PARTITION BY cohort, contestant ORDER BY at)
) GROUP BY contestant, day;
"""

# Entries that are no one's turn or trade, and few: an index has them alone.
NOTED = "kind IN ('sealed', 'restored', 'adapter set')"

# An entry's head and event as they are digested; 256 at a time are packed. What was in tables
# of its own (`_JOURNAL`) is read from them by views of the same names.
_HEAD, _EVENT, _DIGEST = (
    f"""coalesce((SELECT {part} FROM journal_lines AS fresh WHERE fresh.seq = entry.seq), (
    SELECT packed_part('{part}', last, digest, last - entry.seq) FROM journal_pieces
    WHERE last >= entry.seq ORDER BY last LIMIT 1))"""  # noqa: S608  # our own words
    for part in ("head", "event", "digest")
)
# A moment is its second, with a fraction where it has one; views give it as text.
_AT = """iif(typeof(at) = 'integer', strftime('%Y-%m-%dT%H:%M:%S+00:00', at, 'unixepoch'),
    moment_of(at))"""
_LINES = f"""
DROP TABLE journal_forecasts;
DROP TABLE journal_postings;
DROP TABLE journal_entries;
CREATE TABLE journal_pieces (
    last INTEGER PRIMARY KEY, digest TEXT NOT NULL, body BLOB NOT NULL
) STRICT;
CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE entry_index (
    seq INTEGER PRIMARY KEY, key INTEGER NOT NULL, at ANY NOT NULL, kind TEXT NOT NULL,
    cohort INTEGER, contestant INTEGER
) STRICT;
CREATE INDEX entry_index_by_key ON entry_index (key);
CREATE INDEX journal_openings ON entry_index (seq) WHERE kind = 'opened';
CREATE INDEX journal_notes ON entry_index (seq) WHERE {NOTED};
CREATE INDEX journal_turns_by_contestant ON entry_index (contestant, seq)
    WHERE kind = 'turn';
CREATE TABLE forecast_index (
    market INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (market, entry)
) STRICT, WITHOUT ROWID;
CREATE VIEW journal_entries AS SELECT seq, key, {_HEAD} ->> '$[0]' AS id,
    {_AT} AS at,
    kind, (SELECT name FROM names WHERE number = cohort) AS cohort,
    (SELECT name FROM names WHERE number = contestant) AS contestant,
    {_HEAD} AS head, {_EVENT} AS event, {_DIGEST} AS digest
FROM entry_index AS entry;
CREATE VIEW journal_postings AS SELECT seq AS entry, listed.key AS leg,
    listed.value ->> 0 AS book, listed.value ->> 1 AS market, listed.value ->> 2 AS side,
    listed.value ->> 3 AS micro_usd, listed.value ->> 4 AS micro_shares
FROM entry_index AS entry CROSS JOIN json_each({_HEAD}, '$[5]') AS listed;
CREATE VIEW journal_forecasts AS SELECT seq AS entry, listed.value ->> 'market' AS market,
    listed.key AS number, float_of(listed.value -> 'probability') AS probability
FROM entry_index AS entry CROSS JOIN json_each({_EVENT}, '$.forecasts') AS listed
WHERE entry.kind = 'turn';
CREATE VIEW forecast_entries AS SELECT name AS market, entry
FROM names CROSS JOIN forecast_index ON market = number;
ALTER TABLE turns ADD COLUMN entry INTEGER NOT NULL DEFAULT 0;
"""  # noqa: S608  # our own words

# In tables with many rows a number stands for a name. Views give what there was before.
_NUMBERS = f"""
DROP TABLE fills;
DROP TABLE positions;
DROP TABLE marks;
CREATE TABLE fill_rows (
    entry INTEGER PRIMARY KEY, cohort INTEGER NOT NULL, round INTEGER NOT NULL,
    contestant INTEGER NOT NULL, market INTEGER NOT NULL, side TEXT NOT NULL,
    shares_micro INTEGER NOT NULL, price_micro INTEGER NOT NULL, cost_micro INTEGER NOT NULL,
    fee_micro INTEGER NOT NULL, cap_micro INTEGER NOT NULL, base_micro INTEGER NOT NULL,
    confidence REAL NOT NULL, linear REAL NOT NULL, kelly REAL NOT NULL, stated REAL,
    spoken_micro INTEGER
) STRICT;
CREATE INDEX fills_by_market ON fill_rows (market);
CREATE INDEX fills_by_seat ON fill_rows (contestant, entry);
CREATE INDEX fills_by_cohort ON fill_rows (cohort, entry);
CREATE VIEW fills AS SELECT row.entry, c.name AS cohort, row.round, w.name AS contestant,
    (SELECT {_AT} FROM entry_index WHERE seq = row.entry) AS at, m.name AS market, row.side,
    row.shares_micro, row.price_micro, row.cost_micro, row.fee_micro, row.cap_micro,
    row.base_micro, row.confidence, row.linear, row.kelly, row.stated, row.spoken_micro
FROM fill_rows AS row JOIN names AS c ON c.number = row.cohort
    JOIN names AS w ON w.number = row.contestant JOIN names AS m ON m.number = row.market;
CREATE TABLE position_rows (
    cohort INTEGER NOT NULL, contestant INTEGER NOT NULL, market INTEGER NOT NULL,
    side TEXT NOT NULL, number INTEGER NOT NULL, shares_micro INTEGER NOT NULL,
    cost_micro INTEGER NOT NULL, state TEXT NOT NULL, proceeds_micro INTEGER NOT NULL,
    realised_micro INTEGER NOT NULL,
    PRIMARY KEY (cohort, contestant, market, side, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX positions_open ON position_rows (market, cohort, contestant, side)
    WHERE state = 'OPEN';
CREATE INDEX positions_by_market ON position_rows (market);
CREATE INDEX positions_open_by_seat ON position_rows (cohort, contestant)
    WHERE state = 'OPEN';
CREATE VIEW positions AS SELECT c.name AS cohort, w.name AS contestant, m.name AS market,
    row.side, row.number, row.shares_micro, row.cost_micro, row.state, row.proceeds_micro,
    row.realised_micro
FROM position_rows AS row JOIN names AS c ON c.number = row.cohort
    JOIN names AS w ON w.number = row.contestant JOIN names AS m ON m.number = row.market;
CREATE TABLE mark_rows (
    cohort INTEGER NOT NULL, contestant INTEGER NOT NULL, at ANY NOT NULL,
    cash_micro INTEGER NOT NULL, owed_micro INTEGER NOT NULL, bid_micro INTEGER NOT NULL,
    bid_unpriced INTEGER NOT NULL, mid_micro INTEGER NOT NULL, mid_unpriced INTEGER NOT NULL,
    open INTEGER NOT NULL, PRIMARY KEY (cohort, contestant, at)
) STRICT, WITHOUT ROWID;
CREATE VIEW marks AS SELECT c.name AS cohort, w.name AS contestant, {_AT} AS at,
    row.cash_micro, row.owed_micro, row.bid_micro, row.bid_unpriced, row.mid_micro,
    row.mid_unpriced, row.open
FROM mark_rows AS row JOIN names AS c ON c.number = row.cohort
    JOIN names AS w ON w.number = row.contestant;
"""  # noqa: S608  # our own words


def _seat_tables() -> str:
    columns = ", ".join(f"{name} INTEGER NOT NULL DEFAULT 0" for name in SUMS)
    added = ", ".join(f"{name} = {name} + new.{name} - old.{name}" for name in SUMS)
    return f"""
CREATE TABLE seats (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, marked_at TEXT, {columns},
    PRIMARY KEY (cohort, contestant)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_contestant ON seats (contestant, cohort);
CREATE TABLE totals (contestant TEXT PRIMARY KEY, cohorts INTEGER NOT NULL, {columns}) STRICT;
CREATE TRIGGER seats_start AFTER INSERT ON seats BEGIN
    INSERT INTO totals (contestant, cohorts) VALUES (new.contestant, 1)
    ON CONFLICT (contestant) DO UPDATE SET cohorts = cohorts + 1;
END;
CREATE TRIGGER seats_add_up AFTER UPDATE ON seats BEGIN
    UPDATE totals SET {added} WHERE contestant = new.contestant;
END;
"""  # noqa: S608  # the names are our own


def _run(db: "Database | Connection", script: str) -> None:
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if line.rstrip() == "END;" or (
            line.endswith(";") and "CREATE TRIGGER" not in statement
        ):
            db.execute(statement)
            statement = ""


def m001_tape_journal_and_caches(db: "Database | Connection") -> None:
    """Create the first tables."""
    for script in (_TAPE, _JOURNAL, _CACHES, _seat_tables()):
        _run(db, script)


def m002_what_the_site_asks_for(db: "Database | Connection") -> None:
    """Add the indexes that keep a day's pages from reading all of history."""
    _run(db, _SITE_INDEXES)


def m003_calls_of_models(db: "Database | Connection") -> None:
    """Keep each call of a turn by itself, what was handed in, and how turns were conducted."""
    _run(db, _CALLS)


def m004_live_venues(db: "Database | Connection") -> None:
    """Keep what servers of venues say, quotes that repeat themselves, and second reads."""
    _run(db, _VENUES)


def m005_what_a_cohort_traded(db: "Database | Connection") -> None:
    """Find the trades of one cohort without reading those of all."""
    _run(db, _BY_COHORT)


def m006_what_is_estimated_from_all_of_history(db: "Database | Connection") -> None:
    """Keep what a day changed, and what all of history says, so that both are read at once."""
    _run(db, _OF_DAYS)


def m007_parser_versions(db: "Database | Connection") -> None:
    """Say by which rules a reply is read: those of before are version 1."""
    _run(db, _PARSER_VERSIONS)


def m008_journal_in_pieces(db: "Database | Connection") -> None:
    """Keep each entry as the two texts that are digested. The caches are made anew after it."""
    db.execute(
        "CREATE TABLE journal_lines (seq INTEGER PRIMARY KEY, head TEXT NOT NULL, "
        "event TEXT NOT NULL, digest TEXT NOT NULL) STRICT"
    )
    sql = "SELECT seq, id, at, kind, cohort, contestant, event, digest FROM journal_entries"
    for seq, *head, event, digest in db.execute(f"{sql} ORDER BY seq").fetchall():
        legs = db.execute(
            "SELECT book, market, side, micro_usd, micro_shares FROM journal_postings "
            "WHERE entry = ? ORDER BY leg",
            (seq,),
        ).fetchall()
        head.append([tuple(leg) for leg in legs])
        if head[2] == "turn":
            forecasts = db.execute(
                "SELECT market, probability FROM journal_forecasts "
                "WHERE entry = ? ORDER BY number",
                (seq,),
            ).fetchall()
            turn = json.loads(event)
            turn["forecasts"] = [{"market": name, "probability": p} for name, p in forecasts]
            event = _written(turn)  # noqa: PLW2901
        line = (seq, _written(head), event, digest)
        db.execute("INSERT INTO journal_lines VALUES (?, ?, ?, ?)", line)
    _run(db, _LINES)


def m009_numbers_for_names(db: "Database | Connection") -> None:
    """Let numbers stand for names in fills, positions and marks, which are made anew after."""
    _run(db, _NUMBERS)


def m010_volumes_of_texts(db: "Database | Connection") -> None:
    """Name the files that texts of months that are over were moved to."""
    db.execute(
        "CREATE TABLE tape_volumes (month TEXT PRIMARY KEY, digest TEXT NOT NULL, "
        "texts INTEGER NOT NULL) STRICT"
    )


def m011_documents_of_rounds(db: "Database | Connection") -> None:
    """Keep the documents that a round's contestants are shown."""
    _run(db, _CONTEXTS)


_written = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

STEPS = (
    m001_tape_journal_and_caches,
    m002_what_the_site_asks_for,
    m003_calls_of_models,
    m004_live_venues,
    m005_what_a_cohort_traded,
    m006_what_is_estimated_from_all_of_history,
    m007_parser_versions,
    m008_journal_in_pieces,
    m009_numbers_for_names,
    m010_volumes_of_texts,
    m011_documents_of_rounds,
)


def migrations() -> "Migrations":
    """Every step there is, in order."""
    from sqlite_utils import Migrations  # noqa: PLC0415  not needed where all were applied

    registered = Migrations("arena")
    for step in STEPS:
        registered()(step)
    return registered
