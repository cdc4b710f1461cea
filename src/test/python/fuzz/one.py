"""`python -m fuzz.one TARGET FOLDER … -option=value …`: the process that tries one target, as libFuzzer is told."""

import os
import sys

import atheris

from fuzz.catalogue import target_of
from fuzz.target import folder


def main() -> None:
    with atheris.instrument_imports(["switchover"], enable_loader_override=False):
        target = target_of(sys.argv[1])
    os.chdir(folder())
    atheris.Setup([sys.argv[0], *sys.argv[2:], f"-max_len={target.longest}"], target.try_on)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
