"""Only the file that a running lab of this user wrote for itself counts as a lab's; its copies hold no password."""

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.contract import named
from switchover.target.lab_directory import KEEPALIVED_FILE, LabDirectory, without_passwords


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[LabDirectory]:
    path = tmp_path / "lab"
    path.mkdir(mode=0o700)
    (path / "target.toml").touch()
    with (path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield LabDirectory(path)


def test_a_running_lab_of_ours_is_known_by_its_own_file(lab: LabDirectory, tmp_path: Path) -> None:
    assert lab.is_ours(lab.target)
    link = tmp_path / "link.toml"
    link.symlink_to(lab.target)
    assert lab.is_ours(link)
    copy = tmp_path / "copy.toml"
    copy.touch()
    assert not lab.is_ours(copy)


def test_a_lab_that_others_can_reach_is_not_ours(lab: LabDirectory) -> None:
    lab.path.chmod(0o755)
    assert not lab.is_ours(lab.target)


def test_a_lab_that_no_process_holds_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "target.toml").touch()
    (tmp_path / "lock").touch()
    assert not LabDirectory(tmp_path).is_ours(tmp_path / "target.toml")


def test_a_kept_configuration_has_no_password(lab: LabDirectory, tmp_path: Path) -> None:
    conf = "vrrp_instance VI_1 {\n  authentication {\n    auth_type PASS\n    auth_pass s3cret # ours\n  }\n}\n"
    host = lab.path / "lb1"
    host.mkdir()
    (host / KEEPALIVED_FILE).write_text(conf)
    lab.copy_config(tmp_path / "config")
    kept = (tmp_path / "config" / "lb1" / KEEPALIVED_FILE).read_text()
    assert "s3cret" not in kept and "auth_pass ***" in kept


@pytest.mark.parametrize("case", named("text.json", "configurations"))
def test_no_password_leaves_the_node(case: dict[str, str]) -> None:
    assert without_passwords(case["text"]) == case["public"]


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("#auth_pass s3cret", "#auth_pass ***"),
        ('script "/usr/bin/curl -sf -u ops:s3cret http://localhost/"', "-u ops:*** http"),
        ("script \"curl -H 'Authorization: Bearer s3cret' x\"", "Bearer ***'"),
        ('script "/usr/bin/check --token=s3cret"', "--token=***"),
        ('script "mysqladmin --password s3cret status"', "--password *** status"),
        ('script "curl http://ops:s3cret@localhost/x"', "http://ops:***@localhost/x"),
        ('script "curl http://localhost/x?api_key=s3cret&y=1"', "?api_key=***&y=1"),
        ('script "/usr/bin/pgrep -u haproxy haproxy"', 'script "/usr/bin/pgrep -u haproxy haproxy"'),
    ],
)
def test_no_credential_of_a_script_leaves_the_node(text: str, public: str) -> None:
    shown = without_passwords(text)
    assert public in shown and "s3cret" not in shown
