from pathlib import Path

import pytest

from switchover.model.errors import TargetError
from switchover.predict.keepalived import VrrpInstance, read_conf
from switchover.predict.prediction import Prediction
from switchover.predict.supervisor import find_supervisor_mistake, read_restart_delay, under_supervisor


def unit(place: Path, *lines: str) -> Path:
    path = place / "haproxy.service"
    path.write_text("\n".join(["[Service]", "ExecStart=/usr/sbin/haproxy -Ws", *lines]))
    return path


def node(place: Path, interval: float, fall: int) -> VrrpInstance:
    path = place / "keepalived.conf"
    script = f"vrrp_script c {{\nscript pidof_haproxy\ninterval {interval:g}\nfall {fall}\n}}\n"
    path.write_text(f"{script}vrrp_instance A {{\ntrack_script {{\nc\n}}\n}}\n")
    return read_conf(path).instance()


@pytest.mark.parametrize(
    ("lines", "delay_s"),
    [
        (["Restart=always"], 0.1),
        (["Restart=on-failure", "RestartSec=5"], 5.0),
        (["Restart=on-abort", "RestartSec=1min 30s"], 90.0),
        (["Restart=always", "RestartSec=250ms"], 0.25),
        (["Restart = always", "RestartSec = 5"], 5.0),
        (["Restart=always", "; Restart=no"], 0.1),
        (["Restart=on-success"], None),
        ([], None),
    ],
)
def test_when_systemd_starts_a_killed_program_again(tmp_path: Path, lines: list[str], delay_s: float | None) -> None:
    assert read_restart_delay(unit(tmp_path, *lines)) == delay_s


def test_what_is_no_unit_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("priority 10\n")
    with pytest.raises(TargetError, match="this is no systemd service"):
        read_restart_delay(path)
    with pytest.raises(TargetError, match="no time span"):
        read_restart_delay(unit(tmp_path, "Restart=always", "RestartSec=soon"))


def test_a_supervisor_that_is_faster_than_the_check_is_a_mistake(tmp_path: Path) -> None:
    found = find_supervisor_mistake(node(tmp_path, 2, 3), 0.1)
    assert found is not None and "the check needs up to 6 s" in found.text
    assert find_supervisor_mistake(node(tmp_path, 2, 1), 5.0) is None


def test_the_window_is_the_restart_where_the_check_comes_too_late(tmp_path: Path) -> None:
    found = under_supervisor(Prediction(6.6, 9.6, "the check"), node(tmp_path, 2, 3), 0.1)
    assert (found.low_s, found.high_s, found.moves) == (0.1, 1.1, False)


def test_the_window_is_both_where_either_may_come_first(tmp_path: Path) -> None:
    found = under_supervisor(Prediction(2.6, 4.6, "the check"), node(tmp_path, 1, 1), 0.1)
    assert (found.low_s, found.high_s, found.moves) == (0.1, 4.6, True)
