import click
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, Globals, arena
from arena.cli.pages.documents import DOCUMENTS
from arena.cli.pages.schema import schema_of
from arena.cli.say import explain, note
from arena.cli.tables import TableLayout, table
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project
from tests.present import some


def commands() -> dict[str, click.Command]:
    """Every command of the tree by its words, groups left out."""
    found: dict[str, click.Command] = {}
    top = click.Context(arena)
    for name in COMMANDS:
        command = arena.get_command(top, name)
        assert command
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": one for inner, one in command.commands.items()}
        else:
            found[name] = command
    return found


def test_every_command_with_json_has_a_schema_and_the_other_way_round() -> None:
    with_json = {
        name
        for name, command in commands().items()
        if any("--json" in one.opts for one in command.params)
    }
    assert with_json == DOCUMENTS.keys()


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_each_schema_can_be_made(name: str) -> None:
    assert "schema_version" in schema_of(name, DOCUMENTS[name])["required"]


def test_every_option_names_its_variable() -> None:
    top = click.Context(arena, info_name="arena", auto_envvar_prefix="ARENA")
    for name, command in some(commands().items()):
        prefix = "ARENA_" + name.upper().replace(" ", "_").replace("-", "_")
        context = click.Context(command, top, name, auto_envvar_prefix=prefix)
        options = [one for one in command.params if isinstance(one, click.Option)]
        wordless = [
            one.name for one in options if not one.get_help_extra(context).get("envvars")
        ]
        assert (name, wordless) == (name, [])


def test_a_schema_is_printed_and_one_that_is_not_there_is_answered_with_the_nearest(
    capsys: Capsys,
) -> None:
    assert '"title": "arena tape size --json"' in here(capsys, "schema", "tape", "size").out
    done = here(capsys, "schema", "leaderbord")
    assert (done.code, "did you mean leaderboard?" in done.err) == (2, True)


@pytest.mark.parametrize("group", ["config", "tape", "venue", "verify", "site"])
def test_a_subcommand_that_is_not_there_is_answered_with_the_nearest(
    group: str, capsys: Capsys
) -> None:
    name = next(words.split()[1] for words in commands() if words.startswith(f"{group} "))
    done = here(capsys, group, f"{name}x", "--json")
    assert (done.code, done.error["code"]) == (2, "usage.command")
    assert f"Did you mean '{name}'?" in done.error["message"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("study --print-protocol --json", "usage.invalid"),
        ("sources s000.brier.agent --source B", "usage.invalid"),
        ("sources s002.kely.1", "did you mean s002.kelly.1?"),
        ("seal weekly --check --late", "usage.invalid"),
        ("verify decision c 1 a --bundle x --database y", "usage.invalid"),
        ("export parquet --gzip", "usage.invalid"),
        ("explain ada pnl --after-cutoff", "usage.invalid"),
        ("shadow --capital nan", "usage.value"),
        ("restore /none", "there is no backup none in /,"),
        ("init /dev/null", "hint: name another path"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: str, code: str, capsys: Capsys) -> None:
    assert code in here(capsys, *words.split()).err


def test_a_global_option_behind_the_command_is_told_its_place(
    capsys: Capsys,
) -> None:
    done = here(capsys, "tape", "size", "--debug")
    assert "stands first: `arena --debug tape size`" in done.err


def test_a_defect_is_said_in_words_and_shown_where_with_debug(
    capsys: Capsys,
) -> None:
    error = ZeroDivisionError("by zero")
    assert explain(error, Globals()) == 1
    assert capsys.readouterr().err.startswith("error[internal]: ZeroDivisionError: by zero\n")
    assert explain(error, Globals(debug=True, as_json=True)) == 1
    assert "traceback" in capsys.readouterr().err


def test_json_by_variable_says_errors_as_json_too(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = Project(tmp_path_factory.mktemp("nothing"))
    done = made.run("status", ARENA_STATUS_JSON="1")
    assert (done.code, done.error["code"]) == (2, "config.missing")


@pytest.mark.parametrize(
    ("flags", "variables", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        ((), {"ARENA_COLOR": "always"}, True),
    ],
    ids=str,
)
def test_colours_mind_the_flag_then_the_variables(
    flags: tuple[str, ...], variables: dict[str, str], *, coloured: bool, ticked: Project
) -> None:
    done = ticked.run(*flags, "doctor", "--offline", TERM="xterm", **variables)
    assert ("\x1b[" in done.out) == coloured


def test_quiet_says_nothing_on_the_side(ticked: Project, capsys: Capsys) -> None:
    done = here(capsys, "-q", "-C", ticked.folder, "config", "check")
    assert (done.code, done.err) == (0, "")


def test_verbose_says_what_is_used(ticked: Project, capsys: Capsys) -> None:
    done = here(capsys, "-v", "-C", ticked.folder, "config", "check")
    assert done.err.splitlines()[-1].startswith("configuration config.yaml; ")


def test_a_setting_is_shown_with_where_it_is_from(ticked: Project, capsys: Capsys) -> None:
    done = here(capsys, "--color", "never", "-C", ticked.folder, "config", "show", "--json")
    found = {one["key"]: (one["value"], one["origin"]) for one in strict(done)["settings"]}
    assert found["--color"] == ("never", "flag")
    assert found["--quiet"] == (False, "default")
    assert found["paths.database"] == ("data/arena.db", "default")
    assert found["venues.sim.adapter"] == ("simulated", "config.yaml:2")


def test_a_setting_of_a_variable_is_shown_with_the_name_of_it(ticked: Project) -> None:
    done = ticked.run("config", "show", "--origin", ARENA_QUIET="1")
    assert "--quiet = true # variable ARENA_QUIET\n" in done.out


@pytest.mark.parametrize(
    ("shell", "word"),
    [
        ("bash", "complete -o nosort"),
        ("zsh", "#compdef arena"),
        ("fish", "complete --no-files"),
    ],
)
def test_each_shell_gets_its_script(shell: str, word: str, capsys: Capsys) -> None:
    assert word in here(capsys, "completion", shell).out


def test_a_shell_is_offered_the_commands_that_begin_so(
    capfd: Capsys,
) -> None:
    done = CliRunner().invoke(
        arena,
        env={"_ARENA_COMPLETE": "bash_complete", "COMP_WORDS": "arena lea", "COMP_CWORD": "1"},
        prog_name="arena",
    )
    assert done.output == "plain,leaderboard\n"
    assert capfd.readouterr().err == ""


@pytest.fixture
def words(demo: Played) -> tuple[str, ...]:
    return ("leaderboard", "--fast", "--database", str(demo.database))


def test_columns_are_chosen_by_name_in_any_order(
    words: tuple[str, ...], capsys: Capsys
) -> None:
    done = here(capsys, *words, "--columns", "won,contestant")
    assert done.out.splitlines()[0].split() == ["won", "contestant"]


def test_rows_are_sorted_by_their_numbers_and_no_more_than_asked_for(
    words: tuple[str, ...], capsys: Capsys
) -> None:
    done = here(capsys, *words, "--columns", "P/L $", "--sort", "-P/L $", "--limit", "3")
    shown = [float(line.replace(",", "")) for line in done.out.splitlines()[1:4]]
    assert shown == sorted(shown, reverse=True)
    assert len(done.out.splitlines()) == 7


def test_a_column_that_is_not_there_is_answered_with_those_that_are(
    words: tuple[str, ...], capsys: Capsys
) -> None:
    done = here(capsys, *words, "--sort", "wins")
    assert (done.code, "contestant, " in done.err.partition("there are ")[2]) == (2, True)


def test_a_total_stands_last_whatever_is_sorted_and_shown(
    capsys: Capsys,
) -> None:
    layout = TableLayout(("who", "n"), "-n", 1)
    table(("n", "who"), [["1", "ada"], ["3", "ben"]], layout, total=["4", "all"])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["who", "n"],
        ["ben", "3"],
        ["all", "4"],
    ]


def test_a_note_commands_no_terminal(capsys: Capsys) -> None:
    note("kept \x1b[2Jrain\u202e")
    assert capsys.readouterr().err == "kept [2Jrain\n"
