"""The target's commands hang, fail, leave a child or change their mind; or a second run wants the pair."""

from pathlib import Path

from chaos.scene import Act, Scene

COUNTED = 'n=$(cat "$0" 2>/dev/null || echo 0); echo $((n + 1)) >"$0"; '
"""A command that is told where it counts how often it was run."""


def heal_hangs_once(scene: Scene) -> Act:
    yield from _wrapped(scene, "heal", '[ "$n" -gt 0 ] || sleep 1000; exec "$@"')


def heal_fails_twice(scene: Scene) -> Act:
    yield from _wrapped(scene, "heal", '[ "$n" -gt 1 ] || { echo "not yet" >&2; exit 1; }; exec "$@"')


def kill_leaves_a_child(scene: Scene) -> Act:
    """It holds the output of the command open."""
    yield from _wrapped(scene, "kill", 'sleep 300 & exec "$@"')


def proof_of_heal_flaps(scene: Scene) -> Act:
    yield from _wrapped(scene, "verify_healed", '[ $((n % 2)) = 0 ] || exit 1; exec "$@"')


def second_run(scene: Scene) -> Act:
    """Another drill of the same pair begins meanwhile: one of the two fires at a time."""
    scene.others_ask = True
    yield
    scene.start("haproxy-kill", "none", scene.folder / "second")
    yield


def _wrapped(scene: Scene, key: str, script: str) -> Act:
    for name, fault in scene.target["fault"].items():
        if key in fault:
            counter: Path = scene.folder / f"{key}-{name}.count"
            fault[key] = ["sh", "-c", COUNTED + script, str(counter), *fault[key]]
    yield
    yield
