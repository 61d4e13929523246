"""The queries behind the public tables; exact amounts are whole millionths."""

from typing import Final

from arena.store.prices import mid_sql

# How a resolution reads: the verdict, and what a YES share was paid.
_RULED = """CASE WHEN ruled.void IS NULL THEN NULL WHEN ruled.void THEN 'VOID'
    WHEN ruled.yes_pays_micro = 1000000 THEN 'YES' WHEN ruled.yes_pays_micro = 0 THEN 'NO'
    ELSE 'FRACTION' END, ruled.yes_pays_micro"""
_TRADE = """said.entry, said.cohort, said.round, said.contestant, said.at, said.market,
    said.side, said.shares_micro, said.price_micro"""

COHORTS: Final = """
SELECT cohort, name, spec ->> '$.title', spec ->> '$.venue', started_at, window_ends_at,
    complete_at, (SELECT count(*) FROM rounds WHERE rounds.cohort = cohorts.cohort),
    (SELECT count(*) FROM seats WHERE seats.cohort = cohorts.cohort),
    CAST(round((spec ->> '$.rules.capital') * 1000000) AS INTEGER), spec, digest
FROM cohorts ORDER BY cohort
"""
ROUNDS: Final = """
SELECT cohort, round, at, json_array_length(offered), closed, digest
FROM rounds ORDER BY cohort, round
"""
SEATS: Final = """
SELECT cohort, contestant, capital_micro, cash_micro, realised_micro, fees_micro,
    open_positions, bid_unpriced, owed_micro, bid_micro, mid_micro, marked_at, buys, sells,
    refused, turns_ok, turns_failed, fills_resolved, fills_won, forecasts, forecasts_resolved
FROM seats ORDER BY cohort, contestant
"""
MARKETS: Final = f"""
SELECT watched.market, watched.venue, facts ->> '$.event', facts ->> '$.question',
    facts ->> '$.category', facts ->> '$.opens_at', facts ->> '$.closes_at',
    facts ->> '$.url', told.seen_at, watched.resolved_at, {_RULED}
FROM watched
LEFT JOIN tape_markets AS told ON told.market = watched.market AND told.seen_at =
    (SELECT max(seen_at) FROM tape_markets WHERE market = watched.market)
LEFT JOIN resolutions AS ruled ON ruled.market = watched.market
ORDER BY watched.market
"""  # noqa: S608  # our own words
RESOLUTIONS: Final = f"""
SELECT ruled.market, ruled.revision, ruled.at, {_RULED}
FROM resolutions AS ruled ORDER BY ruled.market
"""  # noqa: S608  # our own words
FILLS: Final = f"""
SELECT {_TRADE}, said.cost_micro, said.fee_micro, said.cap_micro, said.base_micro,
    said.confidence, said.linear, said.kelly, said.stated, said.spoken_micro, {_RULED}
FROM fills AS said LEFT JOIN resolutions AS ruled ON ruled.market = said.market
ORDER BY said.entry
"""  # noqa: S608  # our own words
SALES: Final = f"""
SELECT {_TRADE}, said.proceeds_micro, said.basis_micro, said.fee_micro
FROM sales AS said ORDER BY said.entry
"""  # noqa: S608  # our own words
POSITIONS: Final = """
SELECT cohort, contestant, market, side, number, shares_micro, cost_micro, state,
    proceeds_micro, realised_micro
FROM positions ORDER BY cohort, contestant, market, side, number
"""
# From the turns on, whose entries have ids: so a cohort's forecasts are found by an index.
FORECASTS: Final = f"""
SELECT turns.cohort AS cohort, turns.round, turns.contestant, rounds.at, said.market,
    said.number, said.probability, {mid_sql("said.market", "<= rounds.at")}, {_RULED}
FROM turns CROSS JOIN rounds ON rounds.cohort = turns.cohort AND rounds.round = turns.round
CROSS JOIN journal_entries AS done
    ON done.id = 'turn:' || turns.cohort || ':' || turns.round || ':' || turns.contestant
CROSS JOIN journal_forecasts AS said ON said.entry = done.seq
LEFT JOIN resolutions AS ruled ON ruled.market = said.market
ORDER BY said.entry, said.market
"""  # noqa: S608  # our own words
DECISIONS: Final = """
SELECT turns.cohort, turns.round, turns.contestant, turns.at, turns.action, turns.accepted,
    turns.refused, turns.failure, told.model, told.finish, told.latency_ms, told.tokens_in,
    told.tokens_cached, told.tokens_out, told.tokens_reasoning, told.cost_micro,
    told.system_digest, told.user_digest, told.text_digest
FROM turns LEFT JOIN tape_answers AS told USING (cohort, round, contestant)
ORDER BY turns.cohort, turns.round, turns.contestant
"""
COSTS: Final = """
SELECT asked.cohort, asked.round, asked.contestant, asked.call, asked.at, asked.llm,
    came.provider, came.model, came.trouble,
    (SELECT count(*) FROM tape_attempts AS t WHERE t.cohort = asked.cohort
        AND t.round = asked.round AND t.contestant = asked.contestant
        AND t.call = asked.call),
    came.latency_ms, came.tokens_in, came.tokens_cached, came.tokens_out,
    came.tokens_reasoning, came.cost_micro, came.priced, asked.reserved_micro
FROM tape_asks AS asked LEFT JOIN tape_calls AS came USING (cohort, round, contestant, call)
UNION ALL
SELECT told.cohort, told.round, told.contestant, '', rounds.at, told.model, NULL, told.model,
    told.trouble, (SELECT count(*) FROM tape_attempts AS t WHERE t.cohort = told.cohort
        AND t.round = told.round AND t.contestant = told.contestant AND t.call = ''),
    told.latency_ms, told.tokens_in, told.tokens_cached, told.tokens_out,
    told.tokens_reasoning, told.cost_micro, told.priced, NULL
FROM tape_answers AS told JOIN rounds USING (cohort, round)
WHERE (told.tokens_in > 0 OR told.cost_micro > 0) AND NOT EXISTS (SELECT 1 FROM tape_asks AS a
    WHERE a.cohort = told.cohort AND a.round = told.round AND a.contestant = told.contestant)
"""
TEXTS: Final = """
SELECT digest, CAST(body AS TEXT) FROM tape_blobs WHERE digest IN (
    SELECT system_digest FROM tape_answers UNION SELECT user_digest FROM tape_answers
    UNION SELECT text_digest FROM tape_answers UNION SELECT text_digest FROM tape_calls
    UNION SELECT system_digest FROM tape_calls UNION SELECT shared_digest FROM tape_calls
    UNION SELECT own_digest FROM tape_calls
) ORDER BY digest
"""
