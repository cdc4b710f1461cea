"""What Locust's contestants need besides: other people's packages, k6."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from surroundings import CACHE, run


def python_with(package: str) -> Path:
    """A Python that has this package beside everything that ours has; the same Locust, that is."""
    directory = CACHE / package
    python = directory / "bin" / "python"
    if not (directory / "complete").exists():
        shutil.rmtree(directory, ignore_errors=True)
        run(sys.executable, "-m", "venv", str(directory))
        own = next(directory.glob("lib/python*/site-packages"))
        ours = next(Path(sys.prefix).glob("lib/python*/site-packages"))
        (own / "ours.pth").write_text(f"{ours}\n", encoding="utf-8")
        run(str(python), "-m", "pip", "install", "--quiet", package)
        (directory / "complete").touch()
    found = run(str(python), "-c", "import importlib.metadata as m; print(m.version('locust'))").strip()
    if found != version("locust"):
        sys.exit(f"{package} brought Locust {found}, ours is {version('locust')}: nothing to compare")
    return python


def package_version(python: Path, package: str) -> str:
    return run(str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))").strip()


def k6() -> Path | None:
    """k6 by `go install`; None where that is not to be had."""
    binary = CACHE / "bin" / "k6"
    if not binary.exists():
        go = shutil.which("go", path=f"{os.environ.get('PATH', '')}:/usr/local/go/bin")
        if go is None:
            return None
        environment = {**os.environ, "GOBIN": str(binary.parent)}
        done = subprocess.run([go, "install", "go.k6.io/k6@latest"], env=environment, check=False)
        if done.returncode != 0:
            return None
    return binary


def k6_version(binary: Path) -> str:
    found = re.search(r"v\d+\.\d+\.\d+", run(str(binary), "version"))
    return found[0] if found else "?"
