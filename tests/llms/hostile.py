"""JSON as no server should send it: the right names, with anything at all behind them."""

from collections.abc import Sequence

from hypothesis import strategies as st

Json = object


def json_with(names: Sequence[str], said: Sequence[str] = ()) -> st.SearchStrategy[Json]:
    """Any JSON whose objects use these names, and whose texts are often these words."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=5)
        | st.sampled_from([10**30, -1, "\x00\ud800", "1e999", *said])
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(list(names)), inner, max_size=6)
        ),
        max_leaves=14,
    )


STATUSES = st.sampled_from([200, 201, 204, 302, 400, 401, 403, 413, 422, 429, 500, 529, 599])
