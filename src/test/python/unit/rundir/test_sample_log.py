"""The sample log: the vectors, and what holds for whatever stands in the file."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.contract import FOLDER, named, vectors
from support.examples import examples
from support.sample_rows import read_samples
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.sample_log import COLUMNS, HEADER, Sample, SampleWriter, format_sample


def sample_of(values: dict[str, Any]) -> Sample:
    rest = dict(values)
    identity = Identity(rest.pop("backend"), rest.pop("balancer"), AnsweredBy(rest.pop("answered_by")))
    error = rest.pop("error")
    return Sample(**rest, identity=identity, error=FailureKind(error) if error else None)


GOOD = sample_of(vectors("samples.json", "write")[0]["sample"])


def test_header_is_the_agreed_one() -> None:
    assert json.loads((FOLDER / "samples.json").read_text(encoding="utf-8"))["header"] == HEADER
    assert len(COLUMNS) == 27


@pytest.mark.parametrize("case", named("samples.json", "write"))
def test_sample_is_written_as_agreed(case: dict[str, Any]) -> None:
    assert format_sample(sample_of(case["sample"])) == case["line"]


@pytest.mark.parametrize("case", named("samples.json", "write"))
def test_written_sample_is_read_back(case: dict[str, Any], tmp_path: Path) -> None:
    """All of it but the first-byte and connect times, which the log holds in milliseconds."""
    writer = SampleWriter(tmp_path / "samples.jtl")
    writer.write(sample_of(case["sample"]))
    writer.close()
    (found,) = read_samples(writer.path)
    start_ms = found.start_us // 1000
    latency_ms = (found.start_us + case["sample"]["latency_us"]) // 1000 - start_ms
    connect_ms = (found.start_us + case["sample"]["connect_us"]) // 1000 - start_ms
    assert found == sample_of(case["sample"] | {"latency_us": latency_ms * 1000, "connect_us": connect_ms * 1000})


def test_second_writer_continues_the_file_with_one_header(tmp_path: Path) -> None:
    for _ in range(2):
        writer = SampleWriter(tmp_path / "samples.jtl")
        writer.write(GOOD)
        writer.close()
    ignored = Ignored()
    assert len(list(read_samples(tmp_path / "samples.jtl", ignored))) == 2
    assert ignored.total == 0


def test_flushed_samples_outlive_sigkill(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from unit.rundir.test_sample_log import GOOD, SampleWriter\n"
        "writer = SampleWriter(Path(sys.argv[1]))\n"
        "for n in range(100): writer.write(GOOD)\n"
        "writer.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "samples.jtl"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program, str(path)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(read_samples(path))) == 100


def test_full_disk_is_counted_and_warned_of_but_never_raised() -> None:
    writer = SampleWriter(Path("/dev/full"))
    for _ in range(3):
        writer.write(GOOD)
        writer.flush()
    writer.close()
    assert writer.lost == 3
    assert writer.warning is not None
    assert "/dev/full: No space left on device" in writer.warning


def test_newline_inside_a_row_is_no_place_to_cut_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in vectors("samples.json", "write") if "quotes" in case["name"])
    writer = SampleWriter(tmp_path / "samples.jtl")
    real_write = os.write
    cut = case["line"].index("two")
    answers = [lambda fd, data: real_write(fd, data[:cut])]

    def write(fd: int, data: bytes) -> int:
        if answers:
            return answers.pop()(fd, data)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write)
    writer.write(sample_of(case["sample"]))
    writer.flush()
    monkeypatch.setattr(os, "write", real_write)
    writer.write(GOOD)
    writer.close()
    assert writer.path.read_text() == f"{HEADER}\n{format_sample(GOOD)}\n"
    assert writer.lost == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=texts, message=texts, thread=texts, backend=texts, url=texts)
def test_whatever_a_text_holds_it_is_read_back(
    tmp_path: Path, label: str, message: str, thread: str, backend: str, url: str
) -> None:
    path = tmp_path / "samples.jtl"
    path.unlink(missing_ok=True)
    writer = SampleWriter(path)
    values = vectors("samples.json", "write")[0]["sample"]
    values |= {"label": label, "message": message, "thread": thread, "backend": backend, "url": url}
    writer.write(sample_of(values | {"latency_us": 0, "connect_us": 0, "start_us": 1000, "end_us": 2000}))
    writer.write(GOOD)
    writer.close()
    first, _second = read_samples(path)
    assert (first.label, first.message, first.thread, first.identity.backend, first.url) == (
        label,
        message,
        thread,
        backend,
        url,
    )
