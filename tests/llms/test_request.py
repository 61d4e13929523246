from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from arena.http import HttpReply
from arena.llms.profile import Options
from arena.llms.wires.request import merged, paths_in, request_of
from arena.llms.wires.wire import Ask, Output, Profile, WireReply
from arena.records.settings import ModelSettings
from arena.secrets import Redactor
from tests.llms.asking import QUESTION, settings

MODEL = settings("https://x.example/v1")


@dataclass(frozen=True, slots=True)
class Bare:
    """A wire format that says the model and a length, nested as Gemini's is."""

    options: tuple[str, ...] = ()

    def url(self, settings: ModelSettings) -> str:
        return settings.base_url

    def headers(self, settings: ModelSettings, key: str | None) -> tuple[tuple[str, str], ...]:
        return ((settings.name, key or ""),)

    def body(self, ask: Ask) -> Mapping[str, object]:
        return {"model": ask.settings.model, "generationConfig": {"maxOutputTokens": 9}}

    def read(self, reply: HttpReply, redact: Redactor) -> WireReply:
        return WireReply(text=redact.text(reply.body.decode()))


def request(
    options: Options, profile: Profile | None = None, *, without: frozenset[str] = frozenset()
) -> dict[str, object]:
    ask = Ask(MODEL, profile or Profile(), QUESTION, Output.PROMPT, without)
    return request_of(Bare(), ask, options)


def test_options_are_merged_field_by_field() -> None:
    profile = Profile(sampling_field="generationConfig", sampling=True)
    options = Options(sampling={"topP": 0.5}, extra={"generationConfig": {"seed": 7}})
    assert request(options, profile) == {
        "model": "small-1",
        "generationConfig": {"maxOutputTokens": 9, "topP": 0.5, "seed": 7},
    }


def test_effort_goes_where_the_profile_says_and_brings_what_it_needs() -> None:
    profile = Profile(
        efforts=("high",),
        effort_field="output_config.effort",
        with_effort=(("thinking.type", "adaptive"),),
    )
    said = request(Options(effort="high"), profile)
    assert said["output_config"] == {"effort": "high"}
    assert said["thinking"] == {"type": "adaptive"}


def test_thinking_is_turned_off_in_the_way_of_the_profile() -> None:
    profile = Profile(
        efforts=("none",),
        effort_field="output_config.effort",
        effort_none=(("thinking.type", "disabled"),),
    )
    said = request(Options(effort="none"), profile)
    assert said["thinking"] == {"type": "disabled"}
    assert "output_config" not in said


def test_without_options_nothing_is_added() -> None:
    profile = Profile(effort_field="effort", with_effort=(("thinking.type", "adaptive"),))
    assert request(Options(), profile) == Bare().body(
        Ask(MODEL, profile, QUESTION, Output.PROMPT)
    )


def test_what_always_goes_along_gives_way_to_a_route() -> None:
    profile = Profile(always=(("provider.data_collection", "deny"), ("provider.zdr", True)))
    said = request(Options(route={"order": ["one"], "data_collection": "allow"}), profile)
    assert said["provider"] == {"data_collection": "allow", "zdr": True, "order": ["one"]}


def test_what_was_refused_is_taken_out_with_what_it_leaves_empty() -> None:
    options = Options(extra={"reasoning": {"effort": "low"}, "seed": 7})
    said = request(options, without=frozenset({"reasoning.effort", "seed", "no.such"}))
    assert said == {"model": "small-1", "generationConfig": {"maxOutputTokens": 9}}


trees = st.recursive(
    st.integers(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
bodies = st.dictionaries(st.sampled_from("abc"), trees, max_size=3)


@given(bodies, bodies)
def test_merging_keeps_every_field_of_both(
    base: dict[str, object], over: dict[str, object]
) -> None:
    both = merged(base, over)
    assert set(paths_in(over)) <= set(paths_in(both))
    assert base.keys() | over.keys() == both.keys()
    assert merged(both, over) == both
