"""What `arena llm` prints as JSON of the answers of models."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from arena.cli.models.llm_drift import ModelAnswers
from arena.cli.models.llm_recall import Recalled


class LlmDriftSaid(TypedDict):
    """What models answered to the same questions once more, and the file of all answers."""

    file: str
    at: datetime
    models: Sequence[ModelAnswers]


class LlmRecallSaid(TypedDict):
    """What models remember of markets that ended, and the file of all answers, if one is."""

    file: str | None
    at: datetime
    models: Sequence[Recalled]
