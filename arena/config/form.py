"""What all forms have in common: their keys are all there are, and each is explained."""

from pydantic import BaseModel, ConfigDict


class Form(BaseModel):
    """A mapping with these keys and no others."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        model_title_generator=lambda form: form.__name__.removesuffix("Form"),
    )
