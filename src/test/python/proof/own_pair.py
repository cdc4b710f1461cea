"""`python -m proof.own_pair ROOT`: drills of a real pair over ssh, with the target file of `init`, against a capture.

ROOT is a Debian made by `tools/real-pair root`. Root starts the pair; USER, an ordinary user, runs everything else.
tcpdump at the client notes each response from the virtual address. Each row goes to docs/proof/own-pair.json when its
drill ends; a drill that has a valid row is not repeated.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pwd import getpwnam
from typing import Any

from proof.captured_losses import follow
from proof.pages import write_between
from proof.results import DOCS, exit_status, option_parser, run_folder
from support.capture import LENGTH_BOUND_MS, Answer, Tcpdump, WallClock, silence_ms

NAME = "own-pair"
VIP, URL = "198.18.0.50", "http://198.18.0.50/held"
FAULTS = ("keepalived-stop", "haproxy-crash", "haproxy-stop", "haproxy-kill", "node-down")
CHANGE = "haproxy-reload"
RELOADS, DRILLS, SERIES = 10, 4, 2
LIMIT_S = 300.0
GOOD = re.compile(rb"HTTP/1\.1 [23]")
TOOL = DOCS.parent / "tools" / "real-pair"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RealPair:
    """Two nodes that `tools/real-pair` runs in this folder."""

    folder: Path
    name: str = "proof"

    def exec_argv(self, host: str, argv: Sequence[str]) -> list[str]:
        return ["ip", "netns", "exec", f"{self.name}-{host}", *argv]

    def run_tool(self, action: str, *words: str) -> None:
        environment = {**os.environ, "NAME": self.name}
        subprocess.run((TOOL, action, self.folder, *words), env=environment, check=True)


@dataclass(frozen=True, slots=True)
class User:
    """Runs `switchover` at the client of a pair, in a folder of its own."""

    pair: RealPair
    name: str
    python: str
    folder: Path

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        account = getpwnam(self.name)
        user = ("setpriv", "--reuid", self.name, "--regid", str(account.pw_gid), "--init-groups")
        command = (*user, self.python, "-m", "switchover", *words)
        argv = self.pair.exec_argv("client", command)
        return subprocess.run(argv, cwd=self.folder, text=True, capture_output=True, timeout=LIMIT_S, check=False)


def main() -> int:
    parser = option_parser("proof.own_pair", __doc__)
    parser.add_argument("root", type=Path, help="the Debian that both nodes are copies of")
    parser.add_argument("--user", default="nobody", help="who runs switchover (default nobody)")
    parser.add_argument("--python", default=sys.executable, help="a Python that this user may run (default this one)")
    arguments = parser.parse_args()
    folder = run_folder()
    pair = RealPair(folder / "pair")
    user = User(pair, arguments.user, arguments.python, folder / "user")
    user.folder.mkdir()
    folder.chmod(0o755)
    pair.run_tool("up", str(arguments.root))
    try:
        for path in (user.folder, pair.folder / "key"):
            shutil.chown(path, arguments.user)
        with (pair.folder / "ssh_config").open("a", encoding="utf-8") as file:
            file.write(f"  ControlMaster auto\n  ControlPath {user.folder}/%C\n  ControlPersist 60\n")
        options = ("--url", URL, "--dedicated", "--ssh-config", str(pair.folder / "ssh_config"))
        done = user.run("init", "lb1", "lb2", *options)
        print(done.stdout, done.stderr, flush=True)
        done.check_returncode()
        _drill_all(user)
    finally:
        pair.run_tool("down")
    write_between(DOCS / "proof" / f"{NAME}.txt", NAME, as_table(read_rows()))
    return exit_status(problem for row in read_rows() for problem in broken(row))


def _drill_all(user: User) -> None:
    wanted = [(fault, number) for number in range(1, DRILLS + 1) for fault in FAULTS]
    wanted += [(CHANGE, number) for number in range(1, SERIES + 1)]
    for name, number in wanted:
        known: dict[tuple[str, int], Row] = {(row["name"], row["number"]): row for row in read_rows()}
        if (name, number) in known and not list(broken(known[name, number])):
            continue
        known[name, number] = _reload(user, number) if name == CHANGE else _drill(user, name, number)
        rows = [known[each] for each in wanted if each in known]
        text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
        (DOCS / "proof" / f"{NAME}.json").write_text(text, encoding="utf-8")
        print(json.dumps(known[name, number]), flush=True)


def _drill(user: User, fault: str, number: int) -> Row:
    folder = user.folder / f"{fault}-{number}"
    folder.mkdir(exist_ok=True)
    packets = f"src host {VIP} and tcp[((tcp[12:1] & 0xf0) >> 2):4] = 0x48545450"
    words = ("drill", "--target", "site.toml", "--fault", fault, "--arm", "--generator", "none")
    with WallClock() as clock, Tcpdump(user.pair, "client", packets, folder, "capture", as_lines=False) as capture:
        done = user.run(*words, "--probe-rate", "200", "--json")
    verdict = _verdict(done)
    run = json.loads((user.folder / "runs" / verdict["run"] / "run.json").read_text(encoding="utf-8"))
    plan, seen_ms = run["plan"], None
    if plan["fired_from_us"] is not None:
        # A node that has lost the address sends a response again, because no acknowledgement reaches it.
        first = {(one.destination, one.sequence): one for one in reversed(list(capture.segments()))}
        good = sorted(clock.without_steps_us(one.at_ns // 1000) for one in first.values() if GOOD.match(one.data))
        answers = [Answer(at_us, "", True) for at_us in good]
        seen_ms = silence_ms(answers, plan["fired_from_us"], plan["heal_from_us"] or plan["end_us"])
    outage = verdict["outage"] or {}
    return {
        **_common(fault, number, done, verdict),
        "low_ms": outage.get("low_ms"),
        "high_ms": outage.get("high_ms"),
        "gaps": outage.get("gap_count"),
        "predicted_ms": _window(verdict["prediction"]),
        "capture_ms": seen_ms,
        "capture_dropped": capture.dropped(),
    }


def _reload(user: User, number: int) -> Row:
    folder = user.folder / f"{CHANGE}-{number}"
    folder.mkdir(exist_ok=True)
    words = ("change", CHANGE, "--target", "site.toml", "--arm", "--times", str(RELOADS), "--probe-rate", "100")
    with Tcpdump(user.pair, "client", f"tcp and host {VIP}", folder, "capture", as_lines=False) as capture:
        done = user.run(*words, "--json")
    verdict = _verdict(done)
    conversations = follow(capture.segments(), VIP, frozenset({80}), 0)
    return {
        **_common(CHANGE, number, done, verdict),
        "changes": verdict["changes"]["made"],
        "connections": len(conversations),
        "capture_lost": sum(len(one.losses) for one in conversations),
        "lost": verdict["changes"]["lost"],
        "probes_failed": verdict["probes"]["failed"],
        "capture_dropped": capture.dropped(),
    }


def _verdict(done: "subprocess.CompletedProcess[str]") -> Any:
    if not done.stdout:
        raise AssertionError(done.stderr[-2000:])
    return json.loads(done.stdout)


def _common(name: str, number: int, done: "subprocess.CompletedProcess[str]", verdict: Any) -> dict[str, Any]:
    return {
        "name": name,
        "number": number,
        "exit_code": done.returncode,
        "verdict": verdict["verdict"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
        "unaccounted": (verdict["accounting"] or {}).get("unaccounted"),
        "load_average": round(os.getloadavg()[0], 1),
    }


def _window(prediction: Any) -> list[float] | None:
    return [prediction["low_ms"], prediction["high_ms"]] if prediction and prediction["high_ms"] else None


def read_rows() -> list[dict[str, Any]]:
    path = DOCS / "proof" / f"{NAME}.json"
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def broken(row: Row) -> Iterator[str]:
    """Everything that keeps a row from being a proof."""
    name = f"{row['name']} {row['number']}"
    if row["exit_code"] != 0:
        yield f"{name}: {row['verdict']}: {'; '.join(row['reasons'])}"
    if row["capture_dropped"]:
        yield f"{name}: the capture dropped {row['capture_dropped']} packets"
    if row["name"] == CHANGE:
        if row["capture_lost"] != row["lost"] + row["probes_failed"]:
            yield f"{name}: {row['capture_lost']} losses in the capture, {row['lost']} reported"
    elif row["capture_ms"] is None or not (
        row["low_ms"] - LENGTH_BOUND_MS <= row["capture_ms"] <= row["high_ms"] + LENGTH_BOUND_MS
    ):
        yield f"{name}: {row['capture_ms']} ms in the capture, {row['low_ms']} to {row['high_ms']} ms printed"


def as_table(rows: Sequence[Row]) -> str:
    lines = [
        "| fault | verdict | printed interval | capture | inside | predicted | unaccounted | load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in rows if row["name"] != CHANGE):
        interval = "none" if row["high_ms"] is None else f"{row['low_ms']:,.1f} to {row['high_ms']:,.1f} ms"
        capture = "none" if row["capture_ms"] is None else f"{row['capture_ms']:,.1f} ms"
        window = row["predicted_ms"] and " to ".join(f"{end:,.0f}" for end in row["predicted_ms"])
        cells = (
            row["name"],
            row["verdict"],
            interval,
            capture,
            "no" if any(broken(row)) else "yes",
            f"{window} ms" if window else "none",
            row["unaccounted"],
            row["load_average"],
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += [
        "",
        "| change | verdict | made | connections | lost in the capture | reported | failed probes | load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    keys = ("name", "verdict", "changes", "connections", "capture_lost", "lost", "probes_failed", "load_average")
    lines += [f"| {' | '.join(str(row[key]) for key in keys)} |" for row in rows if row["name"] == CHANGE]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
