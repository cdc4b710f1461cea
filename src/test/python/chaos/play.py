"""One case from its begin to its end."""

import random
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chaos.case import Case
from chaos.catalogue import MISFORTUNES
from chaos.checks import problems
from chaos.scene import Scene
from support.capture import Capture
from support.hand_made_pair import await_well
from switchover.lab import addresses
from switchover.lab.lab import Lab


@dataclass(frozen=True, slots=True)
class Outcome:
    case: Case
    statuses: tuple[str, ...]
    """Of the verdicts that were made in the end."""
    exit_codes: tuple[int, ...]
    refusal: str
    """The last line of a drill that made no verdict."""
    problems: tuple[str, ...]

    def as_row(self) -> dict[str, Any]:
        row = asdict(self.case) | asdict(self)
        del row["case"]
        return row


def could_not_be_played(case: Case, error: Exception) -> Outcome:
    """What to say of a case that broke off: nothing of it is known, so it does not hold."""
    return Outcome(
        case, (), (), "the case broke off", (f"could not be played: {type(error).__name__}: {error}"[:500],)
    )


def play(lab: Lab, case: Case, folder: Path) -> Outcome:
    """In a folder of its own, whose path must be short: sockets are in it."""
    await_well(lab)
    target = lab.target_file.read_bytes()
    scene = Scene(lab, folder, random.Random(f"torture {case.seed} played"))
    found: list[str] = []
    with ExitStack() as ended:
        ended.callback(lab.target_file.write_bytes, target)
        capture = ended.enter_context(Capture(lab, addresses.VIP, folder))
        acts = [MISFORTUNES[name].play(scene) for name in case.misfortunes]
        for act in acts:
            next(act)
            ended.callback(next, act, None)
        scene.start(case.fault, case.generator)
        scene.wait_for_run()
        begun = time.monotonic()
        for moment_s, act in sorted(zip(case.moments_s, acts, strict=True), key=lambda pair: pair[0]):
            while time.monotonic() < begun + moment_s and not scene.have_ended:
                time.sleep(0.01)
            next(act)
        found += scene.await_end()
    found += problems(scene, capture)
    statuses = tuple(verdict["verdict"] for _, verdict in scene.verdicts())
    return Outcome(
        case=case,
        statuses=statuses,
        exit_codes=tuple(runner.returncode for runner in scene.runners),
        refusal="" if statuses else scene.said().strip().rpartition("\n")[2].replace(f"{folder}/", ""),
        problems=tuple(found),
    )
