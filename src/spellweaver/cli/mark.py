"""Marks a function as a command. Nothing is wrapped: a command stays a plain typed function that answers with its
exit status.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    F = TypeVar("F", bound=Callable[..., int])


def command(*examples: str) -> Callable[[F], F]:
    """``examples`` end the help and the man page: two lines, each a whole command."""

    def mark(function: F) -> F:
        function.examples = examples  # type: ignore[attr-defined]
        return function

    return mark
