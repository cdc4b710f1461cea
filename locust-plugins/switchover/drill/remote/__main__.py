"""`python -m switchover.drill.remote`: the controller's process."""

from switchover.model.errors import PackageError
from switchover.process.json_child import run


def main() -> None:
    """Import and run the process in this function, so that the parent gets a message that names a missing package."""
    try:
        from switchover.drill.remote import process
    except ModuleNotFoundError as missing:
        raise PackageError.of(missing) from missing
    process.main()


if __name__ == "__main__":
    run(main)
