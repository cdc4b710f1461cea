"""`python -m switchover.drill.remote`: the conductor's process."""

from switchover.model.errors import PackageError
from switchover.process.json_child import run, say


def main() -> int:
    """Import what judges only here: where a package is missing, the parent is told which."""
    try:
        from switchover.drill.remote import process
    except ModuleNotFoundError as missing:
        error = PackageError.of(missing)
        say({"error": str(error)})
        return error.exit_code
    return process.main()


if __name__ == "__main__":
    run(main)
