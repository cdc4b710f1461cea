"""A run of JMeter keeps the Keepalived settings; what its fault was to cost is told from them."""

from dataclasses import asdict
from pathlib import Path

from switchover.faults.recorded_prediction import add_prediction
from switchover.model.vrrp import KeepalivedSettings
from switchover.rundir.run_directory import CutPhase, FaultRun, Plan, Run
from switchover.rundir.run_records import RunSettings

LB1, LB2 = KeepalivedSettings(priority=101), KeepalivedSettings(priority=100)


def run(kept: object, **fault: object) -> Run:
    described = FaultRun("node-down", "master", master="lb1", backup="lb2", **fault)  # type: ignore[arg-type]
    return Run("id", "name", settings=RunSettings.of({"keepalived": kept}), fault=described)


def test_the_settings_that_were_kept_predict_the_outage(tmp_path: Path) -> None:
    fault = add_prediction(run({"lb1": asdict(LB1), "lb2": asdict(LB2)}), tmp_path).fault
    assert fault is not None and fault.predict_low_ms == 2609.375 and fault.predict_high_ms == 3609.375
    assert fault.failback_high_ms is not None


def test_a_copy_of_the_configuration_does_too(tmp_path: Path) -> None:
    conf = "vrrp_instance VI_1 {{\n  virtual_router_id 51\n  priority {}\n  advert_int 1\n}}\n"
    for name, priority in (("lb1", 101), ("lb2", 100)):
        (tmp_path / f"keepalived-{name}.conf").write_text(conf.format(priority), encoding="utf-8")
    kept = {"lb1": "keepalived-lb1.conf", "lb2": "keepalived-lb2.conf"}
    fault = add_prediction(run(kept), tmp_path).fault
    assert fault is not None and fault.predict_low_ms == 2609.375


def test_what_the_target_file_predicted_stays(tmp_path: Path) -> None:
    told = run(
        {"lb1": asdict(LB1)}, predict_low_ms=1.0, predict_high_ms=2.0, predict_reason="as the target file says"
    )
    fault = add_prediction(told, tmp_path).fault
    assert fault is not None and (fault.predict_low_ms, fault.predict_high_ms) == (1.0, 2.0)


def test_what_cannot_be_read_predicts_nothing(tmp_path: Path) -> None:
    fault = add_prediction(run({"lb1": {"colour": "red"}, "lb2": "none.conf"}), tmp_path).fault
    assert fault is not None and fault.predict_low_ms is None


def test_phases_too_short_for_the_prediction_are_named(tmp_path: Path) -> None:
    drilled = run({"lb1": asdict(LB1), "lb2": asdict(LB2)})
    drilled.plan = Plan(start_us=0, fired_from_us=0, heal_from_us=8_000_000, end_us=11_000_000)
    hold, recover = add_prediction(drilled, tmp_path).truncated
    assert hold.text == "hold 8.0 s is shorter than the 9.6 s that a stability window needs"
    assert recover.text.startswith("recover 3.0 s is shorter than the ")


def test_a_heal_that_was_only_the_end_leaves_nothing_to_recover_in(tmp_path: Path) -> None:
    drilled = run(None, predict_low_ms=1000.0, predict_high_ms=2000.0, predict_reason="as the target file says")
    drilled.plan = Plan(start_us=0, fired_from_us=0, heal_from_us=7_000_001, end_us=7_000_000)
    (cut,) = add_prediction(drilled, tmp_path).truncated
    assert cut.text == "hold 7.0 s is shorter than the 8 s that a stability window needs"


def test_a_run_that_knows_for_itself_is_left_alone(tmp_path: Path) -> None:
    told = Run(
        "id", "name", fault=FaultRun("node-down", "master"), truncated=[CutPhase("hold", 1.0, 10.6, chosen=True)]
    )
    assert add_prediction(told, tmp_path) is told
