"""How many tokens will a question cost, before anybody has counted them?"""

from arena.records.answer import Question

BYTES_A_TOKEN = 3  # English has 4 or more, so the guess is high, as a reservation should be
FRAME = 20  # role markers and the like


def tokens_guessed(question: Question) -> int:
    """Guess the tokens of a question, its schema included: rather too many than too few.

    Every tokeniser is another one. English text has four bytes a token or more, JSON and
    most other scripts about three.

    >>> tokens_guessed(Question(system="x" * 300, user="y" * 600))
    320
    """
    texts = question.system, question.user, question.schema
    size = sum(len(text.encode(errors="replace")) for text in texts)
    return FRAME + -(-size // BYTES_A_TOKEN)
