"""What each command prints with --json: only `arena schema` and tests import all of this."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NotRequired, Required, TypedDict

from arena.cli.documents import (
    BackupSaid,
    HealthSaid,
    PowerSaid,
    RestoreSaid,
    ReviewSaid,
    SourcesSaid,
    StudySaid,
    TournamentSaid,
    Weighed,
)
from arena.cli.models.llm_questions import LlmDriftSaid, LlmRecallSaid
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
from arena.records.answer import Usage
from arena.records.claim import ClaimBasis
from arena.records.estimate import Estimate
from arena.records.grade import Board
from arena.records.market import LeftOut
from arena.records.operations import Growth
from arena.records.report import Audit, Rebuilt, Status, TickReport
from arena.records.seal import Evidence, Seal, Sealing
from arena.records.settings import JobFailure
from arena.scoring.published import BenchRow
from arena.scoring.table import Place
from arena.site.datafiles import DataFile
from arena.site.site_checks import BudgetLine, Difference, SiteFinding
from arena.steps.verify import Check
from arena.store.exports.tape_export import Written
from arena.store.pages.cards import FailedTurn
from arena.store.pages.costs import CostLine, DocumentCosts, Spent
from arena.store.pages.turns import ConductTotals
from arena.store.scores.explain import Accounted
from arena.store.tape.payloads import StoredPayload
from arena.store.tape.prune import Pruned
from arena.store.tape.prune import Sizes as TapeSizes
from arena.store.tape.volumes import Volume
from arena.sweeps.jobs import FinishedJob
from arena.sweeps.report import SweepReport


class TickSaid(TypedDict):
    """What was done; no report where another process did it (`busy`), or it is a `plan`."""

    report: TickReport | None
    busy: NotRequired[str]
    plan: NotRequired[Plan]


class StatusSaid(TypedDict):
    """How things stand, and how large the files grow."""

    status: Status
    growth: Growth


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


class MarketsSaid(TypedDict):
    """What a round would offer; `each_...` with --all."""

    cohort: str
    venue: str
    at: datetime
    offered: Sequence[Offer]
    left_out: Sequence[Reason]
    unfit: Sequence[Reason]
    each_left_out: NotRequired[Sequence[MarketLeft]]
    each_unfit: NotRequired[Sequence[LeftOut]]


class RepliesSaid(TypedDict):
    """How contestants answer, and with --failures each turn that failed."""

    replies: Sequence[ConductTotals]
    failures: NotRequired[Sequence[FailedTurn]]


class Purse(TypedDict):
    """A budget."""

    budget: str
    cap: Decimal
    spent: Spent
    left: Decimal


class CostsSaid(TypedDict):
    """What calls took."""

    by: str
    lines: Sequence[CostLine]
    total: CostLine
    documents: DocumentCosts
    budgets: Sequence[Purse]


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


class VenueCheckSaid(TypedDict):
    """The venues that were asked."""

    venues: Sequence[VenueChecked]


class VenueParseSaid(TypedDict):
    """What was read; the rows are the venue's own records."""

    venue: str
    kind: str
    rows: Sequence[Any]
    left_out: Sequence[LeftOut]


class VenueHistorySaid(TypedDict):
    """Past prices."""

    venue: str
    market: str
    points: Sequence[Mapping[str, Any]]


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


class LlmCheckSaid(TypedDict):
    """The models that were asked."""

    models: Sequence[ModelChecked]


class PromptShowSaid(TypedDict):
    """What a contestant would be sent; `shared` letters of `user` are the same for all."""

    prompt: str
    digest: str
    contestant: str
    model: str
    call: str
    notes: Sequence[str]
    system: str
    user: str
    shared: int
    schema: str
    tokens: Sizes
    answer_tokens: int
    costs: Sequence[Cost]


class PromptEntry(TypedDict):
    """A prompt; its digest is null where a template is missing."""

    prompt: str
    digest: str | None
    trouble: str | None
    contestants: Sequence[str]


class PromptListSaid(TypedDict):
    """The prompts that there are."""

    prompts: Sequence[PromptEntry]


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


class ReplyCheckSaid(TypedDict):
    """What a reply would do."""

    status: str
    action: str | None
    bets: Sequence[Order]
    forecasts: Sequence[Said]
    dropped: Sequence[Dropped]
    reasons: Sequence[str]


class AnswerSaid(ReplyCheckSaid):
    """What became of an answer."""

    contestant: str
    cohort: str
    round: int
    deadline: datetime
    handed_in: bool
    would_refuse: Sequence[str]


class ComingSaid(TypedDict):
    """When a contestant is asked next."""

    cohort: str
    at: datetime


class ForecastSaid(TypedDict, total=False):
    """The turns that wait for a contestant (`turns`, `next`), or what became of an answer."""

    contestant: Required[str]
    at: datetime
    turns: Sequence[Mapping[str, Any]]
    next: Sequence[ComingSaid]
    cohort: str
    round: int
    deadline: datetime
    handed_in: bool
    would_refuse: Sequence[str]
    status: str
    action: str | None
    bets: Sequence[Order]
    forecasts: Sequence[Said]
    dropped: Sequence[Dropped]
    reasons: Sequence[str]


class AuditSaid(TypedDict):
    """Whether every law holds; `notes` say what was not compared."""

    ok: bool
    journal: str
    audit: Audit
    notes: Sequence[str]


class RebuildSaid(TypedDict):
    """What was made anew."""

    rebuilt: Rebuilt


class TapeSizeSaid(TypedDict):
    """How much the tape holds."""

    tape: TapeSizes


class TapeExportSaid(TypedDict):
    """The files that were written."""

    files: Sequence[Written]


class TapeArchiveSaid(TypedDict):
    """What was moved, or would be; `given_back` are bytes, null without --vacuum."""

    dry_run: bool
    before: datetime
    volumes: tuple[Volume, ...]
    given_back: int | None


class TapePruneSaid(TypedDict):
    """What was deleted, or would be; `given_back` are bytes, null without --vacuum."""

    dry_run: bool
    before: datetime
    pruned: Pruned
    given_back: int | None


class TapeListSaid(TypedDict):
    """A venue's last answers."""

    payloads: Sequence[StoredPayload]


class ExportSaid(TypedDict):
    """The files that were written into a folder."""

    folder: str
    files: Sequence[DataFile]


class InitSaid(TypedDict):
    """The files of a new arena, and the commands that come next."""

    folder: str
    written: Sequence[str]
    kept: Sequence[str]
    next: Sequence[str]


class ConfigCheckSaid(TypedDict):
    """Everything that is wrong with the configuration, and what could not be looked into."""

    ok: bool
    problems: Sequence[Problem]
    refused: Sequence[str]
    unchecked: Sequence[str]


class Setting(TypedDict):
    """A key, its value, and where that is from: a file and line, flag, variable, default."""

    key: str
    value: Any
    origin: str


class ConfigShowSaid(TypedDict):
    """Every setting in force; a key of a service is named, never shown."""

    settings: Sequence[Setting]


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


class SealSaid(TypedDict, total=False):
    """A seal that was made, or with --check how seals stand (`ok`, `seals`)."""

    made: bool
    begun: Sequence[str]
    document: str
    digest: str
    seal: Seal
    journal: JournalPlace
    ok: bool
    seals: Sequence[SealStanding]


class VerifySaid(TypedDict):
    """Whether a turn is what its words come to, check by check."""

    ok: bool
    checks: Sequence[Check]


class DoctorSaid(TypedDict):
    """What was looked into; `ok` is false where a finding is `fail`."""

    ok: bool
    findings: Sequence[Finding]


class SiteBuildSaid(TypedDict, total=False):
    """What was built; `site` is null where another process does it, which `busy` says."""

    site: Required[str | None]
    busy: str
    changed: Sequence[str]
    removed: Sequence[str]
    pages: int
    files: int
    notes: Sequence[str]
    budget: Sequence[BudgetLine]


class SiteCheckSaid(TypedDict):
    """What was found in the files of a site."""

    ok: bool
    pages: int
    files: int
    findings: Sequence[SiteFinding]
    budget: Sequence[BudgetLine]


class SiteBudgetSaid(TypedDict):
    """What a site weighs, against what it may."""

    folder: str
    budget: Sequence[BudgetLine]


class SiteDiffSaid(TypedDict):
    """What makes one site another than a second."""

    difference: Difference


class DemoSaid(TypedDict):
    """The demo as it ended; `pages` counts the files that were written.

    `demonstration` says that its models are invented.
    """

    leaderboard: Board
    journal: str
    pages: int
    site: str
    demonstration: str


class ReplaySaid(TypedDict):
    """The replay as it ended; `same` and `differs` are of an arena's own file.

    `recording` says what was read, what is still open, and what an event is; `may_remember`
    who may know how markets ended.
    """

    leaderboard: Board
    overview: "OverviewSaid | None"
    journal: str
    site: str | None
    recording: list[str]
    may_remember: list[str]
    same: NotRequired[bool]
    differs: NotRequired[str | None]


class SweepRunSaid(TypedDict):
    """How a sweep ended: of the `planned` replays, those that have a result, and why not.

    `played` counts what was played this time; `may_remember` says who may know how the
    recording ended.
    """

    folder: str
    planned: int
    played: int
    finished: Sequence[FinishedJob]
    failures: Sequence[JobFailure]
    may_remember: Sequence[str]


class SweepReportSaid(TypedDict):
    """The arms of a sweep, and the page that was written of them."""

    report: SweepReport
    page: str


class SpanSaid(TypedDict):
    """A rank, and the ranks that tests leave possible."""

    rank: int | None
    low: int
    high: int


class PlaceSaid(TypedDict):
    """A contestant's place by the headline, and the ranks that tests leave possible."""

    contestant: str
    rank: int | None
    low: int
    high: int
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
    market: SpanSaid | None
    places: Sequence[PlaceSaid]


class LeaderboardSaid(TypedDict):
    """The books, and the places; those are null for one cohort and with --fast.

    `demonstration` says that the models are invented; empty where they are real.
    """

    leaderboard: Board
    evidence: Evidence
    overview: OverviewSaid | None
    demonstration: str


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


class ScoreSaid(Weighed):
    """Scores of forecasts."""

    read_as: Sequence[str]
    forecasts: int
    left_out: Mapping[str, LeftRows]
    level: float
    rank_by: str
    metrics: Mapping[str, Metric]
    contestants: Sequence[ScoreLine]
    pairs: Contest | None
    market: AgainstMarket | None
    breakdown: Breakdown | None
    groups: GroupBoard | None
    forecastbench: Sequence[BenchRow] | None


class CompareSaid(Weighed):
    """Two contestants (`comparison`), or every pair (`contest`, `league`)."""

    comparison: NotRequired[Duel]
    contest: NotRequired[Contest | None]
    league: NotRequired[League]


class CalibrationSaid(Weighed):
    """Reliability, a contestant each."""

    left_out: Mapping[str, int]
    draws: int
    contestants: Sequence[Reliability]


class ShadowSaid(Weighed):
    """Books under rules: everybody's, with `sums`, or one contestant's, with `closing`."""

    cohort: str | None
    market: Market
    terms: Terms
    books: Sequence[Judged]
    sums: NotRequired[Mapping[str, Mapping[str, Sum]]]
    contestant: NotRequired[str]
    forecasts: NotRequired[int]
    repeated: NotRequired[int]
    closing: NotRequired[Mapping[str, Closing]]


class ExplainSaid(Weighed):
    """A number taken apart."""

    journal: str | None
    explained: Explained | Accounted


class InsightsSaid(Weighed):
    """Contestants beside the price, and the `together` competitors beside each other."""

    left_out: Mapping[str, int]
    level: float
    contestants: Sequence[ContestantInsights]
    together: int
    values: Mapping[str, Estimate]
    pairs: Sequence[PairInsight]
    arms: Arms
    crowd: Mapping[str, Estimate]
    drift: Sequence[ProbeDrift]


DOCUMENTS: Final[Mapping[str, type]] = {
    "demo": DemoSaid,
    "replay": ReplaySaid,
    "sweep run": SweepRunSaid,
    "sweep report": SweepReportSaid,
    "tick": TickSaid,
    "status": StatusSaid,
    "markets": MarketsSaid,
    "leaderboard": LeaderboardSaid,
    "score": ScoreSaid,
    "compare": CompareSaid,
    "calibration": CalibrationSaid,
    "shadow": ShadowSaid,
    "explain": ExplainSaid,
    "insights": InsightsSaid,
    "review": ReviewSaid,
    "power": PowerSaid,
    "study": StudySaid,
    "tournament": TournamentSaid,
    "sources": SourcesSaid,
    "health": HealthSaid,
    "backup": BackupSaid,
    "restore": RestoreSaid,
    "replies": RepliesSaid,
    "costs": CostsSaid,
    "venue parse": VenueParseSaid,
    "venue check": VenueCheckSaid,
    "venue history": VenueHistorySaid,
    "llm check": LlmCheckSaid,
    "llm drift": LlmDriftSaid,
    "llm recall": LlmRecallSaid,
    "prompt show": PromptShowSaid,
    "prompt list": PromptListSaid,
    "reply check": ReplyCheckSaid,
    "submit": AnswerSaid,
    "audit": AuditSaid,
    "rebuild": RebuildSaid,
    "tape size": TapeSizeSaid,
    "tape export": TapeExportSaid,
    "tape archive": TapeArchiveSaid,
    "tape prune": TapePruneSaid,
    "tape list": TapeListSaid,
    "config check": ConfigCheckSaid,
    "config show": ConfigShowSaid,
    "seal": SealSaid,
    "export": ExportSaid,
    "init": InitSaid,
    "verify bundle": AuditSaid,
    "verify decision": VerifySaid,
    "verify db": AuditSaid,
    "verify site": SiteCheckSaid,
    "site budget": SiteBudgetSaid,
    "site build": SiteBuildSaid,
    "site check": SiteCheckSaid,
    "site diff": SiteDiffSaid,
    "doctor": DoctorSaid,
    "forecast": ForecastSaid,
}
