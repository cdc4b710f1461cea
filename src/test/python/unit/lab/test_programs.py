"""The programs of a lab say their versions; one that does not is left out, and ends nothing."""

from pathlib import Path

import pytest

from switchover.lab.capability import program_versions


def program(folder: Path, name: str, says: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("says", "version"),
    [
        ("HAProxy version 2.6.12-1+deb12u4 2026/01/01 - https://haproxy.org/", "2.6.12"),
        ("nginx version: nginx/1.22.1", "1.22.1"),
        ("Keepalived v2.2.7 (01/16,2022)", "2.2.7"),
    ],
)
def test_a_version_is_the_first_number_with_dots(says: str, version: str, tmp_path: Path) -> None:
    assert program_versions({"nginx": program(tmp_path, "nginx", f"echo '{says}' >&2")}) == {"nginx": version}


def test_a_program_that_does_not_run_or_says_nothing_is_left_out(tmp_path: Path) -> None:
    silent = program(tmp_path, "haproxy", "exit 1")
    assert program_versions({"haproxy": silent, "keepalived": str(tmp_path / "missing"), "ip": "/bin/ip"}) == {}
