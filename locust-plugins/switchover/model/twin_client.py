"""The clients that send the pooled load again beside ours, and by themselves send again what was lost."""

from enum import StrEnum


class TwinClient(StrEnum):
    """The first word of `threadName` in their rows."""

    URLLIB3 = "urllib3"
    GO = "go"
    """net/http sends again what it has not begun to send, and what is idempotent in its eyes: a PUT is not."""
    GO_KEYED = "go-keyed"
    """The same with a header Idempotency-Key, which makes any request idempotent for it."""
