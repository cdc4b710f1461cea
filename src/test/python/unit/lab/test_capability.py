from pathlib import Path

import pytest

from switchover.lab.capability import Finding, advice
from switchover.lab.programs import find_programs, needed_programs
from switchover.lab.spec import LabSpec
from switchover.model.errors import LabError


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
        ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor forbids it"),
    ],
)
def test_the_advice_names_the_setting_that_forbids_it(tmp_path: Path, name: str, value: str, word: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(f"{value}\n", encoding="ascii")
    assert word in advice(tmp_path)


def test_without_such_a_setting_it_is_the_container(tmp_path: Path) -> None:
    assert "--privileged" in advice(tmp_path)


def test_a_finding_without_advice_is_good() -> None:
    assert Finding("namespaces", "allowed").good
    assert not Finding("namespaces", "refused", "run it with sudo").good


def test_a_lab_needs_only_the_programs_that_it_runs() -> None:
    assert "nginx" not in needed_programs(LabSpec(backend_kind="app"))
    assert {"nginx", "keepalived"} <= set(needed_programs(LabSpec(balancer="nginx", backend_kind="app")))


def test_missing_programs_are_one_line_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("switchover.lab.programs.find_program", lambda name: None)
    with pytest.raises(LabError, match="needs haproxy, keepalived, not found: apt-get install haproxy keepalived"):
        find_programs(("haproxy", "keepalived"))
