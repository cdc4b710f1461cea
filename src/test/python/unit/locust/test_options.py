"""Options of the plugin: texts become values, and what cannot be is said in one line."""

import fcntl
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from switchover.drill.remote import Finished
from switchover.locust.option_checks import check_options
from switchover.locust.options import NOTHING_CHOSEN, Options, read_options
from switchover.locust.run_report import RunResult, exit_code, public_words
from switchover.model.errors import FaultError, SwitchoverError, UsageError

TARGET = """
[target]
url = "http://198.18.0.50/"
[fault.lb-kill]
kill = ["true"]
heal = ["true"]
[change.lb-reload]
do = ["true"]
verify = ["true"]
"""


def chosen(**values: Any) -> Options:
    """The options of Locust's own among these, and those of the drill."""
    own = {name: values.pop(name) for name in ("timeouts_s",) if name in values}
    return Options(drill=replace(NOTHING_CHOSEN, **values), **own)


def options(**values: Any) -> Namespace:
    return Namespace(**{f"switchover_{name}": value for name, value in values.items()})


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "site.toml"
    path.write_text(TARGET, encoding="utf-8")
    return str(path)


def test_texts_become_values() -> None:
    read = read_options(
        options(
            target="site.toml",
            out="there",
            fault="lb-kill",
            fault_at="30s",
            heal_at="1min",
            arm=True,
            limit=["outage=5s", "failed=1%"],
            probe_rate="200",
            kept_rate="20",
            late="250ms",
            timeout="2s,10",
            scrape="500ms",
        )
    )
    assert read == chosen(
        target=Path("site.toml"),
        out=Path("there"),
        fault="lb-kill",
        fault_at_s=30.0,
        heal_at_s=60.0,
        arm=True,
        limits=("outage=5s", "failed=1%"),
        probe_rate=200.0,
        kept_rate=20.0,
        late_s=0.25,
        scrape_s=0.5,
        timeouts_s=(2.0, 10.0),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fault_at", "soon"),
        ("heal_at", "2d"),
        ("late", "0"),
        ("scrape", "0"),
        ("late", "-1s"),
        ("scrape", "1e9"),
        ("timeout", "2s"),
        ("timeout", "2s,never"),
        ("probe_rate", "many"),
        ("probe_rate", "nan"),
        ("kept_rate", "-1"),
        ("limit", "outage"),
        ("limit", "nothing=5s"),
        ("connections", "pools=3"),
    ],
)
def test_what_cannot_be_read_names_its_option(name: str, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_options(options(**{name: text}))
    assert str(caught.value).startswith(f"--switchover-{name.replace('_', '-')}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"fault_at": "30s"}, "needs --switchover-fault NAME"),
        ({"heal_at": "30s"}, "needs --switchover-fault-at"),
        ({"fault": "lb-kill", "fault_at": "30s"}, "needs --switchover-target FILE"),
        ({"target": True, "fault": "lb-kill"}, "needs --switchover-fault-at"),
        ({"target": True, "fault": "lb-kill", "fault_at": "30s", "heal_at": "20s", "arm": True}, "is not after"),
        ({"target": True, "fault": "lb-kill", "fault_at": "90s", "arm": True}, "not before the end of the run"),
        ({"target": True, "fault": "lb-kill", "fault_at": "9s", "heal_at": "70s", "arm": True}, "not before the end"),
        ({"target": True, "fault": "lb-kill", "fault_at": "30s"}, "is not armed"),
        ({"target": True, "fault": "lb-fill", "fault_at": "30s", "arm": True}, "it has: lb-kill"),
        ({"target": "/no/such/file.toml"}, "cannot read target file"),
        ({"probe_rate": "0", "kept_rate": "10"}, "needs a --switchover-probe-rate above 0"),
    ],
)
def test_what_does_not_fit_together_is_refused(said: dict[str, Any], complaint: str, target: str) -> None:
    if said.get("target") is True:
        said = {**said, "target": target}
    namespace = options(**said)
    namespace.headless, namespace.run_time = True, 60
    with pytest.raises(SwitchoverError) as caught:
        check_options(namespace)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("127.0.0.1", {}),
        ("::1", {}),
        ("", {"web_login": True}),
        ("", {"headless": True, "switchover_fault_at": "1"}),
        ("", {"switchover_fault": None}),
    ],
)
def test_a_page_in_others_reach_needs_a_login_or_nothing_armed(target: str, host: str, said: dict[str, Any]) -> None:
    armed = vars(options(target=target, fault="lb-kill", arm=True)) | {"web_host": host}
    check_options(Namespace(**armed | said))
    for reachable in ("", "0.0.0.0", "198.18.0.9", "loadgen"):
        with pytest.raises(UsageError, match="anyone who reaches the web page could fire lb-kill"):
            check_options(Namespace(**armed | {"web_host": reachable}))


def test_a_lab_needs_no_arming_and_a_copy_of_its_file_does(tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    path.write_text(f'{TARGET}[lab]\ndirectory = "{tmp_path}"\n', encoding="utf-8")
    copy = tmp_path / "copy.toml"
    copy.write_text(path.read_text())
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check_options(options(target=str(path), fault="lb-kill", fault_at="1s"))
        with pytest.raises(FaultError, match="not armed"):
            check_options(options(target=str(copy), fault="lb-kill", fault_at="1s"))
    with pytest.raises(FaultError, match="not armed"):
        check_options(options(target=str(path), fault="lb-kill", fault_at="1s"))


def finished(code: int) -> Finished:
    return Finished(verdict={}, exit_code=code, warnings=[], summary="")


ASKED = chosen(limits=("outage=5s",))
TARGETED = chosen(target=Path("site.toml"))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (RunResult(Path("d"), finished(0), None, ASKED), 0),
        (RunResult(Path("d"), finished(1), None, ASKED), 1),
        (RunResult(Path("d"), finished(2), None, ASKED), 2),
        (RunResult(Path("d"), finished(0), None, chosen(fault="lb-kill")), 0),
        (RunResult(Path("d"), finished(0), None, TARGETED), None),
        (RunResult(Path("d"), finished(1), None, TARGETED), 1),
        (RunResult(Path("d"), finished(2), None, Options()), 2),
        (RunResult(Path("d"), finished(0), None, Options()), None),
        (RunResult(Path("d"), None, "no verdict", ASKED), 2),
        (RunResult(Path("d"), None, "no verdict", TARGETED), 2),
        (RunResult(Path("d"), None, "no verdict", Options()), None),
        (RunResult(Path("d"), None, None, Options()), None),
        (RunResult(None, None, "refused", ASKED), 2),
        (RunResult(None, None, "refused", Options()), None),
    ],
)
def test_who_asks_for_a_verdict_gets_it_as_the_exit_code(outcome: RunResult, code: int | None) -> None:
    assert outcome.code == code


@pytest.mark.parametrize(
    ("known", "codes", "code"),
    [
        (None, [], None),
        (None, [None], None),
        (None, [0], 0),
        (None, [0, 2, 1], 2),
        (1, [0], 1),
        (1, [2], 2),
        (0, [1], 1),
        (3, [None], 3),
    ],
)
def test_the_worst_of_all_runs_counts_and_nothing_is_made_better(
    known: int | None, codes: list[int | None], code: int | None
) -> None:
    assert exit_code(known, codes) == code


def test_the_command_line_is_kept_without_its_secrets() -> None:
    statuses = ["/usr/bin/locust", "-f", "my.py", "-u5", "--host=http://me:pw@lb/?k=v", "--api-key", "s3cret"]
    statuses += ["--token=s3cret", "--switchover-limit", "outage=5s", "--headless", "MyUser"]
    shown = public_words(statuses, {"-f", "-u", "--host", "--headless"})
    assert shown == (
        *("locust", "-f", "my.py", "-u5", "--host=http://lb/?k=***", "--api-key", "***", "--token=***"),
        *("--switchover-limit", "outage=5s", "--headless", "MyUser"),
    )
