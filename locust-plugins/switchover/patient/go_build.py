"""Builds Go's client from its source in this package, once for each version of either, where there is a Go."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent / "go_client"
BUILD_LIMIT_S = 60.0
"""Go compiles its own library first; the conductor of Locust's runs has 90 s to be ready."""
_LOCALLY = {"GOTOOLCHAIN": "local", "GOPROXY": "off", "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
"""Nothing is fetched, and no C compiler is asked for."""


@dataclass(frozen=True, slots=True)
class GoClient:
    """The program, or why there is none."""

    program: Path | None
    why: str = ""


@cache
def build_go_client() -> GoClient:
    """It lies in the user's cache; building it the first time takes up to a minute."""
    go = shutil.which("go")
    if go is None:
        return GoClient(None, "there is no go on the PATH")
    try:
        program = _cached(go)
        if not program.exists():
            _build(go, program)
    except (OSError, subprocess.SubprocessError) as error:
        return GoClient(None, _reason(error))
    return GoClient(program)


def is_go_client_to_be_built() -> bool:
    """There is a Go, and this version of it has not built it yet."""
    go = shutil.which("go")
    try:
        return go is not None and not _cached(go).exists()
    except (OSError, subprocess.SubprocessError):
        return False  # build_go_client() says why


def _cached(go: str) -> Path:
    version = subprocess.run([go, "version"], env=_environment(), capture_output=True, timeout=10, check=True).stdout
    sources = b"".join(path.read_bytes() for path in sorted(SOURCE.iterdir()))
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "switchover"
    return folder / f"go-client-{hashlib.sha256(version + sources).hexdigest()[:16]}"


def _build(go: str, program: Path) -> None:
    """Its own name first, so that another run never starts half of it."""
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        built = Path(folder) / program.name
        command = [go, "build", "-trimpath", "-o", str(built), "."]
        environment = _environment()
        subprocess.run(
            command, cwd=SOURCE, env=environment, capture_output=True, timeout=BUILD_LIMIT_S, check=True, text=True
        )
        built.replace(program)


def _environment() -> dict[str, str]:
    return {**os.environ, **_LOCALLY}


def _reason(error: OSError | subprocess.SubprocessError) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"'go build' took longer than {BUILD_LIMIT_S:g} s; it goes on where it was the next time"
    if isinstance(error, subprocess.CalledProcessError):
        complaints = [line for line in str(error.stderr or "").splitlines() if line and not line.startswith("#")]
        return f"'go {error.cmd[1]}' failed: {complaints[0] if complaints else f'code {error.returncode}'}"
    return str(error)
