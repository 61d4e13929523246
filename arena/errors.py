"""The errors that are the world's fault: each says what, where, and what to do."""


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


class StopError(ArenaError):
    """A failure that is no contestant's own: the whole run stops, and nothing is recorded."""
