import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from switchover.lab import supervisor


def test_a_supervisor_that_is_not_process_1_signals_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signalled: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: signalled.append(pid))
    monkeypatch.setattr(os, "_exit", lambda status: None)
    kept = tmp_path / "kept"
    kept.mkdir()
    calls: tuple[Callable[[], None], ...] = (
        lambda: supervisor.end(kept),
        lambda: supervisor.main([str(tmp_path / "supervisor.json")]),
    )
    for call in calls:
        with pytest.raises(SystemExit, match="process 1 of new namespaces"):
            call()
    assert signalled == []
    assert kept.exists()


@pytest.mark.parametrize("module", ["supervisor", "host_agent"])
def test_a_host_starts_with_the_standard_library_alone(module: str) -> None:
    command = [sys.executable, "-S", "-P", "-c", f"import switchover.lab.{module}"]
    package = str(Path(supervisor.__file__).parents[2])
    assert subprocess.run(command, env={"PYTHONPATH": package}, timeout=60, check=False).returncode == 0
