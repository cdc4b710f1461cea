"""Run a program for which setgroups(2) always succeeds: `without_setgroups.py COMMAND...`. In an ordinary user's
namespace, Keepalived's child would otherwise exit with 0 without running the check (measured: keepalived 2.2.7)."""

import ctypes
import os
import struct
import sys

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, SUCCEED_AT_ONCE = 0x7FFF0000, 0x00050000
"""The actions SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO with errno 0."""
NUMBER_OFFSET, ARCHITECTURE_OFFSET = 0, 4
"""The offsets of `nr` and `arch` in struct seccomp_data."""
SETGROUPS = {"x86_64": (0xC000003E, 116), "aarch64": (0xC00000B7, 159)}
"""For each machine type: the audit architecture, and the system call number of setgroups(2) (linux/audit.h,
asm/unistd.h)."""


def filter_program(architecture: int, number: int) -> bytes:
    """Return the seccomp filter as struct sock_filter[]: code, jump if true, jump if false, operand."""
    instructions = (
        (LOAD_WORD, 0, 0, ARCHITECTURE_OFFSET),
        (JUMP_IF_EQUAL, 0, 3, architecture),
        (LOAD_WORD, 0, 0, NUMBER_OFFSET),
        (JUMP_IF_EQUAL, 0, 1, number),
        (RETURN, 0, 0, SUCCEED_AT_ONCE),
        (RETURN, 0, 0, ALLOW),
    )
    return b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)


def install(program: bytes) -> None:
    """Install the seccomp filter for this process and its children. Needs CAP_SYS_ADMIN in the user namespace."""
    instructions = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_SECCOMP)")


def main(command: list[str]) -> None:
    machine = os.uname().machine
    if machine not in SETGROUPS:
        sys.exit(
            f"the lab runs as an ordinary user on {' and '.join(SETGROUPS)} only, not on {machine}: run it with sudo"
        )
    install(filter_program(*SETGROUPS[machine]))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
