"""A model that says what it was given to say, for tests and for authors of plugins."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from arena.records.answer import Completion, Question, Trouble

Script = Callable[[Question], "str | Completion"]


@dataclass(slots=True)
class ScriptedLlm:
    """Says its lines and remembers in `asked` what it was asked.

    `replies` are lines to say in order, or a function that finds the line for a question. A
    line may be a whole `Completion`, so that trouble can be scripted too. Once the lines are
    used up, every answer is empty.
    """

    replies: Iterable[str | Completion] | Script
    asked: list[Question] = field(default_factory=list)
    _script: Script = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if callable(self.replies):
            self._script = self.replies
            return
        lines = iter(self.replies)
        silence = Completion(
            text=None, trouble=Trouble.EMPTY, detail="the script has no more lines"
        )
        self._script = lambda _: next(lines, silence)

    async def complete(self, question: Question) -> Completion:
        """Say the next line."""
        self.asked.append(question)
        line = self._script(question)
        if isinstance(line, Completion):
            return line
        return Completion(text=line, raw=line.encode(), model="scripted", finish="stop")
