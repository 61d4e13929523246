"""A contestant's class beside config.yaml: how it is found, made and asked."""

import asyncio
import json
from hashlib import sha256
from pathlib import Path, PurePath

import pytest

from arena.agents.local import LocalAgent, from_settings
from arena.agents.reply import MAX_BYTES, read_reply
from arena.errors import ArenaError
from arena.ports import Backstage
from arena.records.answer import Completion, Trouble
from arena.records.cohort import ContestantId
from arena.records.decision import Status
from arena.records.market import Side
from arena.records.money import usd
from arena.records.settings import ContestantSettings
from tests.agents.briefings import briefing, offer
from tests.present import present

ROOT = Path(__file__).parents[2]
ROUND = briefing([offer("M1"), offer("M2")])
HOLD = '{"reasoning": "", "action": "HOLD", "bets": []}'


def built(folder: Path, agent: str, **options: object) -> LocalAgent:
    who = ContestantSettings(ContestantId("ada"), agent, options=tuple(options.items()))
    agent_built = from_settings(who, Backstage({}, {}, PurePath(), folder=folder))
    assert isinstance(agent_built, LocalAgent)
    return agent_built


def answered(folder: Path, body: str, *, head: str = "", seconds: float = 60) -> Completion:
    """What comes of a turn of a class whose `answer` has this body."""
    source = f"{head}\nclass Mine:\n    def answer(self, briefing):\n        {body}\n"
    (folder / "mine.py").write_text(source)
    mine = built(folder, "mine.py:Mine")
    agent = LocalAgent(mine.player, mine.name, seconds)
    return asyncio.run(agent.answer(ROUND)).completion


def refused(folder: Path, agent: str, **options: object) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        built(folder, agent, **options)
    return caught.value


def test_the_example_of_ten_lines_bets_and_takes_its_options() -> None:
    source = (ROOT / "examples" / "stubborn.py").read_bytes()
    agent = built(ROOT, "examples/stubborn.py:Stubborn", p=0.125)
    completion = asyncio.run(agent.answer(ROUND)).completion
    read = read_reply(present(completion.text), ROUND)
    decision = present(read.decision)
    assert (read.status, read.reasons) == (Status.OK, ())  # although it gives no reasons
    assert [(bet.side, bet.stake) for bet in decision.bets] == [(Side.NO, usd(50))]
    assert [f.probability for f in decision.forecasts] == [0.125]
    assert completion.model == f"stubborn.py:Stubborn {sha256(source).hexdigest()[:16]}"


@pytest.mark.parametrize(
    "body",
    [
        f"return {HOLD!r}",
        f"return {json.loads(HOLD)!r}",
        f"return Answer(Completion({HOLD!r}))",
        f"return later({HOLD!r})",
    ],
)
def test_an_answer_is_a_text_a_mapping_an_answer_or_a_coroutine(
    tmp_path: Path, body: str
) -> None:
    head = "from arena.records.answer import Answer, Completion\nasync def later(x): return x"
    completion = answered(tmp_path, body, head=head)
    assert (completion.text, completion.trouble) == (HOLD, None)


@pytest.mark.parametrize(
    ("body", "trouble", "words"),
    [
        ("raise ValueError('\\x1b[2J<b>\\nno')", Trouble.CRASHED, "ValueError: [2J<b> no"),
        ("raise SystemExit(3)", Trouble.CRASHED, "SystemExit: 3"),
        ("raise KeyboardInterrupt", Trouble.CRASHED, "KeyboardInterrupt"),
        ("raise Mute", Trouble.CRASHED, "mine.Mute: <exception str() failed>"),
        ("return 7", Trouble.CRASHED, "it gave a value of type int, no answer"),
        ("return {'p': {7}}", Trouble.CRASHED, "TypeError: float() argument"),
        ("return 'x' * 10_000_000", Trouble.UNREADABLE, f"longer than {MAX_BYTES} bytes"),
        ("return Answer(Completion(7))", Trouble.CRASHED, "what no answer may hold"),
        (
            "return Answer(Completion(None, trouble=Trouble.WITHDRAWN))",
            Trouble.CRASHED,
            "what no answer may hold",
        ),
        (
            "return Answer(Completion('', usage=Usage(tokens_in=2**70)))",
            Trouble.CRASHED,
            "what no answer may hold",
        ),
    ],
)
def test_whatever_goes_wrong_is_the_trouble_of_the_turn_in_plain_words(
    tmp_path: Path, body: str, trouble: Trouble, words: str
) -> None:
    head = (
        "from arena.records.answer import Answer, Completion, Trouble, Usage\n"
        "class Mute(Exception):\n    def __str__(self): raise ValueError\n"
    )
    completion = answered(tmp_path, body, head=head)
    assert (completion.text, completion.trouble) == (None, trouble)
    assert words.removeprefix("mine.") in completion.detail
    assert completion.detail.isprintable()


def test_a_number_that_is_none_costs_its_own_forecast_alone(tmp_path: Path) -> None:
    told = "dict(forecasts=dict(M1=float('nan'), M2=0.5), action='HOLD', bets=[])"
    read = read_reply(present(answered(tmp_path, f"return {told}").text), ROUND)
    assert [forecast.probability for forecast in present(read.decision).forecasts] == [0.5]


def test_what_an_agent_prints_is_no_output_of_a_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(tmp_path, f"print('thinking'); return {HOLD!r}")
    assert capsys.readouterr() == ("", "thinking\n")


def test_who_never_answers_is_left_behind_at_the_deadline(tmp_path: Path) -> None:
    completion = answered(
        tmp_path, "threading.Event().wait()", head="import threading", seconds=0.05
    )
    assert completion.trouble == Trouble.TIMEOUT
    assert completion.detail == "no answer within 0.05 s"


def test_a_class_of_a_module_beside_the_configuration_is_found(tmp_path: Path) -> None:
    (tmp_path / "arena_test_bets").mkdir()
    module = tmp_path / "arena_test_bets" / "mine.py"
    module.write_text("class Mine:\n    def answer(self, briefing): return ''\n")
    named = f"{module}:Mine"  # a path from the root may be anywhere
    assert built(tmp_path, "arena_test_bets.mine:Mine").name.startswith("arena_test_bets.mine:")
    assert built(tmp_path / "elsewhere", named).name.startswith("mine.py:Mine ")


@pytest.mark.parametrize(
    ("agent", "code", "words"),
    [
        ("../mine.py:Mine", "plugin.unknown", "outside of the folder of config.yaml"),
        ("none.py:Mine", "plugin.unknown", "there is no file none.py"),
        ("no_such_module:Mine", "plugin.unknown", "there is no module no_such_module"),
        ("mine.py:Min", "plugin.unknown", "did you mean Mine?"),
        ("mine.py:Dumb", "plugin.broken", "has no method answer(briefing)"),
        ("wrong.py:Mine", "plugin.broken", "wrong.py, line 2: NameError: name 'nothing'"),
        ("torn.py:Mine", "plugin.broken", "torn.py, line 3: SyntaxError"),
    ],
)
def test_a_class_that_is_not_there_is_told(
    tmp_path: Path, agent: str, code: str, words: str
) -> None:
    folder = tmp_path / "arena"
    folder.mkdir()
    source = "class Mine:\n    def answer(self, briefing): ...\nclass Dumb: ...\n"
    for place in (tmp_path, folder):
        (place / "mine.py").write_text(source)
    (folder / "wrong.py").write_text("class Mine: ...\nnothing\n")
    (folder / "torn.py").write_text("class Mine: ...\n\nclass Torn(\n")
    error = refused(folder, agent)
    assert (error.code, error.status) == (code, 2)
    assert words in f"{error.message}; {error.hint}"


def test_options_that_it_does_not_take_are_told_with_its_signature() -> None:
    error = refused(ROOT, "examples/stubborn.py:Stubborn", q=1)
    assert error.code == "agent.option"
    assert error.message == "ada: got an unexpected keyword argument 'q'"
    assert error.hint == "it is made as Stubborn(p=0.25)"
