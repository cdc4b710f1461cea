"""What goes wrong for a user, as one line each.

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
program is a defect of ours, not the user's.
"""

import errno

_LIMITS = {
    errno.EAGAIN: "no room for another process or thread (ulimit -u, pids.max)",
    errno.EMFILE: "too many open files in one process (ulimit -n)",
    errno.ENFILE: "too many open files in the whole system (fs.file-max)",
    errno.ENOMEM: "no memory left",
}
_NO_THREAD = "can't start new thread"
"""All that Python says where the system refuses a thread."""


class SwitchoverError(Exception):
    """Anything that a user can mend; its text is the whole story."""

    exit_code = 2


class UsageError(SwitchoverError):
    """A flag or a value on the command line."""


class TargetError(SwitchoverError):
    """A target file that does not say what it must."""


class LabError(SwitchoverError):
    """The lab cannot be built, or is not there."""


class TelemetryError(SwitchoverError):
    """A source of telemetry that gave no usable answer."""


class FaultError(SwitchoverError):
    """A fault that cannot be fired, was not confirmed or did not heal."""


class RunDirectoryError(SwitchoverError):
    """A run directory that cannot be written or read."""


class DatabaseError(SwitchoverError):
    """A database that is away, refuses, or has not what was asked for."""


class PackageError(SwitchoverError):
    """A Python package that is not installed, as where only what recording needs was."""

    @classmethod
    def of(cls, error: ModuleNotFoundError) -> "PackageError":
        """The package that an import asked for; raises the error again where it names a module of our own."""
        package = (error.name or "").partition(".")[0]
        if package in ("", "switchover"):
            raise error
        return cls(f"the Python package {package} is not installed: pip install {package}, or all of switchover")


class SystemLimitError(SwitchoverError):
    """The system gives no more of what a program needs to go on."""

    @classmethod
    def of(cls, error: BaseException) -> "SystemLimitError | None":
        """What was refused, in a user's words; None for any other error."""
        if isinstance(error, MemoryError):
            reason = _LIMITS[errno.ENOMEM]
        elif isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            reason = _LIMITS[errno.EAGAIN]
        elif isinstance(error, OSError) and error.errno in _LIMITS:
            reason = _LIMITS[error.errno]
        else:
            return None
        return cls(f"this machine refuses: {reason}; raise the limit, or end what uses it up")
