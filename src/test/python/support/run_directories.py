"""Runs that never happened, written down as a drill leaves them."""

import csv
from pathlib import Path

from support.request_tables import samples_of
from switchover.analysis import RunData
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import write_run
from switchover.rundir.sample_log import SampleWriter


def written(directory: Path, data: RunData) -> Path:
    directory.mkdir(parents=True)
    write_run(directory, data.run)
    for name, samples in (("probes.jtl", data.probes), ("samples.jtl", data.samples)):
        if samples or name == "probes.jtl":
            writer = SampleWriter(directory / name)
            for sample in samples_of(samples):
                writer.write(sample)
            writer.close()
    journal = Journal(directory / "journal.lp", {"run": data.run.id})
    for point in data.points:
        journal.write(point.measurement, point.tags, point.fields, point.time_ns)
    journal.close()
    for backend, paths in data.access.items():
        with (directory / f"access-{backend}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("time_us", "path"))
            rows.writerows((1_000_000, path) for path, count in paths.items() for _ in range(count))
    return directory
