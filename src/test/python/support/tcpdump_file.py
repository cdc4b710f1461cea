"""Packets that tcpdump wrote to a file: half a million of them are too many for its text."""

import re
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from support.capture import START_WITHIN_S, HasHosts

FILE_HEADER, PACKET_HEADER = 24, 16
ETHERNET = 14
KEEP_BYTES = 74
"""Ethernet, IP and TCP, with options."""
BUFFER_KIB = "65536"
MICROSECONDS = 0xA1B2C3D4
"""Its first four bytes, where times are in microseconds (draft-ietf-opsawg-pcap)."""


class TcpdumpFile:
    """From `with` to its end; then its packets can be read."""

    def __init__(self, lab: HasHosts, host: str, packets: str, directory: Path, name: str) -> None:
        self._file, self._errors = directory / f"{name}.pcap", directory / f"{name}.log"
        options = ["-Z", "root", "-i", "eth0", "-n", "-U", "-B", BUFFER_KIB, "-s", str(KEEP_BYTES)]
        self._argv = lab.exec_argv(host, ["tcpdump", *options, "-w", str(self._file), packets])
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "TcpdumpFile":
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(self._argv, stderr=errors, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + START_WITHIN_S
        while "listening on" not in self._errors.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"tcpdump did not start: {self._errors.read_text()}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=START_WITHIN_S)

    def tcp_headers(self) -> Iterator[tuple[int, bytes]]:
        """When the kernel stamped it, in microseconds of the wall clock, and the packet from its TCP header on."""
        content = self._file.read_bytes()
        order = "<" if struct.unpack_from("<I", content)[0] == MICROSECONDS else ">"
        place = FILE_HEADER
        while place + PACKET_HEADER <= len(content):
            seconds, micros, kept, _ = struct.unpack_from(f"{order}IIII", content, place)
            place += PACKET_HEADER
            ip_header = (content[place + ETHERNET] & 0x0F) * 4
            yield seconds * 1_000_000 + micros, content[place + ETHERNET + ip_header : place + kept]
            place += kept

    def dropped(self) -> int:
        """Packets that the kernel dropped before tcpdump saw them: with any, the capture is no witness."""
        match = re.search(r"(\d+) packets dropped by kernel", self._errors.read_text())
        return int(match[1]) if match else 0
