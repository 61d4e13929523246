"""How a benchmark says what it measured."""


def say(what: str, measured: float, limit: float, unit: str) -> None:
    """Print a figure beside its limit, and the ratio of the two."""
    verdict = "within" if measured <= limit else "OVER"
    ratio = measured / limit
    print(
        f"{what}: {measured:.3g} {unit}, {verdict} the limit of {limit:g} ({ratio:.2f} of it)"
    )
