"""A run of JMeter keeps the Keepalived settings; what its fault was to cost is told from them."""

from dataclasses import asdict
from pathlib import Path

from switchover.foretold import foretell
from switchover.rundir import FaultRun, Run
from switchover.vrrp import KeepalivedSettings

LB1, LB2 = KeepalivedSettings(priority=101), KeepalivedSettings(priority=100)


def run(kept: object, **fault: object) -> Run:
    described = FaultRun("node-down", "master", master="lb1", backup="lb2", **fault)  # type: ignore[arg-type]
    return Run("id", "name", settings={"keepalived": kept}, fault=described)


def test_the_settings_that_were_kept_predict_the_outage(tmp_path: Path) -> None:
    fault = foretell(run({"lb1": asdict(LB1), "lb2": asdict(LB2)}), tmp_path).fault
    assert fault is not None and fault.predict_low_ms == 2609.375 and fault.predict_high_ms == 3609.375
    assert fault.failback_high_ms is not None


def test_a_copy_of_the_configuration_does_too(tmp_path: Path) -> None:
    conf = "vrrp_instance VI_1 {{\n  virtual_router_id 51\n  priority {}\n  advert_int 1\n}}\n"
    for name, priority in (("lb1", 101), ("lb2", 100)):
        (tmp_path / f"keepalived-{name}.conf").write_text(conf.format(priority), encoding="utf-8")
    kept = {"lb1": "keepalived-lb1.conf", "lb2": "keepalived-lb2.conf"}
    fault = foretell(run(kept), tmp_path).fault
    assert fault is not None and fault.predict_low_ms == 2609.375


def test_what_the_target_file_predicted_stays(tmp_path: Path) -> None:
    told = run(
        {"lb1": asdict(LB1)}, predict_low_ms=1.0, predict_high_ms=2.0, predict_reason="as the target file says"
    )
    fault = foretell(told, tmp_path).fault
    assert fault is not None and (fault.predict_low_ms, fault.predict_high_ms) == (1.0, 2.0)


def test_what_cannot_be_read_predicts_nothing(tmp_path: Path) -> None:
    fault = foretell(run({"lb1": {"colour": "red"}, "lb2": "none.conf"}), tmp_path).fault
    assert fault is not None and fault.predict_low_ms is None
