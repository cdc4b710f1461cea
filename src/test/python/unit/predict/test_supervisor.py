import pytest

from switchover.model.errors import TargetError
from switchover.predict.supervisor import restart_delay


@pytest.mark.parametrize(
    ("restart", "pause", "delay_s"),
    [
        ("always", "", 0.1),
        ("on-failure", "5s", 5.0),
        ("on-abort", "1min 30s", 90.0),
        ("always", "250ms", 0.25),
        ("on-success", "5s", None),
        ("no", "5s", None),
    ],
)
def test_when_systemd_starts_a_killed_program_again(restart: str, pause: str, delay_s: float | None) -> None:
    assert restart_delay({"Restart": restart, "RestartUSec": pause}, "lb1") == delay_s
    assert restart_delay({}, "lb1") is None


def test_a_pause_that_is_no_time_is_one_line() -> None:
    with pytest.raises(TargetError, match="lb1: RestartUSec=soon is not a time span"):
        restart_delay({"Restart": "always", "RestartUSec": "soon"}, "lb1")
