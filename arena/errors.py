"""The errors that are the world's fault: each says what, where, and what to do."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

MOST_NAMES: Final = 40  # that a hint lists
LONGEST_LINE: Final = 200  # characters


class ArenaError(Exception):
    """A failure that a person can act on.

    `code` is stable and dotted (`store.locked`), `hint` says what to do, `status` is the
    exit code of the command that meets it: 1 failed, 2 usage or configuration,
    4 credentials, 5 a limit was reached, 6 partial.
    """

    def __init__(self, code: str, message: str, *, hint: str = "", status: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status

    def reworded(self, reword: Callable[[str], str]) -> "ArenaError":
        """Give the error with its message and its hint in other words."""
        message, hint = reword(self.message), reword(self.hint)
        return ArenaError(self.code, message, hint=hint, status=self.status)


class StopError(ArenaError):
    """A failure that is no contestant's own: the whole run stops, and nothing is recorded."""


class ForeignError(Exception):
    """What somebody else's code raised, in the words of `error_words`; it is the cause."""


@contextmanager
def foreign(*passed: type[Exception]) -> Iterator[None]:
    """Contain somebody else's code, so that it cannot hurt what stands beside it.

    Raises:
        ForeignError: It raised what is neither an `ArenaError` nor one of `passed`.
    """
    let_through: tuple[type[Exception], ...] = (ArenaError, *passed)
    try:
        yield
    except let_through:
        raise
    except (Exception, SystemExit) as error:  # it is somebody else's
        raise ForeignError(error_words(error)) from error


def printable(text: str) -> str:
    """Give text back as it is where it can be printed, else escaped."""
    return text if text.isprintable() else repr(text)


def one_line(text: str) -> str:
    r"""Put text of any origin on one line of at most 200 characters, all of them printable.

    >>> one_line("too\x1b[2J many\nrequests")
    'too [2J many requests'
    """
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST_LINE])
    short = " ".join(plain.split())
    return short if len(short) <= LONGEST_LINE else f"{short[: LONGEST_LINE - 1]}…"


def error_words(error: BaseException) -> str:
    """Say what an exception of somebody else's code is, as `one_line` has text.

    >>> error_words(ValueError("no luck" + chr(27) + "[2J"))
    'ValueError: no luck [2J'
    """
    from traceback import TracebackException  # noqa: PLC0415  only a failure needs it

    # its own text may raise; of a syntax error the first lines name a place of this machine
    lines = TracebackException(type(error), error, None).format_exception_only()
    return one_line(next(line for line in lines if not line.startswith(" ")))


def did_you_mean(misspelt: str, names: Iterable[str]) -> str:
    """Offer the name nearest to what was found, or all of them where none is near.

    >>> did_you_mean("min_bte", ["min_bet", "capital"])
    'did you mean min_bet?'
    >>> did_you_mean("zebra", ["min_bet", "capital"])
    'there are: capital, min_bet'
    >>> did_you_mean("zebra", [])
    'there are none'
    """
    there = sorted(set(names))
    near = nearest(misspelt, there)
    if near:
        return f"did you mean {printable(near)}?"
    every = [printable(name) for name in there]
    more = f" and {len(every) - MOST_NAMES} more" * (len(every) > MOST_NAMES)
    return f"there are: {', '.join(every[:MOST_NAMES])}{more}" if every else "there are none"


def nearest(misspelt: str, names: Iterable[str]) -> str:
    """The name that was probably meant; empty where none is near.

    >>> nearest("Min-Bte", ["min_bet", "capital"])
    'min_bet'
    """
    from difflib import get_close_matches  # noqa: PLC0415  only a mistake needs it

    plain = {_folded(name): name for name in sorted(names, reverse=True)}
    near = get_close_matches(_folded(misspelt), sorted(plain), n=1)
    return plain[near[0]] if near else ""


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")
