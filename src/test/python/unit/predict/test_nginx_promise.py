"""Promises of an nginx.conf; integration/test_reload_promises.py holds them against the real program."""

from pathlib import Path

import pytest

from switchover.model.errors import TargetError
from switchover.predict.nginx_promise import promise_of
from switchover.predict.promise import LOADS, ReloadPromise

UPGRADE = "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
SERVER = f"server {{ listen 80; server_name web; location / {{ {UPGRADE} }} }}"


def promise(place: Path, text: str) -> ReloadPromise:
    path = place / "nginx.conf"
    path.write_text(text)
    return promise_of(path)


def texts(place: Path, main: str = "", http: str = "", server: str = SERVER) -> dict[str, str]:
    (service,) = promise(place, f"{main}\nhttp {{ {http} {server} }}").services
    return {kind: one.text for kind, one in service.promises.items()}


def test_by_default_silent_connections_may_be_lost_and_all_else_is_kept(tmp_path: Path) -> None:
    found = texts(tmp_path)
    assert list(found) == list(LOADS)
    assert [kind for kind, text in found.items() if text == "may be lost"] == ["pooled", "idle"]
    assert [kind for kind, text in found.items() if text == "not served"] == ["tcp", "h2"]


def test_worker_shutdown_timeout_cuts_what_lasts_longer(tmp_path: Path) -> None:
    found = texts(tmp_path, "worker_shutdown_timeout 10s;")
    assert [kind for kind, text in found.items() if text == "cut after 10 s"] == [
        "download",
        "upload",
        "sse",
        "websocket",
    ]
    assert texts(tmp_path, "worker_shutdown_timeout 0;")["download"] == "kept"


@pytest.mark.parametrize(
    ("http", "pooled", "idle"),
    [
        ("keepalive_timeout 0;", "kept", "kept"),
        ("keepalive_requests 1;", "kept", "kept"),
        ("keepalive_timeout 75s;", "may be lost", "may be lost"),
        ("keepalive_min_timeout 1s;", "kept", "may be lost"),
        ("keepalive_min_timeout 10s;", "kept", "kept"),
        ("keepalive_timeout 0; server { listen 81; location /a { keepalive_timeout 5; } }", "not known", "not known"),
    ],
)
def test_kept_connections(tmp_path: Path, http: str, pooled: str, idle: str) -> None:
    found = promise(tmp_path, f"http {{ {http} {'' if 'location' in http else SERVER} }}").services[0].promises
    assert (found["pooled"].text, found["idle"].text) == (pooled, idle)


def test_http_2_is_promised_where_it_is_offered(tmp_path: Path) -> None:
    assert texts(tmp_path, server="server { listen 443 ssl http2; }")["h2"] == "kept"
    assert texts(tmp_path, http="http2 on;")["h2"] == "kept"
    two = "server { listen 443 ssl http2; server_name a; } server { listen 443 ssl; server_name b; }"
    (service,) = promise(tmp_path, f"http {{ {two} }}").services
    assert service.names == ("a", "b")


@pytest.mark.parametrize(
    ("http", "location", "fate"),
    [
        ("", UPGRADE, "kept"),
        (UPGRADE, "proxy_pass http://app;", "kept"),
        ("", f"root /r; location /ws {{ {UPGRADE} }}", "kept"),
        ("", "proxy_pass http://app; proxy_http_version 1.1;", "not served"),
        ("", UPGRADE.replace("Connection upgrade", 'Connection ""'), "not served"),
        ("", UPGRADE.replace("proxy_http_version 1.1;", ""), "not known"),
    ],
)
def test_a_websocket_needs_the_header_of_an_upgrade(tmp_path: Path, http: str, location: str, fate: str) -> None:
    server = f"server {{ server_name web; location / {{ {location} }} location /s {{ root /s; }} }}"
    assert texts(tmp_path, http=http, server=server)["websocket"] == fate


def test_a_server_in_stream_passes_on_whatever_it_carries(tmp_path: Path) -> None:
    (service,) = promise(tmp_path, "worker_shutdown_timeout 5s; stream { server { listen 1; } }").services
    assert {kind: one.text for kind, one in service.promises.items() if kind != "fresh"} == dict.fromkeys(
        [kind for kind in LOADS if kind != "fresh"], "cut after 5 s"
    )


def test_an_include_without_a_file_is_noted(tmp_path: Path) -> None:
    (note,) = promise(tmp_path, f"http {{ include other.conf; {SERVER} }}").notes
    assert "'include other.conf' matches no file" in note
    with pytest.raises(TargetError, match=r"includes this file; 'include sites-enabled/\*' matches no file"):
        promise(tmp_path, "http { include mime.types; include sites-enabled/*; }")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("http { }", "has no server in http or stream"),
        (SERVER, "has no server in http or stream: give the nginx.conf"),
        (f"master_process off; http {{ {SERVER} }}", ":1: master_process off: there is no reload"),
        (f"worker_shutdown_timeout soon; http {{ {SERVER} }}", ":1: 'worker_shutdown_timeout soon' needs a time"),
    ],
)
def test_what_nginx_refuses_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        promise(tmp_path, text)
    assert complaint in str(caught.value)
