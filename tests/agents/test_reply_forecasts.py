import pytest

from arena.agents.reply import ReplyReading, read_forecasts, read_reply
from arena.records.decision import Action, Decision, Forecast, Status
from arena.records.market import MarketId
from tests.agents.briefings import offering

SHOWN = offering("M1", "M2", "M3")
HOLD = '{"reasoning":"r","forecasts":STATED,"action":"HOLD","bets":[]}'
ONLY = '{"reasoning":"r","forecasts":STATED}'


def read(stated: str) -> ReplyReading:
    return read_reply(HOLD.replace("STATED", stated), SHOWN)


def only(stated: str) -> ReplyReading:
    return read_forecasts(ONLY.replace("STATED", stated), SHOWN)


def said(found: ReplyReading) -> dict[str, float]:
    if found.decision is None:
        return {}
    return {f.market.removeprefix("id-of-"): f.probability for f in found.decision.forecasts}


def entry(market: str = "M1", p: str = "0.62") -> str:
    return f'{{"market_id":"{market}","p_yes":{p}}}'


@pytest.mark.parametrize(
    "stated", ['{"M1":0.62,"M2":0.1}', f"[{entry()},{entry('M2', '0.1')}]"], ids=["map", "list"]
)
def test_probabilities_are_a_list_or_a_map(stated: str) -> None:
    for found in (read(stated), only(stated)):
        assert (found.status, found.reasons) == (Status.OK, ())
        assert said(found) == {"M1": 0.62, "M2": 0.1}


@pytest.mark.parametrize("stated", ["{}", "[]"])
def test_no_probability_is_none(stated: str) -> None:
    assert (read(stated).status, said(read(stated))) == (Status.OK, {})


def test_null_states_none() -> None:
    for stated in (f"[{entry('M1', 'null')},{entry('M2')}]", '{"M1":null,"M2":0.62}'):
        assert (read(stated).status, said(read(stated))) == (Status.OK, {"M2": 0.62})


@pytest.mark.parametrize("p", ["0", "1", "0.0", "1.00", "1e-3", "-0.0", "5e-324"])
def test_the_whole_unit_interval_may_be_stated(p: str) -> None:
    found = read(f"[{entry(p=p)}]")
    assert (found.status, said(found)) == (Status.OK, {"M1": float(p)})
    assert not str(said(found)["M1"]).startswith("-")


@pytest.mark.parametrize(
    ("p", "why"),
    [
        ("62", "'M1' needs a number from 0 to 1, not '62'"),
        ("1.01", "not '1.01'"),
        ("-0.1", "not '-0.1'"),
        ("1e999", "not '1E+999'"),
        ("true", "not true"),
        ('"62%"', "not '62%'"),
        ('"likely"', "not 'likely'"),
        ("[0.5]", "not a list"),
        ('{"p":0.5}', "not an object"),
        ("NaN", "NaN is not a number"),
        ("Infinity", "Infinity is not a number"),
        ("62%", "'62%' is a percentage"),
    ],
)
def test_what_is_no_probability_is_left_out_and_never_mended(p: str, why: str) -> None:
    for stated in (f"[{entry(p=p)},{entry('M2')}]", f'{{"M1":{p},"M2":0.62}}'):
        for found in (read(stated), only(stated)):
            assert (found.status, said(found)) == (Status.REPAIRED, {"M2": 0.62})
            assert why in found.reasons[0]
            assert found.reasons[0].endswith(": it does not count")


def test_the_rest_of_the_decision_stands() -> None:
    text = (
        '{"forecasts":{"M1":62},"action":"BET","reasoning":"r",'
        '"bets":[{"market_id":"M1","side":"YES","amount":9}]}'
    )
    found = read_reply(text, SHOWN).decision
    assert found is not None
    assert (len(found.bets), found.forecasts) == (1, ())


def test_a_number_in_quotation_marks_is_read_and_noted() -> None:
    found = read('{"M1":"0.62"}')
    assert (found.status, said(found)) == (Status.REPAIRED, {"M1": 0.62})


def test_a_market_that_was_not_shown_has_no_forecast() -> None:
    found = read(f"[{entry('M9')},{entry('M2')}]")
    assert (said(found), found.reasons) == ({"M2": 0.62}, ("forecasts: 'M9' is not on offer",))


@pytest.mark.parametrize("again", ["0.7", "62", "NaN", '"62%"'])
def test_of_two_different_values_neither_counts(again: str) -> None:
    spaced = f'{{"M1":0.62,"M1":{again},"M2":0.5}}'
    for stated in (f"[{entry()},{entry('M2', '0.5')},{entry(p=again)}]", spaced):
        found = read(stated)
        assert (found.status, said(found)) == (Status.REPAIRED, {"M2": 0.5})
        assert "differ" in "; ".join(found.reasons)


def test_a_value_that_was_contradicted_does_not_come_back() -> None:
    assert said(read(f"[{entry()},{entry(p='0.7')},{entry()}]")) == {}


def test_the_same_value_twice_is_one() -> None:
    for stated in (f"[{entry()},{entry()}]", '{"M1":0.62,"M1":0.62}', '{"M1":0.62," M1":0.62}'):
        assert said(read(stated)) == {"M1": 0.62}


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        (f"[{entry()}, 0.5]", "forecast 2: '0.5' is not an object"),
        ('[{"market_id":"M1"}]', "forecast 1: it has no p_yes"),
        ('[{"p_yes":0.5}]', "forecast 1: it has no market_id"),
        ("[{}]", "forecast 1: it has no market_id and no p_yes"),
        ('[{"M1":0.5}]', "forecast 1: the key 'M1' was passed over"),
        ("0.5", "forecasts is a list of market_id and p_yes, not '0.5'"),
        ('[{"market_id":"M1","p_yes":0.5,"P_Yes":0.6}]', "p_yes comes twice and differs"),
    ],
)
def test_what_cannot_be_read_as_a_forecast_is_said(stated: str, why: str) -> None:
    found = read(stated)
    assert (found.status, why in "; ".join(found.reasons)) == (Status.REPAIRED, True)


def test_one_forecast_without_its_list_and_a_list_in_a_string_are_read() -> None:
    for stated in (entry(), '"[{\\"market_id\\":\\"M1\\",\\"p_yes\\":0.62}]"'):
        found = read(stated)
        assert (found.status, said(found)) == (Status.REPAIRED, {"M1": 0.62})


def test_a_market_may_be_called_as_the_keys_are() -> None:
    found = read_reply(HOLD.replace("STATED", '{"p_yes":0.5}'), offering("p_yes"))
    assert (found.status, said(found)) == (Status.OK, {"p_yes": 0.5})


def test_probabilities_alone_are_a_hold() -> None:
    found = only('{"M1":0.62}')
    forecast = Forecast(MarketId("id-of-M1"), 0.62)
    assert found.decision == Decision(Action.HOLD, (forecast,), reasoning="r")


def test_probabilities_alone_need_no_reasoning() -> None:
    assert read_forecasts('{"forecasts":{"M1":0.5}}', SHOWN).status is Status.OK


def test_what_was_not_asked_for_is_passed_over_and_noted() -> None:
    text = '{"forecasts":{"M1":0.5},"action":"BUY","bets":[{"amount":NaN}]}'
    found = read_forecasts(text, SHOWN)
    assert (found.status, said(found)) == (Status.REPAIRED, {"M1": 0.5})
    assert found.reasons == (
        "action was not asked for: it was passed over",
        "bets was not asked for: it was passed over",
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"forecasts":[]}', "there are no forecasts"),
        ('{"action":"HOLD","bets":[]}', "there are no forecasts"),
        ('{"forecasts":{"M1":null}}', "there are no forecasts"),
        ('{"forecasts":{"M1":62}}', "'M1' needs a number from 0 to 1"),
        ('{"forecasts":{"M9":0.5}}', "'M9' is not on offer"),
        ('{"forecasts":{"M1":0.5}', "breaks off"),
        ('{"forecasts":{"M1":0.5}} {"forecasts":{"M1":0.6}}', "several different"),
        ('{"forecasts":{"M1":0.5},"forecasts":{"M1":0.6}}', "comes twice and differs"),
        ('{"forecasts":{"M1":0.5},"x":NaN}', "NaN is not a number"),
        ("", "the reply is empty"),
    ],
)
def test_without_any_probability_the_reply_is_rejected(text: str, why: str) -> None:
    found = read_forecasts(text, SHOWN)
    assert (found.status, found.decision) == (Status.REJECT, None)
    assert why in "; ".join(found.reasons)


def test_probabilities_that_were_cut_off_are_rejected() -> None:
    found = read_forecasts('{"forecasts":{"M1":0.5}}', SHOWN, finish="length")
    assert found.status is Status.REJECT


def test_the_same_mending_holds_for_probabilities() -> None:
    text = "<think>0.5?</think>```json\n{forecasts: [{'market_id': 'M1', 'p_yes': .62,}]}\n```"
    found = read_forecasts(text, SHOWN)
    assert (found.status, said(found)) == (Status.REPAIRED, {"M1": 0.62})
