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
    from arena import bundle as bundle
    from arena import config as config
    from arena import http as http
    from arena import inbox as inbox
    from arena import plugins as plugins
    from arena import ports as ports
    from arena import render as render
    from arena import schedule as schedule
    from arena import secrets as secrets
    from arena import sheets as sheets
    from arena import store as store
    from arena import wiring as wiring
    from arena.agents import composed as composed
    from arena.agents import prompt as prompt
    from arena.agents import prompt_files as prompt_files
    from arena.agents import prompted as prompted
    from arena.agents import simulated as simulated
    from arena.cli import aloud as aloud
    from arena.cli import board as board
    from arena.cli import config_options as config_options
    from arena.cli import database as database
    from arena.cli import demo as demo
    from arena.cli import documents as documents
    from arena.cli import examine as examine
    from arena.cli import failure as failure
    from arena.cli import forecast_ask as forecast_ask
    from arena.cli import forecast_say as forecast_say
    from arena.cli import forecast_words as forecast_words
    from arena.cli import leaderboard as leaderboard
    from arena.cli import llm_probe as llm_probe
    from arena.cli import plan as plan
    from arena.cli import plan_say as plan_say
    from arena.cli import prompt_cost as prompt_cost
    from arena.cli import prompt_round as prompt_round
    from arena.cli import reach as reach
    from arena.cli import reply as reply
    from arena.cli import shapes as shapes
    from arena.cli import tick as tick
    from arena.cli import tournament_file as tournament_file
    from arena.cli import tournament_say as tournament_say
    from arena.cli import turns as turns
    from arena.cli import venue_check as venue_check
    from arena.cli import venue_read as venue_read
    from arena.cli import venue_say as venue_say
    from arena.config import problem as problem
    from arena.config import values as values
    from arena.llms import profile as profile
    from arena.metrics import adjusted_gain as adjusted_gain
    from arena.metrics import board_claims as board_claims
    from arena.metrics import calibration as calibration
    from arena.metrics import claim_words as claim_words
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
    from arena.site import budget as budget
    from arena.site import build as build
    from arena.site import compared as compared
    from arena.site import datafiles as datafiles
    from arena.site import heads as heads
    from arena.site import overview as overview
    from arena.site import reading as reading
    from arena.site import work as work
    from arena.site.overview import days as days
    from arena.site.overview import newest as newest
    from arena.site.pages import evidence as evidence
    from arena.site.pages import headline as headline
    from arena.stats import power as power
    from arena.stats import study as study
    from arena.steps import instruments as instruments
    from arena.steps import look as look
    from arena.steps import play as play
    from arena.steps import replay as replay
    from arena.steps import seal as seal
    from arena.steps import status as status
    from arena.steps import submit as submit
    from arena.steps import taped as taped
    from arena.steps import universe as universe
    from arena.steps import verify as verify
    from arena.store import audit as audit
    from arena.store import costs as costs
    from arena.store import daily_prices as daily_prices
    from arena.store import datasets as datasets
    from arena.store import lines as lines
    from arena.store import prune as prune
    from arena.store import public as public
    from arena.store import rebuild as rebuild
    from arena.store import showcase as showcase
    from arena.store import sizes as sizes
    from arena.venues import forecastbench as forecastbench
    from arena.venues import recorded as recorded

_MODULES: Final = {
    "aloud": "arena.cli.aloud",
    "audit": "arena.store.audit",
    "board": "arena.cli.board",
    "budget": "arena.site.budget",
    "build": "arena.site.build",
    "bundle": "arena.bundle",
    "calibration": "arena.metrics.calibration",
    "checking": "arena.site.check",
    "cli_audit": "arena.cli.audit",
    "compared": "arena.site.compared",
    "composed": "arena.agents.composed",
    "config": "arena.config",
    "config_options": "arena.cli.config_options",
    "board_claims": "arena.metrics.board_claims",
    "claim_words": "arena.metrics.claim_words",
    "costs": "arena.store.costs",
    "daily_prices": "arena.store.daily_prices",
    "database": "arena.cli.database",
    "datafiles": "arena.site.datafiles",
    "datasets": "arena.store.datasets",
    "days": "arena.site.overview.days",
    "demo": "arena.cli.demo",
    "documents": "arena.cli.documents",
    "duel": "arena.metrics.duel",
    "evidence": "arena.site.pages.evidence",
    "examine": "arena.cli.examine",
    "explain": "arena.metrics.explain",
    "explain_bets": "arena.metrics.explain_bets",
    "failure": "arena.cli.failure",
    "forecast_ask": "arena.cli.forecast_ask",
    "forecast_say": "arena.cli.forecast_say",
    "forecast_words": "arena.cli.forecast_words",
    "forecastbench": "arena.venues.forecastbench",
    "groups": "arena.metrics.groups",
    "heads": "arena.site.heads",
    "headline": "arena.site.pages.headline",
    "http": "arena.http",
    "inbox": "arena.inbox",
    "instruments": "arena.steps.instruments",
    "leaderboard": "arena.cli.leaderboard",
    "adjusted_gain": "arena.metrics.adjusted_gain",
    "league": "arena.metrics.league",
    "lines": "arena.store.lines",
    "llm_probe": "arena.cli.llm_probe",
    "look": "arena.steps.look",
    "market_pages": "arena.site.pages.markets",
    "measures": "arena.metrics.measures",
    "newest": "arena.site.overview.newest",
    "overview": "arena.site.overview",
    "own_metrics": "arena.cli.explain",
    "parquet": "arena.sheets.parquet",
    "plan": "arena.cli.plan",
    "plan_say": "arena.cli.plan_say",
    "play": "arena.steps.play",
    "plugins": "arena.plugins",
    "ports": "arena.ports",
    "power": "arena.stats.power",
    "problem": "arena.config.problem",
    "profile": "arena.llms.profile",
    "prompt": "arena.agents.prompt",
    "prompt_cost": "arena.cli.prompt_cost",
    "prompt_files": "arena.agents.prompt_files",
    "prompt_round": "arena.cli.prompt_round",
    "prompted": "arena.agents.prompted",
    "prune": "arena.store.prune",
    "public": "arena.store.public",
    "reach": "arena.cli.reach",
    "reading": "arena.site.reading",
    "rebuild": "arena.store.rebuild",
    "recorded": "arena.venues.recorded",
    "registry": "arena.metrics.registry",
    "render": "arena.render",
    "replay": "arena.steps.replay",
    "reply": "arena.cli.reply",
    "schedule": "arena.schedule",
    "scorecard": "arena.metrics.scorecard",
    "seal": "arena.steps.seal",
    "secrets": "arena.secrets",
    "shadow": "arena.metrics.shadow",
    "shapes": "arena.cli.shapes",
    "sheets": "arena.sheets",
    "showcase": "arena.store.showcase",
    "simulated": "arena.agents.simulated",
    "sizes": "arena.store.sizes",
    "sqlite": "arena.store.sqlite",
    "status": "arena.steps.status",
    "steps_budget": "arena.steps.budget",
    "store": "arena.store",
    "store_evidence": "arena.store.evidence",
    "store_explain": "arena.store.explain",
    "store_taped": "arena.store.taped",
    "study": "arena.stats.study",
    "submit": "arena.steps.submit",
    "tape_export": "arena.store.export",
    "taped": "arena.steps.taped",
    "tick": "arena.cli.tick",
    "tournament_board": "arena.scoring.tournament.board",
    "tournament_file": "arena.cli.tournament_file",
    "tournament_records": "arena.scoring.tournament.records",
    "tournament_say": "arena.cli.tournament_say",
    "turns": "arena.cli.turns",
    "universe": "arena.steps.universe",
    "values": "arena.config.values",
    "venue_check": "arena.cli.venue_check",
    "venue_read": "arena.cli.venue_read",
    "venue_say": "arena.cli.venue_say",
    "venues_reading": "arena.venues.reading",
    "verify": "arena.steps.verify",
    "wiring": "arena.wiring",
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
