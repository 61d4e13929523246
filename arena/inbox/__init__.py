"""A small HTTP server for answers from outside: turns that wait are told, replies taken.

It is plain HTTP for the machine it runs on. TLS belongs to a reverse proxy in front of it.
"""

from arena.inbox.server import InboxHandler, listening

__all__ = ["InboxHandler", "listening"]
