"""`python -m fuzz.one TARGET FOLDER … -option=value …`: the process that tries one target, as libFuzzer is told."""

import os
import sys

import atheris

from fuzz.catalogue import target_of
from fuzz.target import folder

COMPARES_ARRAYS = ["switchover.evidence.source_log"]
"""Not instrumented: there atheris keeps what each comparison gave, two gigabytes of arrays in 100,000 inputs."""


def main() -> None:
    with atheris.instrument_imports(["switchover"], COMPARES_ARRAYS, enable_loader_override=False):
        target = target_of(sys.argv[1])
    os.chdir(folder())
    atheris.Setup([sys.argv[0], *sys.argv[2:], f"-max_len={target.longest}"], target.try_on)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
