"""Promises of a haproxy.cfg; integration/test_reload_promises.py holds them against the real program."""

import pytest

from switchover.connections import transfers
from switchover.model.held_kind import HeldKind
from switchover.predict.haproxy_promise import promise_of
from switchover.predict.promise import FRESH, IDLE_PAUSE_S, LOADS, POOLED_PAUSE_S, Fate, Promise

FRONTEND = "frontend web\n mode http\n bind :80\n"
TELL = "option idle-close-on-response"


def promises(
    settings: str = "", frontend: str = FRONTEND, *, master_worker: bool | None = True
) -> dict[str, Promise]:
    text = f"global\n daemon\n {settings}\n{frontend}"
    (service,) = promise_of([("haproxy.cfg", text)], master_worker=master_worker).services
    return service.promises


def texts(settings: str = "", frontend: str = FRONTEND, *, master_worker: bool | None = True) -> dict[str, str]:
    return {kind: one.text for kind, one in promises(settings, frontend, master_worker=master_worker).items()}


def test_by_default_silent_connections_may_be_lost_and_all_else_is_kept() -> None:
    found = texts()
    assert [kind for kind, text in found.items() if text != "kept"] == ["pooled", "idle", "tcp"]
    assert (found["pooled"], found["tcp"]) == ("may be lost", "not served")
    assert list(found) == list(LOADS)


def test_idle_close_on_response_keeps_them() -> None:
    found = promises(frontend=f"{FRONTEND} {TELL}\n")
    assert (found["pooled"].text, found["idle"].text) == ("kept", "kept")
    assert str(found["idle"].place) == "haproxy.cfg:7"


def test_hard_stop_after_cuts_what_lasts_longer() -> None:
    found = promises("hard-stop-after 3s", f"{FRONTEND} {TELL}\n")
    assert [kind for kind, one in found.items() if one.text == "cut after 3 s"] == [
        "idle",
        "download",
        "upload",
        "sse",
        "websocket",
    ]
    assert found["pooled"].text == "kept"
    assert str(found["sse"].place) == "haproxy.cfg:3"
    assert "remove hard-stop-after" in found["sse"].setting


def test_a_hard_stop_after_that_is_longer_than_the_silence_keeps_idle_ones() -> None:
    assert texts("hard-stop-after 6s", f"{FRONTEND} {TELL}\n")["idle"] == "kept"


def test_in_tcp_mode_everything_is_passed_on() -> None:
    found = texts("hard-stop-after 9s", "listen a\n mode tcp\n bind :1\n")
    assert set(found.values()) == {"kept", "cut after 9 s"}
    assert found["fresh"] == "kept"


@pytest.mark.parametrize(
    ("settings", "master_worker", "text"),
    [
        ("", True, "kept"),
        ("", False, "may be lost"),
        ("", None, "not known"),
        ("master-worker", None, "kept"),
        ("stats socket /s expose-fd listeners", None, "kept"),
        ("stats socket /s level admin", None, "not known"),
        ("noreuseport", False, "may be lost"),
    ],
)
def test_new_connections_depend_on_how_haproxy_is_started(
    settings: str, master_worker: bool | None, text: str
) -> None:
    assert texts(settings, master_worker=master_worker)["fresh"] == text


@pytest.mark.parametrize(
    "settings",
    [
        'hard-stop-after "${STOP}"',
        ".if feature(X)\nhard-stop-after 3s\n.endif",
        "close-spread-time 5s",
        "grace 1s\n hard-stop-after 2s",
    ],
)
def test_what_only_haproxy_knows_is_not_known(settings: str) -> None:
    found = promises(settings)
    assert {found[kind].fate for kind in LOADS if kind != FRESH} == {Fate.UNKNOWN}
    assert "only HAProxy knows the effect" in found["download"].because
    assert found[FRESH].text == "kept"


def test_an_option_or_a_mode_in_a_condition_is_not_known() -> None:
    for line in (f"option {TELL[7:]}", "no option httpclose", "mode tcp"):
        found = promises(frontend=f"{FRONTEND}.if feature(X)\n {line}\n.endif\n")
        assert found["idle"].fate is Fate.UNKNOWN


def test_frontends_with_the_same_promise_are_one() -> None:
    text = FRONTEND + FRONTEND.replace("web", "api") + f"{FRONTEND.replace('web', 'told')} {TELL}\n"
    found = promise_of([("haproxy.cfg", text)])
    assert [service.names for service in found.services] == [("web", "api"), ("told",)]


def test_the_silences_are_those_of_the_held_load() -> None:
    assert (transfers.PAUSE_S[1], transfers.IDLE_PAUSE_S[1]) == (POOLED_PAUSE_S, IDLE_PAUSE_S)
    assert list(LOADS) == [FRESH, *HeldKind]
