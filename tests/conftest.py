"""How hypothesis tries things: a machine that is busy with other work fails no test."""

from hypothesis import settings

settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
