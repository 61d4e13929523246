BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'arena','m001_tape_journal_and_caches','2026-01-05 00:00:00+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'arena','m002_what_the_site_asks_for','2026-01-05 00:00:00+00:00');
CREATE TABLE cohorts (
    cohort TEXT PRIMARY KEY, spec TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
    started_at TEXT NOT NULL, window_ends_at TEXT NOT NULL, complete_at TEXT,
    moved_entry INTEGER NOT NULL, marked_entry INTEGER NOT NULL, marked_at TEXT
) STRICT;
INSERT INTO "cohorts" VALUES('c','{"contestants":["ada","ben"],"decide_every":86400.0,"decide_for":259200.0,"name":"c","rules":{"batch":"atomic","capital":"10000","confidence_base":"sequential","fees":"none","fill":"mid","mark":"mid","max_bet_fraction":"0.25","max_mark_age":259200.0,"max_quote_age":3600.0,"max_spread":"0.1","min_bet":"50","rank_by":"return"},"start":{"cadence":"once","first":"2026-01-05T00:00:00+00:00"},"title":"C","universe":{"categories":[],"closes_within":null,"min_volume":"0","top":20},"venue":"here"}','c','293c588c30a6879847d819123b6077d4df7e044b7d66a6e28b04b26bb19b99ce','2026-01-05T00:00:00+00:00','2026-01-08T00:00:00+00:00',NULL,6,9,'2026-01-05T00:00:00+00:00');
CREATE TABLE fills (
    entry INTEGER PRIMARY KEY, cohort TEXT NOT NULL, round INTEGER NOT NULL,
    contestant TEXT NOT NULL, at TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    shares_micro INTEGER NOT NULL, price_micro INTEGER NOT NULL, cost_micro INTEGER NOT NULL,
    fee_micro INTEGER NOT NULL, cap_micro INTEGER NOT NULL, base_micro INTEGER NOT NULL,
    confidence REAL NOT NULL, linear REAL NOT NULL, kelly REAL NOT NULL, stated REAL,
    spoken_micro INTEGER
) STRICT;
INSERT INTO "fills" VALUES(6,'c',1,'ada','2026-01-05T00:00:00+00:00','rain','YES',1000000000,500000,500000000,0,2500000000,10000000000,0.2,0.2,0.6,0.7,500000);
CREATE TABLE journal_entries (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, kind TEXT NOT NULL,
    cohort TEXT, contestant TEXT, event TEXT NOT NULL, digest TEXT NOT NULL
) STRICT;
INSERT INTO "journal_entries" VALUES(1,'open:c','2026-01-05T00:00:00+00:00','opened','c',NULL,'{"digest":"293c588c30a6879847d819123b6077d4df7e044b7d66a6e28b04b26bb19b99ce","spec":{"contestants":["ada","ben"],"decide_every":86400.0,"decide_for":259200.0,"name":"c","rules":{"batch":"atomic","capital":"10000","confidence_base":"sequential","fees":"none","fill":"mid","mark":"mid","max_bet_fraction":"0.25","max_mark_age":259200.0,"max_quote_age":3600.0,"max_spread":"0.1","min_bet":"50","rank_by":"return"},"start":{"cadence":"once","first":"2026-01-05T00:00:00+00:00"},"title":"C","universe":{"categories":[],"closes_within":null,"min_volume":"0","top":20},"venue":"here"}}','2f87de66a8dca084738592856993945a63d4e03b00c420a84e48e06e04ed2ee7');
INSERT INTO "journal_entries" VALUES(2,'fund:c:ada','2026-01-05T00:00:00+00:00','funded','c','ada','{"amount":"10000"}','cb27e8bf31cf1b2eb3f5c7498738c6dd1456c9b4cae083ffc69e0380baa5579c');
INSERT INTO "journal_entries" VALUES(3,'fund:c:ben','2026-01-05T00:00:00+00:00','funded','c','ben','{"amount":"10000"}','216632575140081eabc93f27c6c516fc8cf782cb4f0c6a68dcc9788be59da784');
INSERT INTO "journal_entries" VALUES(4,'round:c:1','2026-01-05T00:00:00+00:00','round','c',NULL,'{"digest":"071f46c3758916a847e545552f9a5215c0429da16c6c296cb326b006bc952ec1","offered":["hail","rain","snow"],"round":1}','e36cfd717214daaacfaecb7171ad237b33550a9d7f3c5e1be2e4734171253a97');
INSERT INTO "journal_entries" VALUES(5,'turn:c:1:ada','2026-01-05T00:00:00+00:00','turn','c','ada','{"accepted":1,"action":"BET","failure":null,"forecasts":[],"refused":[],"round":1}','f82e1ecfd5d5b9e94de76da1171dd4b6d6a14d439aa9ce39655bf0e0c46d2123');
INSERT INTO "journal_entries" VALUES(6,'fill:c/1/ada/1','2026-01-05T00:00:00+00:00','fill','c','ada','{"base":"10000","bet":"c/1/ada/1","cap":"2500","confidence":0.2,"cost":"500","fee":"0","kelly":0.6,"linear":0.2,"market":"rain","price":"0.5","round":1,"shares":"1000","side":"YES","spoken":"0.5","stated":0.7}','89e7715097bcbf0acd8ecbb210fc5120a560a15a532b8e2327b9e01edc4420fb');
INSERT INTO "journal_entries" VALUES(7,'turn:c:1:ben','2026-01-05T00:00:00+00:00','turn','c','ben','{"accepted":0,"action":null,"failure":"server error: busy","forecasts":[],"refused":[],"round":1}','393a072bce53c072e188c342e2b658c051be1fec9caa414d653cdbd104fcd603');
INSERT INTO "journal_entries" VALUES(8,'close:c:1','2026-01-05T00:00:00+00:00','round closed','c',NULL,'{"round":1}','806a2ebad8d6d66746aa4e8d29a5ac90994d76d368249dacf70e12252f72007e');
INSERT INTO "journal_entries" VALUES(9,'mark:c:2026-01-05T00:00:00Z','2026-01-05T00:00:00+00:00','marked','c',NULL,'{}','6919df2412f460618fd151dfa953642ac212fc80bf3cd6636c4d0713eb5b61bb');
INSERT INTO "journal_entries" VALUES(10,'round:c:2','2026-01-06T00:00:00+00:00','round','c',NULL,'{"digest":"1ad3e9f567360384d71dbcae931b95fbddc2dbb8ab7ae16bbb72ce717f74f1bf","offered":["hail","rain","snow"],"round":2}','38d4ff10d040366405f2c16de2430082c33b547ac78158833464e4035e913ade');
CREATE TABLE journal_forecasts (
    entry INTEGER NOT NULL REFERENCES journal_entries (seq), market TEXT NOT NULL,
    number INTEGER NOT NULL, probability REAL NOT NULL,
    PRIMARY KEY (entry, market)
) STRICT, WITHOUT ROWID;
INSERT INTO "journal_forecasts" VALUES(5,'rain',0,0.7);
CREATE TABLE journal_postings (
    entry INTEGER NOT NULL REFERENCES journal_entries (seq), leg INTEGER NOT NULL,
    book TEXT NOT NULL, market TEXT, side TEXT,
    micro_usd INTEGER NOT NULL, micro_shares INTEGER NOT NULL,
    PRIMARY KEY (entry, leg)
) STRICT, WITHOUT ROWID;
INSERT INTO "journal_postings" VALUES(2,0,'cash',NULL,NULL,10000000000,0);
INSERT INTO "journal_postings" VALUES(2,1,'capital',NULL,NULL,-10000000000,0);
INSERT INTO "journal_postings" VALUES(3,0,'cash',NULL,NULL,10000000000,0);
INSERT INTO "journal_postings" VALUES(3,1,'capital',NULL,NULL,-10000000000,0);
INSERT INTO "journal_postings" VALUES(6,0,'cash',NULL,NULL,-500000000,0);
INSERT INTO "journal_postings" VALUES(6,1,'position','rain','YES',500000000,1000000000);
CREATE TABLE marks (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, at TEXT NOT NULL,
    cash_micro INTEGER NOT NULL, owed_micro INTEGER NOT NULL,
    bid_micro INTEGER NOT NULL, bid_unpriced INTEGER NOT NULL,
    mid_micro INTEGER NOT NULL, mid_unpriced INTEGER NOT NULL, open INTEGER NOT NULL,
    PRIMARY KEY (cohort, contestant, at)
) STRICT, WITHOUT ROWID;
INSERT INTO "marks" VALUES('c','ada','2026-01-05T00:00:00+00:00',9500000000,0,500000000,0,500000000,0,1);
INSERT INTO "marks" VALUES('c','ben','2026-01-05T00:00:00+00:00',10000000000,0,0,0,0,0,0);
CREATE TABLE positions (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    number INTEGER NOT NULL, shares_micro INTEGER NOT NULL, cost_micro INTEGER NOT NULL,
    state TEXT NOT NULL, proceeds_micro INTEGER NOT NULL, realised_micro INTEGER NOT NULL,
    PRIMARY KEY (cohort, contestant, market, side, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "positions" VALUES('c','ada','rain','YES',1,1000000000,500000000,'OPEN',0,0);
CREATE TABLE resolutions (
    market TEXT PRIMARY KEY, revision INTEGER NOT NULL, at TEXT NOT NULL,
    void INTEGER, yes_pays_micro INTEGER
) STRICT;
CREATE TABLE rounds (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, at TEXT NOT NULL, offered TEXT NOT NULL,
    digest TEXT NOT NULL, closed INTEGER NOT NULL,
    PRIMARY KEY (cohort, round)
) STRICT;
INSERT INTO "rounds" VALUES('c',1,'2026-01-05T00:00:00+00:00','["hail","rain","snow"]','071f46c3758916a847e545552f9a5215c0429da16c6c296cb326b006bc952ec1',1);
INSERT INTO "rounds" VALUES('c',2,'2026-01-06T00:00:00+00:00','["hail","rain","snow"]','1ad3e9f567360384d71dbcae931b95fbddc2dbb8ab7ae16bbb72ce717f74f1bf',0);
CREATE TABLE sales (
    entry INTEGER PRIMARY KEY, cohort TEXT NOT NULL, round INTEGER NOT NULL,
    contestant TEXT NOT NULL, at TEXT NOT NULL, market TEXT NOT NULL, side TEXT NOT NULL,
    shares_micro INTEGER NOT NULL, price_micro INTEGER NOT NULL,
    proceeds_micro INTEGER NOT NULL, basis_micro INTEGER NOT NULL, fee_micro INTEGER NOT NULL
) STRICT;
CREATE TABLE seats (
    cohort TEXT NOT NULL, contestant TEXT NOT NULL, marked_at TEXT, capital_micro INTEGER NOT NULL DEFAULT 0, cash_micro INTEGER NOT NULL DEFAULT 0, owed_micro INTEGER NOT NULL DEFAULT 0, open_cost_micro INTEGER NOT NULL DEFAULT 0, realised_micro INTEGER NOT NULL DEFAULT 0, fees_micro INTEGER NOT NULL DEFAULT 0, open_positions INTEGER NOT NULL DEFAULT 0, bid_micro INTEGER NOT NULL DEFAULT 0, bid_unpriced INTEGER NOT NULL DEFAULT 0, bid_unpriced_shares_micro INTEGER NOT NULL DEFAULT 0, mid_micro INTEGER NOT NULL DEFAULT 0, mid_unpriced INTEGER NOT NULL DEFAULT 0, mid_unpriced_shares_micro INTEGER NOT NULL DEFAULT 0, buys INTEGER NOT NULL DEFAULT 0, sells INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, turns_ok INTEGER NOT NULL DEFAULT 0, turns_failed INTEGER NOT NULL DEFAULT 0, fills_resolved INTEGER NOT NULL DEFAULT 0, fills_won INTEGER NOT NULL DEFAULT 0, fills_excluded INTEGER NOT NULL DEFAULT 0, break_even_micro INTEGER NOT NULL DEFAULT 0, linear_pico INTEGER NOT NULL DEFAULT 0, kelly_pico INTEGER NOT NULL DEFAULT 0, stated_resolved INTEGER NOT NULL DEFAULT 0, stated_pico INTEGER NOT NULL DEFAULT 0, forecasts INTEGER NOT NULL DEFAULT 0, forecasts_resolved INTEGER NOT NULL DEFAULT 0, forecasts_excluded INTEGER NOT NULL DEFAULT 0, forecast_pico INTEGER NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0, cost_micro INTEGER NOT NULL DEFAULT 0, cost_unknown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (cohort, contestant)
) STRICT, WITHOUT ROWID;
INSERT INTO "seats" VALUES('c','ada','2026-01-05T00:00:00+00:00',10000000000,9500000000,0,500000000,0,0,1,500000000,0,0,500000000,0,0,1,0,0,1,0,0,0,0,0,0,0,0,0,1,0,0,0,1000,50,12300,0);
INSERT INTO "seats" VALUES('c','ben','2026-01-05T00:00:00+00:00',10000000000,10000000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1);
CREATE TABLE tape_answers (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL,
    system_digest TEXT, user_digest TEXT, text_digest TEXT, raw_digest TEXT,
    model TEXT NOT NULL, finish TEXT NOT NULL, trouble TEXT, detail TEXT NOT NULL,
    tokens_in INTEGER, tokens_out INTEGER, cost_micro INTEGER, latency_ms INTEGER NOT NULL,
    PRIMARY KEY (cohort, round, contestant)
) STRICT;
INSERT INTO "tape_answers" VALUES('c',1,'ada','6c621d1a05138a7888d37d9269a9da8e2e11e4aced2f6cfd24b05ab1b9e61bb0','0694aacb66d62e742a92e8d5f1e82bd9d2a8ca1be88744201fbe63d0f5007502','f35bf65e282835031a8ec9db7b257a34a646d39b1e7c80606519757de0de7a71','d7439bee24773bcbfa2d0a97947ee36227b10d1022b1a55847e928965bb6bfde','small-1','stop',NULL,'',1000,50,12300,7);
INSERT INTO "tape_answers" VALUES('c',1,'ben','6c621d1a05138a7888d37d9269a9da8e2e11e4aced2f6cfd24b05ab1b9e61bb0','0694aacb66d62e742a92e8d5f1e82bd9d2a8ca1be88744201fbe63d0f5007502',NULL,'c9bc072f4fa8189466c2a8f2c36a56a4ef1e60a2ffa4986ba2f155cd176c128b','small-1','','server error','busy',NULL,NULL,NULL,30);
INSERT INTO "tape_answers" VALUES('c',2,'ada',NULL,NULL,'1d4602b88a3fd9d56d5e89fa6798481b505ab52577407e023e10460067bc8ba6',NULL,'','',NULL,'',0,0,0,0);
CREATE TABLE tape_attempts (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL,
    number INTEGER NOT NULL, latency_ms INTEGER NOT NULL, status INTEGER, trouble TEXT,
    detail TEXT NOT NULL, billed INTEGER,
    PRIMARY KEY (cohort, round, contestant, number)
) STRICT;
INSERT INTO "tape_attempts" VALUES('c',1,'ada',1,7,200,NULL,'',1);
INSERT INTO "tape_attempts" VALUES('c',1,'ben',1,10,503,'server error','busy',0);
INSERT INTO "tape_attempts" VALUES('c',1,'ben',2,20,NULL,'timeout','no answer',NULL);
CREATE TABLE tape_blobs (digest TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
INSERT INTO "tape_blobs" VALUES('6c621d1a05138a7888d37d9269a9da8e2e11e4aced2f6cfd24b05ab1b9e61bb0',X'72756C6573');
INSERT INTO "tape_blobs" VALUES('0694aacb66d62e742a92e8d5f1e82bd9d2a8ca1be88744201fbe63d0f5007502',X'6661637473');
INSERT INTO "tape_blobs" VALUES('f35bf65e282835031a8ec9db7b257a34a646d39b1e7c80606519757de0de7a71',X'7B22666F72656361737473223A7B224D32223A302E377D2C22616374696F6E223A22424554222C2262657473223A5B7B226D61726B65745F6964223A224D32222C2273696465223A22594553222C22616D6F756E74223A3530307D5D2C22726561736F6E696E67223A2272227D');
INSERT INTO "tape_blobs" VALUES('d7439bee24773bcbfa2d0a97947ee36227b10d1022b1a55847e928965bb6bfde',X'726177');
INSERT INTO "tape_blobs" VALUES('c9bc072f4fa8189466c2a8f2c36a56a4ef1e60a2ffa4986ba2f155cd176c128b',X'62757379');
INSERT INTO "tape_blobs" VALUES('1d4602b88a3fd9d56d5e89fa6798481b505ab52577407e023e10460067bc8ba6',X'7B22666F72656361737473223A7B7D2C22616374696F6E223A2253454C4C222C2262657473223A5B7B226D61726B65745F6964223A224D32222C2273696465223A22594553222C22616D6F756E74223A3130307D5D2C22726561736F6E696E67223A22227D');
CREATE TABLE tape_markets (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, facts TEXT NOT NULL,
    PRIMARY KEY (market, seen_at)
) STRICT;
INSERT INTO "tape_markets" VALUES('rain','2026-01-05T00:00:00+00:00','{"category":"","closes_at":null,"event":"rain","exclusive":false,"fee":{"kind":"none","rate":"0"},"id":"rain","opens_at":null,"question":"Will there be rain?","rules":"","url":"","venue":"here"}');
INSERT INTO "tape_markets" VALUES('snow','2026-01-05T00:00:00+00:00','{"category":"","closes_at":null,"event":"snow","exclusive":false,"fee":{"kind":"none","rate":"0"},"id":"snow","opens_at":null,"question":"Will there be snow?","rules":"","url":"","venue":"here"}');
INSERT INTO "tape_markets" VALUES('hail','2026-01-05T00:00:00+00:00','{"category":"","closes_at":null,"event":"hail","exclusive":false,"fee":{"kind":"none","rate":"0"},"id":"hail","opens_at":null,"question":"Will there be hail?","rules":"","url":"","venue":"here"}');
CREATE TABLE tape_polls (
    venue TEXT NOT NULL, at TEXT NOT NULL, error TEXT,
    PRIMARY KEY (venue, at)
) STRICT;
INSERT INTO "tape_polls" VALUES('here','2026-01-05T00:00:00+00:00',NULL);
INSERT INTO "tape_polls" VALUES('here','2026-01-06T00:00:00+00:00',NULL);
CREATE TABLE tape_quotes (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, quoted_at TEXT NOT NULL,
    bid_micro INTEGER, ask_micro INTEGER, volume_micro INTEGER, book TEXT,
    PRIMARY KEY (market, seen_at)
) STRICT, WITHOUT ROWID;
INSERT INTO "tape_quotes" VALUES('hail','2026-01-05T00:00:00+00:00','2026-01-05T00:00:00+00:00',500000,500000,NULL,NULL);
INSERT INTO "tape_quotes" VALUES('hail','2026-01-06T00:00:00+00:00','2026-01-06T00:00:00+00:00',500000,500000,NULL,NULL);
INSERT INTO "tape_quotes" VALUES('rain','2026-01-05T00:00:00+00:00','2026-01-05T00:00:00+00:00',500000,500000,NULL,NULL);
INSERT INTO "tape_quotes" VALUES('rain','2026-01-06T00:00:00+00:00','2026-01-06T00:00:00+00:00',500000,500000,NULL,NULL);
INSERT INTO "tape_quotes" VALUES('snow','2026-01-05T00:00:00+00:00','2026-01-05T00:00:00+00:00',500000,500000,NULL,NULL);
INSERT INTO "tape_quotes" VALUES('snow','2026-01-06T00:00:00+00:00','2026-01-06T00:00:00+00:00',500000,500000,NULL,NULL);
CREATE TABLE tape_statuses (
    market TEXT NOT NULL, seen_at TEXT NOT NULL, said_at TEXT NOT NULL, state TEXT NOT NULL,
    void INTEGER, yes_pays_micro INTEGER,
    PRIMARY KEY (market, seen_at)
) STRICT, WITHOUT ROWID;
INSERT INTO "tape_statuses" VALUES('hail','2026-01-06T00:00:00+00:00','2026-01-05T00:00:00+00:00','OPEN',NULL,NULL);
INSERT INTO "tape_statuses" VALUES('rain','2026-01-06T00:00:00+00:00','2026-01-05T00:00:00+00:00','OPEN',NULL,NULL);
INSERT INTO "tape_statuses" VALUES('snow','2026-01-06T00:00:00+00:00','2026-01-05T00:00:00+00:00','OPEN',NULL,NULL);
CREATE TABLE totals (contestant TEXT PRIMARY KEY, cohorts INTEGER NOT NULL, capital_micro INTEGER NOT NULL DEFAULT 0, cash_micro INTEGER NOT NULL DEFAULT 0, owed_micro INTEGER NOT NULL DEFAULT 0, open_cost_micro INTEGER NOT NULL DEFAULT 0, realised_micro INTEGER NOT NULL DEFAULT 0, fees_micro INTEGER NOT NULL DEFAULT 0, open_positions INTEGER NOT NULL DEFAULT 0, bid_micro INTEGER NOT NULL DEFAULT 0, bid_unpriced INTEGER NOT NULL DEFAULT 0, bid_unpriced_shares_micro INTEGER NOT NULL DEFAULT 0, mid_micro INTEGER NOT NULL DEFAULT 0, mid_unpriced INTEGER NOT NULL DEFAULT 0, mid_unpriced_shares_micro INTEGER NOT NULL DEFAULT 0, buys INTEGER NOT NULL DEFAULT 0, sells INTEGER NOT NULL DEFAULT 0, refused INTEGER NOT NULL DEFAULT 0, turns_ok INTEGER NOT NULL DEFAULT 0, turns_failed INTEGER NOT NULL DEFAULT 0, fills_resolved INTEGER NOT NULL DEFAULT 0, fills_won INTEGER NOT NULL DEFAULT 0, fills_excluded INTEGER NOT NULL DEFAULT 0, break_even_micro INTEGER NOT NULL DEFAULT 0, linear_pico INTEGER NOT NULL DEFAULT 0, kelly_pico INTEGER NOT NULL DEFAULT 0, stated_resolved INTEGER NOT NULL DEFAULT 0, stated_pico INTEGER NOT NULL DEFAULT 0, forecasts INTEGER NOT NULL DEFAULT 0, forecasts_resolved INTEGER NOT NULL DEFAULT 0, forecasts_excluded INTEGER NOT NULL DEFAULT 0, forecast_pico INTEGER NOT NULL DEFAULT 0, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0, cost_micro INTEGER NOT NULL DEFAULT 0, cost_unknown INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "totals" VALUES('ada',1,10000000000,9500000000,0,500000000,0,0,1,500000000,0,0,500000000,0,0,1,0,0,1,0,0,0,0,0,0,0,0,0,1,0,0,0,1000,50,12300,0);
INSERT INTO "totals" VALUES('ben',1,10000000000,10000000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1);
CREATE TABLE touched (
    kind TEXT NOT NULL, id TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO "touched" VALUES('cohort','c',9);
INSERT INTO "touched" VALUES('market','hail',10);
INSERT INTO "touched" VALUES('market','rain',10);
INSERT INTO "touched" VALUES('market','snow',10);
CREATE TABLE turns (
    cohort TEXT NOT NULL, round INTEGER NOT NULL, contestant TEXT NOT NULL, at TEXT NOT NULL,
    action TEXT, accepted INTEGER NOT NULL, refused INTEGER NOT NULL, failure TEXT,
    PRIMARY KEY (cohort, round, contestant)
) STRICT;
INSERT INTO "turns" VALUES('c',1,'ada','2026-01-05T00:00:00+00:00','BET',1,0,NULL);
INSERT INTO "turns" VALUES('c',1,'ben','2026-01-05T00:00:00+00:00',NULL,0,0,'server error: busy');
CREATE TABLE watched (
    market TEXT PRIMARY KEY, venue TEXT NOT NULL, resolved_at TEXT
) STRICT;
INSERT INTO "watched" VALUES('hail','here',NULL);
INSERT INTO "watched" VALUES('rain','here',NULL);
INSERT INTO "watched" VALUES('snow','here',NULL);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX journal_openings ON journal_entries (seq) WHERE kind = 'opened';
CREATE INDEX journal_forecasts_by_market ON journal_forecasts (market);
CREATE INDEX cohorts_running ON cohorts (cohort) WHERE complete_at IS NULL;
CREATE INDEX cohorts_by_name ON cohorts (name, started_at);
CREATE INDEX rounds_open ON rounds (cohort, round) WHERE NOT closed;
CREATE INDEX fills_by_market ON fills (market);
CREATE INDEX fills_by_seat ON fills (contestant, entry);
CREATE INDEX sales_by_market ON sales (market);
CREATE UNIQUE INDEX positions_open ON positions (market, cohort, contestant, side)
    WHERE state = 'OPEN';
CREATE INDEX positions_by_market ON positions (market);
CREATE INDEX positions_open_by_seat ON positions (cohort, contestant) WHERE state = 'OPEN';
CREATE INDEX watched_by_end ON watched (resolved_at);
CREATE INDEX touched_since ON touched (entry);
CREATE INDEX seats_by_contestant ON seats (contestant, cohort);
CREATE TRIGGER seats_start AFTER INSERT ON seats BEGIN
    INSERT INTO totals (contestant, cohorts) VALUES (new.contestant, 1)
    ON CONFLICT (contestant) DO UPDATE SET cohorts = cohorts + 1;
END;
CREATE TRIGGER seats_add_up AFTER UPDATE ON seats BEGIN
    UPDATE totals SET capital_micro = capital_micro + new.capital_micro - old.capital_micro, cash_micro = cash_micro + new.cash_micro - old.cash_micro, owed_micro = owed_micro + new.owed_micro - old.owed_micro, open_cost_micro = open_cost_micro + new.open_cost_micro - old.open_cost_micro, realised_micro = realised_micro + new.realised_micro - old.realised_micro, fees_micro = fees_micro + new.fees_micro - old.fees_micro, open_positions = open_positions + new.open_positions - old.open_positions, bid_micro = bid_micro + new.bid_micro - old.bid_micro, bid_unpriced = bid_unpriced + new.bid_unpriced - old.bid_unpriced, bid_unpriced_shares_micro = bid_unpriced_shares_micro + new.bid_unpriced_shares_micro - old.bid_unpriced_shares_micro, mid_micro = mid_micro + new.mid_micro - old.mid_micro, mid_unpriced = mid_unpriced + new.mid_unpriced - old.mid_unpriced, mid_unpriced_shares_micro = mid_unpriced_shares_micro + new.mid_unpriced_shares_micro - old.mid_unpriced_shares_micro, buys = buys + new.buys - old.buys, sells = sells + new.sells - old.sells, refused = refused + new.refused - old.refused, turns_ok = turns_ok + new.turns_ok - old.turns_ok, turns_failed = turns_failed + new.turns_failed - old.turns_failed, fills_resolved = fills_resolved + new.fills_resolved - old.fills_resolved, fills_won = fills_won + new.fills_won - old.fills_won, fills_excluded = fills_excluded + new.fills_excluded - old.fills_excluded, break_even_micro = break_even_micro + new.break_even_micro - old.break_even_micro, linear_pico = linear_pico + new.linear_pico - old.linear_pico, kelly_pico = kelly_pico + new.kelly_pico - old.kelly_pico, stated_resolved = stated_resolved + new.stated_resolved - old.stated_resolved, stated_pico = stated_pico + new.stated_pico - old.stated_pico, forecasts = forecasts + new.forecasts - old.forecasts, forecasts_resolved = forecasts_resolved + new.forecasts_resolved - old.forecasts_resolved, forecasts_excluded = forecasts_excluded + new.forecasts_excluded - old.forecasts_excluded, forecast_pico = forecast_pico + new.forecast_pico - old.forecast_pico, tokens_in = tokens_in + new.tokens_in - old.tokens_in, tokens_out = tokens_out + new.tokens_out - old.tokens_out, cost_micro = cost_micro + new.cost_micro - old.cost_micro, cost_unknown = cost_unknown + new.cost_unknown - old.cost_unknown WHERE contestant = new.contestant;
END;
CREATE INDEX tape_polls_by_moment ON tape_polls (at);
CREATE INDEX rounds_by_moment ON rounds (at);
CREATE INDEX sales_by_seat ON sales (contestant, entry);
CREATE INDEX turns_failed ON turns (contestant, at) WHERE failure IS NOT NULL;
COMMIT;
