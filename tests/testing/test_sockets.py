"""What a bare client sees on the wire."""

import http.client

import pytest

from tests.standins.model_server import (
    EMPTY_BODY,
    Delivery,
    Format,
    Framing,
    Misbehaviour,
)
from tests.testing.bare import heard

CHAT = Format.CHAT


@pytest.mark.parametrize("framing", [Framing.LENGTH, Framing.CHUNKED])
@pytest.mark.parametrize("cut", [0, 20])
def test_a_connection_may_be_cut_in_the_middle(cut: int, framing: Framing) -> None:
    said = Misbehaviour(content="well", delivery=Delivery(cut=cut, framing=framing))
    with pytest.raises(http.client.IncompleteRead) as caught:
        heard(said, CHAT)
    assert len(caught.value.partial) == cut


def test_a_body_may_be_empty() -> None:
    assert heard(EMPTY_BODY, CHAT).body == b""
