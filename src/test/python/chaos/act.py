"""The form of a misfortune."""

from collections.abc import Callable, Generator

from chaos.scene import Scene

Act = Generator[None, None, None]
"""Yields twice: when what it needs is there, before the drill begins; and when it has struck. What is behind the
second `yield` mends it, after the drill has ended."""
Misfortune = Callable[[Scene], Act]
