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

A message says what was tried, what came back, and what to do. Anything else that reaches the top of the
program is a defect of ours, not the user's.
"""


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
