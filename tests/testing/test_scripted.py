import asyncio

from arena.records.answer import Completion, Question, Trouble
from arena.testing import ScriptedLlm

ONE = Question("rules", "one")
TWO = Question("rules", "two")


def said(llm: ScriptedLlm, *questions: Question) -> list[str | None]:
    return [asyncio.run(llm.complete(question)).text for question in questions]


def test_lines_are_said_in_order_and_questions_remembered() -> None:
    llm = ScriptedLlm(["a", "b"])
    assert said(llm, ONE, TWO) == ["a", "b"]
    assert llm.asked == [ONE, TWO]


def test_a_function_finds_the_line_for_a_question() -> None:
    assert said(ScriptedLlm(lambda question: question.user.upper()), TWO, ONE) == ["TWO", "ONE"]


def test_trouble_can_be_scripted() -> None:
    trouble = Completion(text=None, trouble=Trouble.QUOTA)
    assert asyncio.run(ScriptedLlm([trouble]).complete(ONE)) is trouble


def test_after_the_last_line_every_answer_is_empty() -> None:
    llm = ScriptedLlm([])
    assert asyncio.run(llm.complete(ONE)).trouble is Trouble.EMPTY
