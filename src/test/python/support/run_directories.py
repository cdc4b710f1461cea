"""Runs that never happened, written down as a drill leaves them."""

import csv
from dataclasses import asdict
from pathlib import Path

from support.request_tables import samples_of
from switchover.evidence.run_data import RunData
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import write_run
from switchover.rundir.sample_log import SampleWriter
from switchover.rundir.seal import seal_file


def written(directory: Path, data: RunData) -> Path:
    directory.mkdir(parents=True)
    data.run.seals.clear()
    for name, samples in (("probes.jtl", data.probes), ("samples.jtl", data.samples)):
        if samples or name == "probes.jtl":
            writer = SampleWriter(directory / name)
            for sample in samples_of(samples):
                writer.write(sample)
            writer.close()
            data.run.add_seals(writer.seals)
    journal = Journal(directory / "journal.lp", {"run": data.run.id})
    for point in data.points:
        journal.write(point.measurement, point.tags, point.fields, point.time_ns)
    if data.run.plan.end_us is not None:
        journal.event("end", data.run.name, time_ns=data.run.plan.end_us * 1000)
    journal.close()
    data.run.add_seals(journal.seals)
    for backend, paths in data.access.items():
        with (directory / f"access-{backend}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("time_us", "path"))
            rows.writerows((1_000_000, path) for path, count in paths.items() for _ in range(count))
        path = directory / f"access-{backend}.csv"
        data.run.add_seals({path.name: [asdict(seal_file(path))]})
    write_run(directory, data.run)
    return directory
