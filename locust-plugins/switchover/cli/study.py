"""`switchover study FILE`: run an experiment in the lab. The experiment is a matrix of cells; each cell is a lab with
a load."""

import argparse
import sys
from pathlib import Path

from switchover.model.errors import RunDirectoryError, SwitchoverError
from switchover.study.results import collect, situation, write_results
from switchover.study.runner import check_generators, read_results, run_study
from switchover.study.state import StudyFolder
from switchover.study.study_file import FRACTION, FULL, QUICK, read_study

PARSER = {
    "help": "run a matrix of loads in the lab, and compare the results with published figures",
    "description": "Run each cell of a study file in a new lab, in random order. Write a table of the published "
    "figures, the new figures and the result of each claim. To continue an interrupted study, repeat the "
    "command.",
    "epilog": "Exit codes: 0 all cells are done, even if claims do not hold; 2 a cell failed or is missing.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="study file, such as testplans/studies/nginx-algorithms-2021.toml"
    )
    form = parser.add_mutually_exclusive_group()
    for name, text in (
        (QUICK, "run only some cells, for a few seconds each: about five minutes"),
        (
            FRACTION,
            "run shorter cells and fewer repeats: 15 to 60 minutes",
        ),
    ):
        form.add_argument(f"--{name}", action="store_const", dest="form", const=name, default=FULL, help=text)
    parser.add_argument(
        "--only", metavar="PATTERN", help="run only cells whose name matches the pattern, such as '768/RR/*'"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the study (default runs/study-NAME, or -NAME-quick)"
    )


def run(arguments: argparse.Namespace) -> int:
    study = read_study(arguments.file, arguments.form)
    check_generators(study)
    suffix = "" if arguments.form == FULL else f"-{arguments.form}"
    out = arguments.out or Path("runs") / f"study-{study.name}{suffix}"
    folder = StudyFolder(out)
    try:
        with folder.opened(arguments.file, study.matrix):
            try:
                run_study(study, folder, only=arguments.only, note=_note)
            finally:  # collect the finished cells of an interrupted study too
                collected = collect(study, read_results(study, folder), folder.read_environment())
                tables = write_results(out, collected)
    except KeyboardInterrupt:
        _note(f"interrupted: the same command continues the study; the finished cells are in {out}")
        raise
    except (RunDirectoryError, OSError) as error:
        raise SwitchoverError(f"{error}; after you freed disk space, the same command continues the study") from error
    print(situation(collected))
    for judged in collected.claims:
        judgement = judged.judgement
        print(f"{judged.claim.name}: {judgement.word}{judgement.because}. {judged.claim.text}")
    print(f"Tables: {tables}")
    return 2 if collected.failed or (collected.missing and arguments.only is None) else 0


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
