"""What each command prints with --json: only `arena schema` and tests import all of this."""

from collections.abc import Mapping
from typing import Final

from arena.cli.documents import asked, kept, scored

DOCUMENTS: Final[Mapping[str, type]] = {
    "demo": scored.DemoSaid,
    "replay": scored.ReplaySaid,
    "tick": asked.TickSaid,
    "status": asked.StatusSaid,
    "markets": asked.MarketsSaid,
    "leaderboard": scored.LeaderboardSaid,
    "score": scored.ScoreSaid,
    "compare": scored.CompareSaid,
    "calibration": scored.CalibrationSaid,
    "shadow": scored.ShadowSaid,
    "explain": scored.ExplainSaid,
    "power": scored.PowerSaid,
    "tournament": scored.TournamentSaid,
    "replies": asked.RepliesSaid,
    "costs": asked.CostsSaid,
    "venue parse": asked.VenueParseSaid,
    "venue check": asked.VenueCheckSaid,
    "venue history": asked.VenueHistorySaid,
    "llm check": asked.LlmCheckSaid,
    "prompt show": asked.PromptShowSaid,
    "prompt list": asked.PromptListSaid,
    "reply check": asked.ReplyCheckSaid,
    "submit": asked.AnswerSaid,
    "audit": kept.AuditSaid,
    "rebuild": kept.RebuildSaid,
    "tape size": kept.TapeSizeSaid,
    "tape export": kept.TapeExportSaid,
    "tape prune": kept.TapePruneSaid,
    "tape list": kept.TapeListSaid,
    "config check": kept.ConfigCheckSaid,
    "config show": kept.ConfigShowSaid,
    "seal": kept.SealSaid,
    "export": kept.ExportSaid,
    "init": kept.InitSaid,
    "verify decision": kept.VerifySaid,
    "verify db": kept.AuditSaid,
    "doctor": kept.DoctorSaid,
    "forecast": asked.ForecastSaid,
}
