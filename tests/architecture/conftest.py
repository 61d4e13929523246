import gc
from collections.abc import Iterator

import pytest

from tests.architecture.reach import nodes, parse


@pytest.fixture(scope="package", autouse=True)
def _trees() -> Iterator[None]:
    """Forget the trees of all files at the end: they are millions of objects.

    Each collection of garbage looks at all that there are, and none of them is any meanwhile.
    """
    gc.disable()
    yield
    parse.cache_clear()
    nodes.cache_clear()
    gc.enable()
    gc.collect()
