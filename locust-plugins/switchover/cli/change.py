"""`switchover change`: repeat a change that should lose no request, and count the lost requests."""

import argparse

from switchover.cli import drill
from switchover.faults.catalogue import CHANGES
from switchover.lab.options import spec_options

EPILOG = """examples:
  switchover change haproxy-reload
      twelve reloads of HAProxy in the lab, five seconds apart
  switchover change haproxy-reload --idle-close-on-response
      with the option that makes reloads hitless
  switchover change haproxy-reload --hard-stop-after 3s
      old processes end after three seconds, which cuts every download
  switchover change nginx-reload --balancer nginx --times 300 --every 2s --limit lossy=1%@95
      test whether less than 1 % of the reloads lose a request, with 95 % confidence
  switchover change haproxy-reload --retrying-client
      also print the losses that a client with retries (urllib3) hides
  switchover change haproxy-reload --target site.toml --arm
      your own pair: [change.haproxy-reload] and [connections] in the target file
  switchover change haproxy-reload --plan my_locustfile.py
      twelve reloads, and the cost of each reload for your own users
  switchover change haproxy-reload --generator jmeter --plan my_plan.jmx
      the cost of each reload for your own test plan; the plan needs a Switchover Listener

T is a duration: 250ms, 5s, 2min; a number is seconds. KINDS are pooled, idle,
download, upload, sse, websocket, tcp and h2. pooled=30,idle=200 keeps 30 pooled and 200
idle connections open. Default: the default number of each kind in [connections] of the
target file.
limits: lost=0 (requests and streams), lossy=1%@95 (share of changes with a loss,
upper bound with 95 % confidence), delay=50ms (longest delay that a change
caused), and the limits of 'switchover drill'
exit codes: 0 all limits are met; 1 a limit is exceeded; 2 invalid, inconclusive,
without effect or not done"""

PARSER = {
    "parents": [spec_options()],
    "help": "repeat a change, such as a reload, and count the losses",
    "description": "Repeat a change (a reload, a drain or a swap), and count the losses on open connections of all "
    "kinds.\n--plan or --generator adds a load. Without --target, the changes are made in the "
    "built-in lab.",
    "epilog": EPILOG,
    "formatter_class": argparse.RawDescriptionHelpFormatter,
}
run = drill.run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "change",
        metavar="NAME",
        help=f"in the lab: {', '.join(CHANGES)}; with --target: a [change.NAME] of the target file",
    )
    drill.add_arguments(parser, without=("fault", "change", "repeat", "hold", "recover"))
