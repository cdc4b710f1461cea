"""Check or note the priority that a master's Keepalived announces, with the standard library alone.

    python -I -S vrrp_priority.py --note FILE [COMMAND ARGUMENT...]
    python -I -S vrrp_priority.py --other FILE

The program waits on this host for the next advert. The host's own Keepalived has joined the multicast group. `--note`
writes the priority to the file and then runs the command. `--other` checks that the priority has changed.

Exit status 0: done, or true. 1: false. 2: no advert was received.
"""

import os
import socket
import sys
from pathlib import Path

PROTOCOL = 112
TIMEOUT_S = 5.0
PRIORITY_AT = 2


def announced_priority() -> int:
    """Return the priority of the next advert: byte 2 of VRRP (RFC 9568 section 5.2), after the IPv4 header."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL) as listener:
        listener.settimeout(TIMEOUT_S)
        packet = listener.recv(2048)
    return packet[(packet[0] & 0x0F) * 4 + PRIORITY_AT]


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in ("--note", "--other"):
        print(__doc__, file=sys.stderr)
        return 2
    verb, note, *command = arguments
    try:
        now = announced_priority()
        if verb == "--note":
            Path(note).write_text(str(now), encoding="ascii")
            if command:
                os.execvp(command[0], command)
            return 0
        before = int(Path(note).read_text(encoding="ascii"))
    except (OSError, ValueError, IndexError) as error:
        print(f"no advert was heard: {error}", file=sys.stderr)
        return 2
    print(f"the master announces priority {now}, before it was {before}")
    return int(now == before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
