"""`switchover change`: makes a change that should cost nothing, many times, and counts what it cost."""

import argparse
import secrets
from dataclasses import replace

from switchover.cli.drill_options import add_options, read_settings, reads
from switchover.cli.lab import spec_options
from switchover.cli.lab_drill import change_in_lab, refuse_lab_options
from switchover.cli.progress import Progress
from switchover.drill.conduct import conduct
from switchover.drill.make_changes import ChangeSettings, ChangesPlan
from switchover.drill.option_readers import read_count_to, read_duration
from switchover.drill.options import DrillSettings
from switchover.drill.prepare import PreparedFault, prepare_change
from switchover.faults.catalogue import CHANGES
from switchover.model.errors import UsageError
from switchover.patient import choose_loads, read_counts, require_packages, require_twin
from switchover.report.github import tell_github
from switchover.report.make_report import Form, show
from switchover.target.model import Target
from switchover.target.reader import load_target

MOST_TIMES = 10_000
SHORTEST_S = 1.0

EPILOG = """examples:
  switchover change haproxy-reload
      twelve reloads of HAProxy in the lab, five seconds apart
  switchover change haproxy-reload --idle-close-on-response
      the same with the line that makes it hitless
  switchover change haproxy-reload --hard-stop-after 3s
      the same where old processes end after three seconds: every download is cut
  switchover change nginx-reload --balancer nginx --times 300 --every 2s --budget lossy=1%@95
      are fewer than one in a hundred reloads lossy, with 95 % confidence?
  switchover change haproxy-reload --twin
      what does a client that sends again by itself (urllib3) tell of it?
  switchover change lb-reload --target site.toml --arm
      your own pair: [change.lb-reload] and [patient] in the target file

T is a duration: 250ms, 5s, 2min; a number is seconds. KINDS are pooled, idle,
download, upload, sse, websocket, tcp and h2: pooled=30,idle=200 keeps so many
of these open and no others.
budgets: lost=0 (requests and streams), lossy=1%@95 (changes that lost something:
the upper bound of that confidence must be within), delay=50ms (the longest wait
of a request that a change caused), and those of 'switchover drill'
exit codes: 0 all budgets hold; 1 a budget is broken; 2 not trusted, not decided,
without effect or not done"""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "change",
        parents=[spec_options()],
        help="make a change that should cost nothing, many times, and count what it cost",
        description="A reload, a drain or a swap, made many times while connections of every kind are kept open.\n"
        "Without --target it runs in the built-in lab.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help=f"in the lab {', '.join(CHANGES)}; else a [change.NAME] of the target file",
    )
    series = parser.add_argument_group("the changes")
    series.add_argument("--times", type=reads(read_count_to(MOST_TIMES)), default=12, metavar="N", help="default 12")
    series.add_argument(
        "--every",
        type=reads(read_duration),
        default=5.0,
        metavar="T",
        help="from the start of one to the start of the next, at least (default 5s); choose it longer than the time "
        "after which an old process is ended",
    )
    series.add_argument(
        "--patient",
        type=reads(read_counts),
        metavar="KINDS",
        help="what is kept open (default: the usual number of all that the target has in [patient])",
    )
    series.add_argument(
        "--twin",
        action="store_true",
        help="run the pooled load a second time beside it, by a client that sends again what was lost (urllib3 with "
        "its defaults), and show what that hides; pooled and idle requests are PUTs then, which such clients resend",
    )
    without = ("fault", "repeat", "generator", "plan", "users", "spawn-rate", "jmeter-home", "hold", "recover")
    add_options(parser, *without)
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    settings = replace(read_settings(arguments), name=arguments.name)
    chosen = ChangeSettings(
        name=arguments.name,
        times=arguments.times,
        every_s=arguments.every,
        counts=arguments.patient,
        twin=arguments.twin,
    )
    if chosen.every_s < SHORTEST_S:
        raise UsageError(f"--every {chosen.every_s:g}s is too short: a change is looked at for {SHORTEST_S:g} s")
    require_packages()
    if settings.target is None:
        return change_in_lab(chosen.name, settings, arguments)
    refuse_lab_options(arguments.argv)
    return change_target(chosen, settings, load_target(settings.target), as_json=arguments.json)


def change_target(chosen: ChangeSettings, settings: DrillSettings, target: Target, *, as_json: bool = False) -> int:
    loads = choose_loads(chosen.counts, target.patient)
    if chosen.twin:
        require_twin(loads)
    seed = secrets.randbelow(2**31) if settings.seed is None else settings.seed
    settings = replace(settings, seed=seed)

    def new_plan(_: PreparedFault | None) -> ChangesPlan:
        return ChangesPlan(
            chosen,
            prepare_change(target, chosen.name, settings),
            loads,
            baseline_s=settings.baseline_s,
            seed=seed,
            rehearse=settings.rehearse,
        )

    with Progress() as progress:
        done = conduct(settings, new_plan, progress, target)
    assert done.verdict is not None, "a series of changes is judged"
    tell_github(done.verdict)
    return show(done.directory, done.verdict, Form.JSON if as_json else Form.SCREEN, streamed=done.streamed)
