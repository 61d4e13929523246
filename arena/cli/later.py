"""What commands need once they run, not for their help: each is imported when it is named.

>>> from arena.cli import later
>>> later.study.__name__
'arena.stats.study'
"""

# ruff: noqa: PLC0414  an import by its own name is one that may be imported from here

import gc
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from arena import config as config
    from arena import sheets as sheets
    from arena.cli import config_options as config_options
    from arena.cli import database as database
    from arena.cli import documents as documents
    from arena.cli import examine as examine
    from arena.cli import plan as plan
    from arena.cli import plan_say as plan_say
    from arena.cli import reach as reach
    from arena.cli import shapes as shapes
    from arena.cli import tournament_file as tournament_file
    from arena.cli import tournament_say as tournament_say
    from arena.metrics import against_market as against_market
    from arena.metrics import calibration as calibration
    from arena.metrics import contest as contest
    from arena.metrics import daily as daily
    from arena.metrics import duel as duel
    from arena.metrics import explain as explain
    from arena.metrics import explain_bets as explain_bets
    from arena.metrics import groups as groups
    from arena.metrics import league as league
    from arena.metrics import measures as measures
    from arena.metrics import registry as registry
    from arena.metrics import scorecard as scorecard
    from arena.metrics import shadow as shadow
    from arena.sheets import parquet as parquet
    from arena.site import overview as overview
    from arena.site import reading as reading
    from arena.site import work as work
    from arena.site.overview import days as days
    from arena.site.overview import newest as newest
    from arena.site.pages import ranking as ranking
    from arena.site.pages import verdict as verdict
    from arena.stats import power as power
    from arena.stats import study as study
    from arena.steps import seal as seal
    from arena.store import lines as lines
    from arena.store import public as public
    from arena.store import showcase as showcase

_MODULES: Final = {
    "against_market": "arena.metrics.against_market",
    "calibration": "arena.metrics.calibration",
    "config": "arena.config",
    "config_options": "arena.cli.config_options",
    "contest": "arena.metrics.contest",
    "daily": "arena.metrics.daily",
    "database": "arena.cli.database",
    "days": "arena.site.overview.days",
    "documents": "arena.cli.documents",
    "duel": "arena.metrics.duel",
    "examine": "arena.cli.examine",
    "explain": "arena.metrics.explain",
    "explain_bets": "arena.metrics.explain_bets",
    "groups": "arena.metrics.groups",
    "league": "arena.metrics.league",
    "lines": "arena.store.lines",
    "market_pages": "arena.site.pages.markets",
    "measures": "arena.metrics.measures",
    "newest": "arena.site.overview.newest",
    "overview": "arena.site.overview",
    "parquet": "arena.sheets.parquet",
    "plan": "arena.cli.plan",
    "plan_say": "arena.cli.plan_say",
    "power": "arena.stats.power",
    "public": "arena.store.public",
    "ranking": "arena.site.pages.ranking",
    "reach": "arena.cli.reach",
    "reading": "arena.site.reading",
    "registry": "arena.metrics.registry",
    "scorecard": "arena.metrics.scorecard",
    "seal": "arena.steps.seal",
    "shadow": "arena.metrics.shadow",
    "shapes": "arena.cli.shapes",
    "sheets": "arena.sheets",
    "showcase": "arena.store.showcase",
    "store_evidence": "arena.store.evidence",
    "store_explain": "arena.store.explain",
    "study": "arena.stats.study",
    "tape_export": "arena.store.export",
    "tournament_board": "arena.scoring.tournament.board",
    "tournament_file": "arena.cli.tournament_file",
    "tournament_records": "arena.scoring.tournament.records",
    "tournament_say": "arena.cli.tournament_say",
    "verdict": "arena.site.pages.verdict",
    "work": "arena.site.work",
}


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(name, name=name)
    found = globals()[name] = brought(_MODULES[name])
    return found


def brought(module: str) -> ModuleType:
    """Import a module; nothing of it is garbage, so nobody looks for garbage in it.

    That look, again and again, would take a tenth of the time of a short command.
    """
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.enable()
        gc.freeze()
