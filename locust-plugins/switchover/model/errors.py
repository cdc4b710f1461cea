"""Errors that a user can correct, one line each.

    SwitchoverError            exit code 2; the message is printed unchanged
      UsageError               an option or its value
      TargetError              the target file: place, actual value, expected value
      LabError                 the lab cannot be built, or was removed
      TelemetryError           a source (socket, page, command, log) gave no usable answer
      FaultError               a fault cannot be armed, was not confirmed, or did not heal
      RunDirectoryError        a run directory that cannot be written or read
      DatabaseError            a database that is down, refuses, or lacks the requested data
      PackageError             a Python package that is not installed
      SystemLimitError         the system refuses more processes, threads, open files or memory

A message names the attempt, the result and the remedy. Any other exception that ends the program is a bug in
Switchover.
"""

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
    """An option or a value on the command line."""


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
    """A database that is down, refuses, or lacks the requested data."""


class PackageError(SwitchoverError):
    """A Python package that is not installed."""

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> "PackageError":
        """Return a PackageError for a missing third-party package. If the missing module belongs to Switchover, raise
        `error` again."""
        package = (error.name or "").partition(".")[0]
        if package in ("", "switchover"):
            raise error
        return cls(f"the Python package {package} is not installed: run `pip install {package}`")


def reason_of(error: BaseException) -> str:
    """Return the reason for an error: the text of the system, the message, or the name of the class."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class SystemLimitError(SwitchoverError):
    """The system refuses more processes, threads, open files or memory."""

    @classmethod
    def of(cls, error: BaseException) -> "SystemLimitError | None":
        """Return a SystemLimitError that names the refused resource. None: `error` was not caused by a limit of the
        system."""
        if isinstance(error, MemoryError):
            resource = _LIMITS[errno.ENOMEM]
        elif isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            resource = _LIMITS[errno.EAGAIN]
        elif isinstance(error, OSError) and error.errno in _LIMITS:
            resource = _LIMITS[error.errno]
        else:
            return None
        return cls(f"this machine refuses {resource}: raise the limit, or end other programs")
