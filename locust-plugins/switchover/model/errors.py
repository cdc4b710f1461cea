"""Errors that a user can correct. The text of an error is one line: the attempt, the result and the remedy. An
exception of another type that ends the program is a bug in Switchover."""

import errno

_LIMITS = {
    errno.EAGAIN: "another process or thread (ulimit -u, pids.max)",
    errno.EMFILE: "another open file in this process (ulimit -n)",
    errno.ENFILE: "another open file in the whole system (fs.file-max)",
    errno.ENOMEM: "more memory",
}
_NO_THREAD = "can't start new thread"
"""The text of Python's error if the system refuses to start a thread."""


class SwitchoverError(Exception):
    """An error that a user can correct. The message names the remedy."""

    exit_code = 2


class UsageError(SwitchoverError):
    """A wrong option or value on the command line."""


class TargetError(SwitchoverError):
    """A target file with a missing or wrong value."""


class LabError(SwitchoverError):
    """The lab cannot be built, or was removed."""


class TelemetryError(SwitchoverError):
    """A source of telemetry gave no usable answer."""


class FaultError(SwitchoverError):
    """A fault that cannot be fired, was not confirmed or did not heal."""


class RunDirectoryError(SwitchoverError):
    """A run directory that cannot be written or read."""


class DatabaseError(SwitchoverError):
    """A database that is down, refuses a request, or lacks the requested data."""


class PackageError(SwitchoverError):
    """A Python package that is not installed."""

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> "PackageError":
        """Return a PackageError. If the missing module is Switchover's own module, raise `error` again."""
        package = (error.name or "").partition(".")[0]
        if package in ("", "switchover"):
            raise error
        return cls(f"the Python package {package} is not installed: run `pip install {package}`")


def reason_of(error: BaseException) -> str:
    """Return the reason for an error: the text of the operating system, the message, or the name of the class."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class SystemLimitError(SwitchoverError):
    """The system refuses more processes, threads, open files or memory."""

    @classmethod
    def of(cls, error: BaseException) -> "SystemLimitError | None":
        """Return an error that names the refused resource. None: no limit of the system caused `error`."""
        number = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MemoryError):
            number = errno.ENOMEM
        elif isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            number = errno.EAGAIN
        resource = _LIMITS.get(number or 0)
        if resource is None:
            return None
        return cls(f"this machine refuses {resource}: raise the limit, or end other programs")
