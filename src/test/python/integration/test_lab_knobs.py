"""Each knob of the lab, seen from its client: answers, who gave them, and what the settings do."""

import subprocess
import sys
from dataclasses import replace

import pytest

from switchover.lab.lab import Lab
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.lab.target_file import service_address

pytestmark = pytest.mark.beside

QUICK = LabSpec(backends=2, keepalived=parse_keepalived("version=3,advert_int=100ms"))
ASK = """
import socket, ssl, sys, time
scheme, address, port, count, source, method = sys.argv[1:]
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
context.set_ciphers("ALL")
for _ in range(int(count)):
    begun = time.monotonic()
    connection = socket.create_connection((address, int(port)), 5, (source, 0) if source else None)
    connected = time.monotonic() - begun
    cipher = ""
    if scheme == "https":
        connection = context.wrap_socket(connection)
        cipher = connection.cipher()[0]
    request = f"{method} / HTTP/1.1\\r\\nHost: {address}\\r\\nConnection: close\\r\\nContent-Length: 2\\r\\n\\r\\nab"
    connection.sendall(request.encode())
    answer = b""
    while piece := connection.recv(65536):
        answer += piece
    head, _, body = answer.partition(b"\\r\\n\\r\\n")
    lines = head.decode().split("\\r\\n")
    headers = {n.lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:])}
    print(lines[0].split()[1], len(body), headers.get("x-backend", "-"), headers.get("x-balancer", "-"),
          headers.get("location", "-"), cipher or "-", f"{connected * 1000:.1f}")
"""


def ask(lab: Lab, count: int = 1, *, source: str = "", method: str = "GET") -> list[list[str]]:
    """Status, body size, X-Backend, X-Balancer, Location, cipher and milliseconds to connect, of each answer."""
    spec = lab.spec
    statuses = (spec.scheme, service_address(spec), str(spec.port), str(count), source, method)
    done = subprocess.run(
        lab.exec_argv("client", [sys.executable, "-c", ASK, *statuses]), capture_output=True, text=True, check=True
    )
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_https_ends_at_the_balancer_with_the_cipher_that_was_asked_for(balancer: str) -> None:
    spec = replace(QUICK, balancer=balancer, mode="https", cipher="AES256-SHA", body_bytes=100)
    with Lab(spec) as lab:
        answers = ask(lab, 2)
    assert [answer[:2] for answer in answers] == [["200", "100"]] * 2
    assert {answer[3] for answer in answers} == {"lb1"}
    assert {answer[5] for answer in answers} == {"AES256-SHA"}


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
@pytest.mark.parametrize("mode", ["tcp", "tcp-https"])
def test_in_tcp_the_answer_passes_as_the_backend_made_it(balancer: str, mode: str) -> None:
    spec = replace(QUICK, balancer=balancer, mode=mode, backend_kind="apache", body_bytes=10)
    with Lab(spec) as lab:
        (answer,) = ask(lab, method="POST")
    assert answer[:4] == ["200", "10", "-", "-"]


def test_the_redirector_sends_clients_to_the_backends_in_turn() -> None:
    with Lab(replace(QUICK, balancer="redirect")) as lab:
        answers = ask(lab, 4)
    assert {answer[0] for answer in answers} == {"302"}
    assert sorted(answer[4] for answer in answers) == ["http://198.18.0.21/"] * 2 + ["http://198.18.0.22/"] * 2


@pytest.mark.parametrize("kind", ["nginx", "apache", "app"])
def test_without_a_balancer_the_first_backend_answers_by_name(kind: str) -> None:
    with Lab(replace(QUICK, balancer="none", backend_kind=kind)) as lab:
        assert ask(lab)[0][:4] == ["200", "1024", "web1", "-"]


def test_the_round_trip_is_what_was_asked_for_and_one_more_address_reaches_another_backend_by_its_hash() -> None:
    spec = replace(
        QUICK,
        balancer="nginx",
        algorithm="source",
        backend_kind="app",
        service_ms=(5.0, 20.0),
        round_trip_ms=171.0,
        client_addresses=2,
    )
    with Lab(spec) as lab:
        first = ask(lab, 2)
        second = ask(lab, 2, source="198.19.2.2")
    assert {answer[2] for answer in first} == {"198.18.0.21:80"}
    assert {answer[2] for answer in second} == {"198.18.0.22:80"}
    assert min(float(answer[6]) for answer in first + second) >= 171.0
