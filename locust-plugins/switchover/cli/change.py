"""`switchover change`: makes a change that should cost nothing, many times, and counts what it cost."""

import argparse

from switchover.cli.drill import add_options, drill_or_lab, read_settings
from switchover.faults.catalogue import CHANGES
from switchover.lab.options import spec_options

EPILOG = """examples:
  switchover change haproxy-reload
      twelve reloads of HAProxy in the lab, five seconds apart
  switchover change haproxy-reload --idle-close-on-response
      the same with the line that makes it hitless
  switchover change haproxy-reload --hard-stop-after 3s
      the same where old processes end after three seconds: every download is cut
  switchover change nginx-reload --balancer nginx --times 300 --every 2s --limit lossy=1%@95
      are fewer than one in a hundred reloads lossy, with 95 % confidence?
  switchover change haproxy-reload --retrying-client
      what does a client that sends again by itself (urllib3) tell of it?
  switchover change lb-reload --target site.toml --arm
      your own pair: [change.lb-reload] and [connections] in the target file
  switchover change haproxy-reload --plan my_locustfile.py
      the same beside your own users, and what each change cost them
  switchover change haproxy-reload --generator jmeter --plan my_plan.jmx
      the same beside JMeter's, with a Switchover Listener in the plan

T is a duration: 250ms, 5s, 2min; a number is seconds. KINDS are pooled, idle,
download, upload, sse, websocket, tcp and h2: pooled=30,idle=200 keeps so many
of these open and no others; without --connections it is the usual number of all
that the target has in [connections].
limits: lost=0 (requests and streams), lossy=1%@95 (changes that lost something:
the upper bound of that confidence must be within), delay=50ms (the longest wait
of a request that a change caused), and those of 'switchover drill'
exit codes: 0 all limits are kept; 1 a limit is exceeded; 2 invalid, not decided,
without effect or not done"""

WITHOUT = ("fault", "change", "repeat", "hold", "recover")
"""A drill's options that a series of changes has no use for."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "change",
        parents=[spec_options()],
        help="make a change that should cost nothing, many times, and count what it cost",
        description="A reload, a drain or a swap, made many times while connections of every kind are kept open,\n"
        "with --plan or --generator beside a load.\n"
        "Without --target it runs in the built-in lab.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "change",
        metavar="NAME",
        help=f"in the lab {', '.join(CHANGES)}; else a [change.NAME] of the target file",
    )
    add_options(parser, *WITHOUT)
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    return drill_or_lab(read_settings(arguments), arguments)
