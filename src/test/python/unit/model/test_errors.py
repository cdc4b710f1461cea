import errno

import pytest

from switchover.model.errors import PackageError, SystemLimitError

NO_THREAD = "another process or thread (ulimit -u, pids.max)"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.EMFILE, ""), "another open file in this process (ulimit -n)"),
        (OSError(errno.EAGAIN, ""), NO_THREAD),
        (RuntimeError("can't start new thread"), NO_THREAD),
        (MemoryError(), "more memory"),
    ],
)
def test_what_the_system_refuses_is_one_line_with_what_to_do(error: BaseException, reason: str) -> None:
    found = SystemLimitError.of(error)
    assert str(found) == f"this machine refuses {reason}: raise the limit, or end other programs"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, ""), RuntimeError("something else"), ValueError()])
def test_any_other_error_is_not_the_systems_refusal(error: BaseException) -> None:
    assert SystemLimitError.of(error) is None


def test_a_package_that_is_missing_is_named_with_the_command_that_installs_it() -> None:
    error = PackageError.of(ModuleNotFoundError("", name="rich.table.row"))
    assert str(error) == "the Python package rich is not installed: run `pip install rich`"


@pytest.mark.parametrize("name", [None, "switchover.nothing"])
def test_a_module_of_our_own_that_is_missing_is_a_defect(name: str | None) -> None:
    with pytest.raises(ModuleNotFoundError):
        PackageError.of(ModuleNotFoundError("", name=name))
