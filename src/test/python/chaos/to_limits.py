"""The client has not enough of something."""

from chaos.scene import Act, Scene

PORTS = "net.ipv4.ip_local_port_range"
DESCRIPTORS = (12, 24, 48, 96)


def few_descriptors(scene: Scene) -> Act:
    """From the begin of the drill on: a limit is inherited."""
    number = scene.chance.choice(DESCRIPTORS)
    scene.prefix += ["prlimit", f"--nofile={number}:{number}", "--"]
    yield
    yield


def no_ports_left(scene: Scene) -> Act:
    """Five ports for everybody in the client, for the rest of the drill."""
    kept = scene.in_client("sysctl", "-n", PORTS).strip()
    yield
    scene.in_client("sysctl", "-qw", f"{PORTS}=40000 40004")
    yield
    scene.in_client("sysctl", "-qw", f"{PORTS}={kept}")
