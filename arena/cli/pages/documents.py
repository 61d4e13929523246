"""What each command prints with --json: only `arena schema` and tests import all of this."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NotRequired, TypedDict

from arena.cli.models.llm_questions import ModelAnswers, Recalled
from arena.cli.models.prompt_round import Cost, Sizes
from arena.cli.models.venue_check import Drift
from arena.cli.play.plan import Plan
from arena.cli.scores.shadow import Market
from arena.cli.start.checks import Finding
from arena.config import Problem
from arena.llms.tariff import Tariff
from arena.metrics.calibration import Reliability
from arena.metrics.claims.questions import Contest, MarketTest
from arena.metrics.closing import Closing
from arena.metrics.explain import Explained
from arena.metrics.groups import GroupBoard
from arena.metrics.insights.arms import Arms
from arena.metrics.insights.drift import ProbeDrift
from arena.metrics.insights.report import ContestantInsights, PairInsight
from arena.metrics.metric import Metric
from arena.metrics.pair_test import Duel
from arena.metrics.rank_sets import League
from arena.metrics.shadow import Judged, Sum, Terms
from arena.metrics.sources.examples import SourceExample
from arena.metrics.study.report import StudyReport
from arena.records.answer import Usage
from arena.records.claim import ClaimBasis
from arena.records.estimate import Estimate
from arena.records.grade import Board
from arena.records.market import LeftOut
from arena.records.operations import Backup, Drill, Growth, Health, Rewound
from arena.records.report import Audit, Failure, Rebuilt, Status, TickReport
from arena.records.seal import Evidence, Seal, Sealing
from arena.records.settings import JobFailure
from arena.scoring.published import BenchRow
from arena.scoring.table import Place
from arena.site.datafiles import DataFile
from arena.site.overview.records import RankPlace
from arena.site.site_checks import BudgetLine, Difference, SiteFinding
from arena.stats.comparisons.power import Study
from arena.steps.study_seal import StudySealing
from arena.steps.submit import Coming
from arena.steps.verify import Check
from arena.store.exports.tape_export import Written
from arena.store.pages.cards import FailedTurn
from arena.store.pages.costs import CostLine, DocumentCosts, Spent
from arena.store.pages.turns import ConductTotals
from arena.store.scores.explain import Accounted
from arena.store.scores.reviewed import Review
from arena.store.tape.payloads import StoredPayload
from arena.store.tape.prune import Pruned
from arena.store.tape.prune import Sizes as TapeSizes
from arena.store.tape.volumes import Volume
from arena.sweeps.jobs import FinishedJob
from arena.sweeps.report import SweepReport


class TournamentHead(TypedDict):
    """A tournament's own terms."""

    title: str
    rules: str
    coverage: str | None
    pool: float | None
    minimum_prize: float
    community: str | None


class Reason(TypedDict):
    """A reason, and how many markets it keeps out."""

    why: str
    count: int


class Offer(TypedDict):
    """A market that would be offered, the first of the round first."""

    rank: int
    market: str
    question: str
    event: str
    category: str
    url: str
    bid: Decimal | None
    ask: Decimal | None
    mid: Decimal | None
    spread: Decimal | None
    unit: str
    volume: Decimal | None
    volume_24h: Decimal | None
    liquidity: Decimal | None
    opens_at: datetime | None
    closes_at: datetime | None
    price_at: datetime


class MarketLeft(TypedDict):
    """A market that is left out."""

    market: str
    question: str
    why: str


class Purse(TypedDict):
    """A budget."""

    budget: str
    cap: Decimal
    spent: Spent
    left: Decimal


class Row(TypedDict):
    """Rows that were left out for one reason."""

    why: str
    malformed: bool
    rows: int


class VenueCall(TypedDict):
    """One kind of question, and what came of it."""

    name: str
    gave: str
    answers: int
    wrong: bool
    error: str | None


class VenueChecked(TypedDict):
    """A venue that was asked."""

    venue: str
    adapter: str
    readable: bool
    findings: bool
    answers: int
    calls: Sequence[VenueCall]
    left_out: Sequence[Row]
    fields: Sequence[Drift]


class Limits(TypedDict):
    """What a model's server is asked at most."""

    at_once: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_tokens: int
    deadline: timedelta


class ModelChecked(TypedDict):
    """A model that was asked one tiny question; its key is never shown."""

    name: str
    model: str
    adapter: str
    provider: str
    server: str
    key_env: str | None
    key_missing: bool
    reachable: bool
    trouble: str | None
    detail: str
    served: str | None
    other_name: bool
    route: str | None
    tier: str | None
    output: str | None
    follows: bool | None
    adapted: Sequence[str]
    usage: Usage | None
    latency_ms: int | None
    attempts: int
    prices: Tariff | None
    retires_on: str | None
    days_left: int | None
    limits: Limits


class PromptEntry(TypedDict):
    """A prompt; its digest is null where a template is missing."""

    prompt: str
    digest: str | None
    trouble: str | None
    contestants: Sequence[str]


class Order(TypedDict):
    """A bet in dollars, or a sale in percent."""

    market_id: str
    side: str
    amount: float


class Said(TypedDict):
    """A probability of YES."""

    market_id: str
    p_yes: float


class Dropped(TypedDict):
    """An order that was left out of a reply."""

    index: int
    reason: str
    detail: str


class Setting(TypedDict):
    """A key, its value, and where that is from: a file and line, flag, variable, default."""

    key: str
    value: Any
    origin: str


class JournalPlace(TypedDict, total=False):
    """The entry of the journal that a seal is."""

    entry: int
    id: str
    at: str
    digest: str


class SealStanding(TypedDict):
    """How one seal stands."""

    of: str
    seal: Sealing


class PlaceSaid(TypedDict):
    """A contestant's place by the headline, and the ranks left possible; null unranked."""

    contestant: str
    rank: int | None
    low: int | None
    high: int | None
    value: Estimate | None


class OverviewSaid(TypedDict):
    """Who leads, and how sure that is; `headline` is the metric of the ranks.

    `tied` are those whom nobody is shown to be better than, `better` and `worse` those who
    are shown to be so than the market's price, and `market` is where that stands.
    """

    headline: str
    ranked_by: str
    level: float
    as_of: datetime | None
    sentence: str
    ranked: bool
    tied: Sequence[str]
    better: Sequence[str]
    worse: Sequence[str]
    market: RankPlace | None
    places: Sequence[PlaceSaid]


class LeftRows(TypedDict):
    """Rows that were left out for one reason."""

    rows: int
    first_row: int | None
    first: Place | None


class ScoreLine(TypedDict):
    """A contestant's scores; its ranks are null where pairs do not tell them."""

    contestant: str
    part: str | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    n: int
    questions: int
    markets: int
    events: int
    clipped: int
    scores: Mapping[str, Estimate]


class Breakdown(TypedDict):
    """Scores by a label."""

    by: str
    lines: Sequence[ScoreLine]


class AgainstMarket(TypedDict):
    """Who differs from the price."""

    tests: Sequence[MarketTest]
    level: float
    copies: Sequence[str]
    basis: ClaimBasis
    standing: str
    words: str


Keys = Mapping[str, Any]  # of a document, with the type of each

# Numbers of forecasts: where they are from, and what they may be taken for.
WEIGHED: Final[Keys] = {"where": str, "standing": str, "words": str}
# `notes` say what was not compared; `journal` is null where its head cannot be read.
AUDITED: Final[Keys] = {
    "ok": bool,
    "journal": str | None,
    "audit": Audit,
    "notes": Sequence[str],
}
SITE_CHECKED: Final[Keys] = {
    "ok": bool,
    "pages": int,
    "files": int,
    "findings": Sequence[SiteFinding],
    "budget": Sequence[BudgetLine],
}
REPLY_READ: Final[Keys] = {
    "status": str,
    "action": str | None,
    "bets": Sequence[Order],
    "forecasts": Sequence[Said],
    "dropped": Sequence[Dropped],
    "reasons": Sequence[str],
}
ANSWERED: Final[Keys] = {
    **REPLY_READ,
    "contestant": str,
    "cohort": str,
    "round": int,
    "deadline": datetime,
    "handed_in": bool,
    "would_refuse": Sequence[str],
}

DOCUMENTS: Final[Mapping[str, Keys]] = {
    # `pages` counts the files that were written, `demonstration` says that models are invented.
    "demo": {
        "leaderboard": Board,
        "journal": str,
        "pages": int,
        "site": str,
        "demonstration": str,
    },
    # `same` and `differs` are of an arena's own file. `recording` says what was read, what is
    # still open, and what an event is; `may_remember` who may know how markets ended.
    "replay": {
        "leaderboard": Board,
        "overview": OverviewSaid | None,
        "journal": str,
        "site": str | None,
        "recording": list[str],
        "may_remember": list[str],
        "same": NotRequired[bool],
        "differs": NotRequired[str | None],
    },
    # Of the `planned` replays those that have a result, and why others have none; `played`
    # counts what was played now; `may_remember` says who may know how the recording ended.
    "sweep run": {
        "folder": str,
        "planned": int,
        "played": int,
        "finished": Sequence[FinishedJob],
        "failures": Sequence[JobFailure],
        "may_remember": Sequence[str],
    },
    "sweep report": {"report": SweepReport, "page": str},
    # No report where another process did it (`busy`), or it is a `plan`.
    "tick": {
        "report": TickReport | None,
        "busy": NotRequired[str],
        "plan": NotRequired[Plan],
    },
    "status": {"status": Status, "growth": Growth},
    # `each_...` with --all.
    "markets": {
        "cohort": str,
        "venue": str,
        "at": datetime,
        "offered": Sequence[Offer],
        "left_out": Sequence[Reason],
        "unfit": Sequence[Reason],
        "each_left_out": NotRequired[Sequence[MarketLeft]],
        "each_unfit": NotRequired[Sequence[LeftOut]],
    },
    # The overview is null for one cohort and with --fast. `demonstration` says that the models
    # are invented; empty where they are real.
    "leaderboard": {
        "leaderboard": Board,
        "evidence": Evidence,
        "overview": OverviewSaid | None,
        "demonstration": str,
    },
    "score": {
        **WEIGHED,
        "read_as": Sequence[str],
        "forecasts": int,
        "left_out": Mapping[str, LeftRows],
        "level": float,
        "rank_by": str,
        "metrics": Mapping[str, Metric],
        "contestants": Sequence[ScoreLine],
        "pairs": Contest | None,
        "market": AgainstMarket | None,
        "breakdown": Breakdown | None,
        "groups": GroupBoard | None,
        "forecastbench": Sequence[BenchRow] | None,
    },
    # Two contestants (`comparison`), or every pair (`contest`, `league`).
    "compare": {
        **WEIGHED,
        "comparison": NotRequired[Duel],
        "contest": NotRequired[Contest | None],
        "league": NotRequired[League],
    },
    "calibration": {
        **WEIGHED,
        "left_out": Mapping[str, int],
        "draws": int,
        "contestants": Sequence[Reliability],
    },
    # Books under rules: everybody's, with `sums`, or one contestant's, with `closing`.
    "shadow": {
        **WEIGHED,
        "cohort": str | None,
        "market": Market,
        "terms": Terms,
        "books": Sequence[Judged],
        "sums": NotRequired[Mapping[str, Mapping[str, Sum]]],
        "contestant": NotRequired[str],
        "forecasts": NotRequired[int],
        "repeated": NotRequired[int],
        "closing": NotRequired[Mapping[str, Closing]],
    },
    "explain": {
        **WEIGHED,
        "journal": str | None,
        "explained": Explained | Accounted,
    },
    # Contestants beside the price, and the `together` competitors beside each other.
    "insights": {
        **WEIGHED,
        "left_out": Mapping[str, int],
        "level": float,
        "contestants": Sequence[ContestantInsights],
        "together": int,
        "values": Mapping[str, Estimate],
        "pairs": Sequence[PairInsight],
        "arms": Arms,
        "crowd": Mapping[str, Estimate],
        "drift": Sequence[ProbeDrift],
    },
    "review": {"where": str, "review": Review},
    # `chance` is the probability that the variance is of.
    "power": {"power": Study, "chance": float | None},
    # Keys are sorted. What is missing is null. `files` has the SHA-256 of each file by its
    # path, `libraries` the versions that computed.
    "study": {
        **WEIGHED,
        "read_as": Sequence[str],
        "left_out": Mapping[str, int],
        "faults": Mapping[str, int],
        "replaced": int,
        "files": Mapping[str, str],
        "libraries": Mapping[str, str],
        "seal": StudySealing,
        "report": StudyReport,
    },
    # What lines and questions hold follows its rules.
    "tournament": {
        "tournament": TournamentHead,
        "leaderboard": Sequence[Mapping[str, Any]],
        "questions": Sequence[Mapping[str, Any]],
        "left_out": Mapping[str, Any],
        "absent": Sequence[str],
    },
    "sources": {"sources": Mapping[str, str], "examples": Sequence[SourceExample]},
    # `not_told` are the channels that could not be told of it.
    "health": {"health": Health, "not_told": Sequence[Failure]},
    # A backup that was made and those deleted after it, or all and what is not readable.
    "backup": {
        "folder": str,
        "backup": NotRequired[Backup],
        "deleted": NotRequired[Sequence[str]],
        "backups": NotRequired[Sequence[Backup]],
        "unreadable": NotRequired[Sequence[str]],
    },
    # What was restored, and where the file is that was there; or how a drill went.
    "restore": {
        "backup": NotRequired[Backup],
        "database": NotRequired[str],
        "aside": NotRequired[str | None],
        "rewound": NotRequired[Rewound | None],
        "ok": NotRequired[bool],
        "drill": NotRequired[Drill],
    },
    # `failures` with --failures.
    "replies": {
        "replies": Sequence[ConductTotals],
        "failures": NotRequired[Sequence[FailedTurn]],
    },
    "costs": {
        "by": str,
        "lines": Sequence[CostLine],
        "total": CostLine,
        "documents": DocumentCosts,
        "budgets": Sequence[Purse],
    },
    # The rows are the venue's own records.
    "venue parse": {
        "venue": str,
        "kind": str,
        "rows": Sequence[Any],
        "left_out": Sequence[LeftOut],
    },
    "venue check": {"venues": Sequence[VenueChecked]},
    "venue history": {
        "venue": str,
        "market": str,
        "points": Sequence[Mapping[str, Any]],
    },
    "llm check": {"models": Sequence[ModelChecked]},
    "llm drift": {
        "file": str,
        "at": datetime,
        "models": Sequence[ModelAnswers],
    },
    "llm recall": {
        "file": str | None,
        "at": datetime,
        "models": Sequence[Recalled],
    },
    # The first `shared` letters of `user` are the same for all.
    "prompt show": {
        "prompt": str,
        "digest": str,
        "contestant": str,
        "model": str,
        "call": str,
        "notes": Sequence[str],
        "system": str,
        "user": str,
        "shared": int,
        "schema": str,
        "tokens": Sizes,
        "answer_tokens": int,
        "costs": Sequence[Cost],
    },
    "prompt list": {"prompts": Sequence[PromptEntry]},
    "reply check": REPLY_READ,
    "submit": ANSWERED,
    "audit": AUDITED,
    "rebuild": {"rebuilt": Rebuilt},
    "tape size": {"tape": TapeSizes},
    "tape export": {"files": Sequence[Written]},
    # `given_back` are bytes, null without --vacuum.
    "tape archive": {
        "dry_run": bool,
        "before": datetime,
        "volumes": tuple[Volume, ...],
        "given_back": int | None,
    },
    # `given_back` are bytes, null without --vacuum.
    "tape prune": {
        "dry_run": bool,
        "before": datetime,
        "pruned": Pruned,
        "given_back": int | None,
    },
    "tape list": {"payloads": Sequence[StoredPayload]},
    "config check": {
        "ok": bool,
        "problems": Sequence[Problem],
        "refused": Sequence[str],
        "unchecked": Sequence[str],
    },
    # A key of a service is named, never shown.
    "config show": {"settings": Sequence[Setting]},
    # A seal that was made, or with --check how seals stand (`ok`, `seals`).
    "seal": {
        "made": NotRequired[bool],
        "begun": NotRequired[Sequence[str]],
        "document": NotRequired[str],
        "digest": NotRequired[str],
        "seal": NotRequired[Seal],
        "journal": NotRequired[JournalPlace],
        "ok": NotRequired[bool],
        "seals": NotRequired[Sequence[SealStanding]],
    },
    "export": {"folder": str, "files": Sequence[DataFile]},
    "init": {
        "folder": str,
        "written": Sequence[str],
        "kept": Sequence[str],
        "next": Sequence[str],
    },
    "verify bundle": AUDITED,
    "verify decision": {"ok": bool, "checks": Sequence[Check]},
    "verify db": AUDITED,
    "verify site": SITE_CHECKED,
    "site budget": {"folder": str, "budget": Sequence[BudgetLine]},
    # `site` is null where another process does it, which `busy` says.
    "site build": {
        "site": str | None,
        "busy": NotRequired[str],
        "changed": NotRequired[Sequence[str]],
        "removed": NotRequired[Sequence[str]],
        "pages": NotRequired[int],
        "files": NotRequired[int],
        "notes": NotRequired[Sequence[str]],
        "budget": NotRequired[Sequence[BudgetLine]],
    },
    "site check": SITE_CHECKED,
    "site diff": {"difference": Difference},
    # `ok` is false where a finding is `fail`.
    "doctor": {"ok": bool, "findings": Sequence[Finding]},
    # The turns that wait for a contestant (`turns`, `next`), or what became of an answer.
    "forecast": {
        **{key: NotRequired[kind] for key, kind in ANSWERED.items()},
        "contestant": str,
        "at": NotRequired[datetime],
        "turns": NotRequired[Sequence[Mapping[str, Any]]],
        "next": NotRequired[Sequence[Coming]],
    },
}
