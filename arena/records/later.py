"""How a record grows: what was added to it after journals of it were written."""

from collections.abc import Mapping

# The metadata of such a field: it is written only where it differs from its default, so that
# older entries keep their text and their digest.
ADDED: Mapping[str, bool] = {"added later": True}
