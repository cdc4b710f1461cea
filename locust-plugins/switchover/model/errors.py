"""Errors that a user can correct, one line each.

    SwitchoverError            exit code 2, message printed as it stands
      UsageError               a flag or its value
      TargetError              the target file: place, what stands there, what is expected
      LabError                 the lab cannot be built or has gone
      TelemetryError           a source (socket, page, command, log) gave no usable answer
      FaultError               a fault cannot be armed, was not confirmed, or did not heal
      RunDirectoryError        a run directory that cannot be written or read
      DatabaseError            a database that is away, refuses, or has not what was asked for
      PackageError             a Python package that is not installed
      SystemLimitError         the system gives no more processes, threads, open files or memory

A message says what was tried, what came back, and what to do. Anything else that reaches the top of the
program is a defect of Switchover.
"""

import errno

_LIMITS = {
    errno.EAGAIN: "no room for another process or thread (ulimit -u, pids.max)",
    errno.EMFILE: "too many open files in one process (ulimit -n)",
    errno.ENFILE: "too many open files in the whole system (fs.file-max)",
    errno.ENOMEM: "no memory left",
}
_NO_THREAD = "can't start new thread"
"""The text that Python gives if the system refuses a thread."""


class SwitchoverError(Exception):
    """An error that a user can correct; its text says how."""

    exit_code = 2


class UsageError(SwitchoverError):
    """An option or a value on the command line."""


class TargetError(SwitchoverError):
    """A target file with a missing or wrong value."""


class LabError(SwitchoverError):
    """The lab cannot be built, or is gone."""


class TelemetryError(SwitchoverError):
    """A source of telemetry gave no usable answer."""


class FaultError(SwitchoverError):
    """A fault that cannot be fired, was not confirmed or did not heal."""


class RunDirectoryError(SwitchoverError):
    """A run directory that cannot be written or read."""


class DatabaseError(SwitchoverError):
    """A database that is down, refuses, or does not have the requested data."""


class PackageError(SwitchoverError):
    """A Python package that is not installed."""

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> "PackageError":
        """Return the error for the missing package of an import; raise the import error again for a module of
        Switchover."""
        package = (error.name or "").partition(".")[0]
        if package in ("", "switchover"):
            raise error
        return cls(f"the Python package {package} is not installed: pip install {package}, or all of switchover")


class SystemLimitError(SwitchoverError):
    """The system gives no more resources."""

    @classmethod
    def of(cls, error: BaseException) -> "SystemLimitError | None":
        """Return the refused resource as an error for a user; None for any other error."""
        if isinstance(error, MemoryError):
            reason = _LIMITS[errno.ENOMEM]
        elif isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            reason = _LIMITS[errno.EAGAIN]
        elif isinstance(error, OSError) and error.errno in _LIMITS:
            reason = _LIMITS[error.errno]
        else:
            return None
        return cls(f"this machine refuses: {reason}; raise the limit, or end what uses it up")
