from tests.standins.misbehaviour import Error, Ill, Misbehaviour, ails, cut_short, fails


def test_a_failure_has_a_status_a_message_and_a_code() -> None:
    said = fails(429, "slowly", code="rate", headers={"Retry-After": "7"})
    assert (said.status, said.headers) == (429, (("Retry-After", "7"),))
    assert said.error == Error("slowly", "rate")


def test_an_ill_leaves_status_and_words_to_the_format() -> None:
    said = ails(Ill.RATE, wait="14s", headers={"Retry-After": "7"})
    assert said.headers == (("Retry-After", "7"),)
    assert said.error == Error(ill=Ill.RATE, wait="14s")


def test_words_that_are_cut_off_say_so() -> None:
    assert cut_short("we") == Misbehaviour(content="we", finish="length")
