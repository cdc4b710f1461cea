"""Accidents in the middle of a drill of a hand-made pair, each at a moment that a seed chooses."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.hand_made_pair import (
    HEAL_AFTER_S,
    drill_words,
    holds_the_address,
    reached_by_ssh,
    runners_in_client,
    runs_on,
    write_target,
)
from support.pair_watch import BACKUP, VICTIM, PairWatch, is_answered
from support.waiting import wait_for
from switchover.lab import addresses, control
from switchover.lab.lab import Lab

GRACE_S = 5.0
"""How much later than its heal is due the pair must serve again."""
LIMIT_S = HEAL_AFTER_S + GRACE_S
"""After the kill, but for the time that its proof takes: a drill holds its fault from then on."""
DEADMAN_S = 9.0
"""From its arming, a moment before the kill: the dead-man must be done within the limit."""
RUNNER_S = 180.0
"""How long a run may take to end after its accident: a command that hangs has 15 s, and each is tried twice."""
OPTIONS = ("--hold", f"{HEAL_AFTER_S}s", "--probe-rate", "50")
JOB = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], process_group=0).returncode)"
"""What a shell does for a job: a process group of its own in the session of the terminal, which Ctrl-Z can stop."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the pair in one try."""

    accident: str
    seed: int
    phase_s: float
    phase_of: str
    """The accident came `phase_s` after the begin of the `run`, or after its `kill`."""
    fired: bool
    serving_after_s: float | None
    """From the kill until the pair serves again; None: nothing was fired, or it never did, as `problems` says."""
    heal_due_s: float
    """After the kill: the time that its proof took, as far as it is known, and the hold."""
    exit_codes: list[int]
    machine_load: float
    """Processes that wanted to run, on average over the last minute."""
    problems: list[str]

    @property
    def happened(self) -> bool:
        """False where the drill had refused to fire before the accident could come."""
        return self.fired or self.phase_of == "run"

    @property
    def held(self) -> bool:
        return not self.problems


@dataclass
class Scene:
    """One try: the pair, the watch over it, a folder, and the runs that were started."""

    lab: Lab
    watch: PairWatch
    folder: Path
    chance: random.Random
    runners: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    phase_s: float = 0.0
    phase_of: str = "run"
    may_both_be_down: bool = False

    def start(self, target: Path, name: str, *, as_job: bool = False) -> Path:
        """A drill in the client; where its runs will be."""
        out = self.folder / name
        statuses = drill_words(target, out, *OPTIONS, "--seed", str(self.chance.randrange(1 << 30)))
        if as_job:
            statuses = [sys.executable, "-ISc", JOB, *statuses]
        with (self.folder / f"{name}.log").open("wb") as log:
            self.runners.append(subprocess.Popen(self.lab.exec_argv("client", statuses), stdout=log, stderr=log))
        return out

    def wait_for_phase(self, out: Path) -> None:
        """Until a moment that the seed chooses: of the whole run or, every other time, after the kill."""
        if self.chance.random() < 0.5:
            self.wait_for_phase_of_the_fault(HEAL_AFTER_S + 0.5)
            return
        self.phase_s, self.phase_of = self.chance.uniform(0, HEAL_AFTER_S + 3), "run"
        wait_for(lambda: any(out.glob("*/run.json")) or self.have_ended(), "the run")
        time.sleep(self.phase_s)

    def wait_for_phase_of_the_fault(self, longest_s: float) -> None:
        """Until a moment that the seed chooses in the first `longest_s` after the kill."""
        self.phase_s, self.phase_of = self.chance.uniform(0, longest_s), "kill"
        wait_for(lambda: self.watch.fired_at is not None or self.have_ended(), "the kill")
        time.sleep(self.phase_s)

    def wait_past_the_limit(self) -> None:
        """Until the pair has to serve again, whether or not something was fired."""
        fired_at = self.watch.fired_at
        since = fired_at if fired_at is not None else time.monotonic()
        time.sleep(max(0.0, since + LIMIT_S + 1 - time.monotonic()))

    def have_ended(self) -> bool:
        return all(runner.poll() is not None for runner in self.runners)


def two_runs(scene: Scene) -> None:
    """A second run begins at any moment of the first."""
    target = write_target(scene.lab, scene.folder)
    first = scene.start(target, "first")
    scene.wait_for_phase(first)
    scene.start(target, "second")


def dead_backup(scene: Scene) -> None:
    """The backup's HAProxy dies at any moment, also just after it was found well."""
    scene.may_both_be_down = True
    out = scene.start(write_target(scene.lab, scene.folder), "runs")
    scene.wait_for_phase(out)
    scene.lab.service(BACKUP, "haproxy", "kill")
    while not scene.have_ended():
        time.sleep(0.1)
    scene.lab.service(BACKUP, "haproxy", "start")


def stopped_runner(scene: Scene) -> None:
    """SIGSTOP to the drill; it goes on once the pair had to serve again."""
    out = scene.start(write_target(scene.lab, scene.folder), "runs")
    scene.wait_for_phase(out)
    stopped = runners_in_client(scene.lab)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    scene.wait_past_the_limit()
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)


def suspended_group(scene: Scene) -> None:
    """Ctrl-Z: SIGTSTP to the drill's process group, a job of a shell; it goes on as by `fg` later."""
    out = scene.start(write_target(scene.lab, scene.folder), "runs", as_job=True)
    scene.wait_for_phase(out)
    groups = {os.getpgid(pid) for pid in runners_in_client(scene.lab)}
    for group in groups:
        os.killpg(group, signal.SIGTSTP)
    scene.wait_past_the_limit()
    for group in groups:
        with suppress(ProcessLookupError):  # Ctrl-Z does nothing while a fault is in force: the drill may have ended
            os.killpg(group, signal.SIGCONT)


def full_disk(scene: Scene) -> None:
    """The disk of the run directory is full before the heal, and stays full."""
    agent = scene.lab.layout.socket("client")
    disk = scene.folder / "disk"
    disk.mkdir()
    status, said = control.run(agent, ["mount", "-t", "tmpfs", "-o", "size=2m", "switchover", str(disk)])
    assert status == 0, said
    try:
        scene.start(write_target(scene.lab, scene.folder), "disk")
        scene.wait_for_phase_of_the_fault(HEAL_AFTER_S - 0.2)
        while not scene.have_ended():
            control.run(agent, ["sh", "-c", f"cat /dev/zero >>{disk}/full 2>/dev/null"])
            time.sleep(0.2)
    finally:
        kept = scene.folder / "kept" / "run"
        kept.mkdir(parents=True)
        control.run(agent, ["sh", "-c", f"cp {disk}/*/run.json {kept}/"])
        control.run(agent, ["umount", "-l", str(disk)])


def cut_network(scene: Scene) -> None:
    """The runner's machine falls off the network; the nodes are reached by ssh, and have a dead-man."""
    port = addresses.client().bridge_port
    agent = scene.lab.layout.socket(addresses.BRIDGE)
    with tempfile.TemporaryDirectory(prefix="sw-") as short, reached_by_ssh(scene.lab, Path(short)) as way:
        out = scene.start(write_target(scene.lab, scene.folder, way=way, deadman_s=DEADMAN_S), "runs")
        scene.wait_for_phase(out)
        assert control.run(agent, ["ip", "link", "set", port, "down"])[0] == 0
        try:
            scene.wait_past_the_limit()
        finally:
            control.run(agent, ["ip", "link", "set", port, "up"])
        await_end(scene)


ACCIDENTS: dict[str, Callable[[Scene], None]] = {
    "two-runs": two_runs,
    "dead-backup": dead_backup,
    "stopped-runner": stopped_runner,
    "suspended-group": suspended_group,
    "full-disk": full_disk,
    "cut-network": cut_network,
}


def have_accident(lab: Lab, name: str, seed: int, folder: Path) -> Outcome:
    """One try; the pair is well before it, and has what it needs to be so afterwards."""
    await_well(lab)
    with running(lab, folder, random.Random(f"{name} {seed}")) as scene:
        ACCIDENTS[name](scene)
        await_end(scene)
        await_service(scene)
    needed = [found.not_serving_s for found in scene.watch.disturbances()]
    heal_due_s = HEAL_AFTER_S + proof_of_kill_s(folder)
    late = [seconds for seconds in needed if seconds > heal_due_s + GRACE_S]
    problems = [f"the pair served again {seconds - heal_due_s:.1f} s after its heal was due" for seconds in late]
    if scene.watch.both_were_down() and not scene.may_both_be_down:
        problems.append("both balancers were down")
    return Outcome(
        accident=name,
        seed=seed,
        phase_s=round(scene.phase_s, 2),
        phase_of=scene.phase_of,
        fired=bool(needed),
        serving_after_s=round(max(needed), 2) if needed and math.isfinite(max(needed)) else None,
        heal_due_s=round(heal_due_s, 2),
        exit_codes=[runner.returncode for runner in scene.runners],
        machine_load=round(os.getloadavg()[0], 1),
        problems=problems,
    )


def proof_of_kill_s(folder: Path) -> float:
    """How long the proof took, kill command included; 0 where no run has kept it."""
    found = [0.0]
    for path in folder.glob("*/*/run.json"):
        with suppress(ValueError):
            plan = json.loads(path.read_text(encoding="utf-8"))["plan"]
            if plan["confirmed_us"] is not None:
                found.append((plan["confirmed_us"] - plan["fired_from_us"]) / 1e6)
    return max(found)


@contextmanager
def running(lab: Lab, folder: Path, chance: random.Random) -> Iterator[Scene]:
    """The watch over the pair, and the end of what was started."""
    with ExitStack() as stack:
        scene = Scene(lab, stack.enter_context(PairWatch(lab)), folder, chance)
        try:
            yield scene
        finally:
            for runner in scene.runners:
                runner.kill()
                runner.wait()


def await_end(scene: Scene) -> None:
    for runner in scene.runners:
        runner.wait(timeout=RUNNER_S)


def await_service(scene: Scene) -> None:
    """A drill may end before the failback: until the pair serves again, or had to."""
    fired_at = scene.watch.fired_at
    while fired_at is not None and time.monotonic() < fired_at + LIMIT_S + 1:
        if all(math.isfinite(found.not_serving_s) for found in scene.watch.disturbances()):
            return
        time.sleep(0.1)


def await_well(lab: Lab) -> None:
    """Both balancers run, the one with the higher priority has the address, and it answers."""
    wait_for(lambda: runs_on(lab, VICTIM) and runs_on(lab, BACKUP), "both balancers")
    wait_for(lambda: holds_the_address(lab, VICTIM) and not holds_the_address(lab, BACKUP), "the master")
    wait_for(lambda: is_answered(lab), "the virtual address")
