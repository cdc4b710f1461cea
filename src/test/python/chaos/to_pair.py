"""The pair itself, or what is behind it, has more than the drill's fault."""

import time

from chaos.scene import Act, Scene
from switchover.lab import addresses
from switchover.lab.lab import Lab

BACKENDS = 3
AWAY_S = (0.5, 4.0)
"""Shorter and longer than an election."""
HEADERS = "".join(f'        add_header X-Large-{number} "{"a" * 3000}";\n' for number in range(350))
"""More than a megabyte; Nginx reads no argument of more than 4 KiB."""


def both_balancers_end(scene: Scene) -> Act:
    yield from _away(scene, [(name, "haproxy", "kill") for name in addresses.BALANCERS])


def backup_ends(scene: Scene) -> Act:
    yield from _away(scene, [(addresses.BALANCERS[1], "haproxy", "kill")])


def every_backend_ends(scene: Scene) -> Act:
    yield from _away(scene, [(host.name, "nginx", "stop") for host in addresses.backends(BACKENDS)])


def split_brain_returns(scene: Scene) -> Act:
    """Twice a master that neither speaks nor lets go of the address."""
    yield
    for _ in range(2):
        scene.lab.service(addresses.BALANCERS[0], "keepalived", "freeze")
        time.sleep(scene.chance.uniform(*AWAY_S))
        scene.lab.service(addresses.BALANCERS[0], "keepalived", "thaw")
        time.sleep(1.0)
    yield


def master_is_reloaded(scene: Scene) -> Act:
    """Its counters begin again in a new process, while the old one still serves."""
    yield
    scene.lab.service(addresses.BALANCERS[0], "haproxy", "reload")
    yield


def answers_have_a_megabyte_of_headers(scene: Scene) -> Act:
    """Of one backend: more than a balancer takes, which says 502 in its place."""
    config = scene.lab.layout.host("web1") / "nginx.conf"
    kept = config.read_text(encoding="utf-8")
    place = "        root "
    assert kept.count(place) == 1
    yield
    config.write_text(kept.replace(place, HEADERS + place), encoding="utf-8")
    scene.lab.service("web1", "nginx", "reload")
    yield
    config.write_text(kept, encoding="utf-8")
    scene.lab.service("web1", "nginx", "reload")


def _away(scene: Scene, verbs: list[tuple[str, str, str]]) -> Act:
    yield
    for host, service, verb in verbs:
        scene.lab.service(host, service, verb)
    time.sleep(scene.chance.uniform(*AWAY_S))
    start(scene.lab, verbs)
    yield
    start(scene.lab, verbs)  # the drill's own fault may have ended one of them meanwhile


def start(lab: Lab, verbs: list[tuple[str, str, str]]) -> None:
    for host, service, _ in verbs:
        if lab.service(host, service, "status")[0] != 0:
            lab.service(host, service, "start")
