"""The names in the directory of a running lab, which the lab's target file points to."""

import shutil
from dataclasses import dataclass
from pathlib import Path

CONFIG_SUFFIXES = (".cfg", ".conf", ".sh")
STATE_FILE = "lab.json"
TARGET_FILE = "target.toml"


@dataclass(frozen=True, slots=True)
class LabDirectory:
    """The names in a lab's directory."""

    path: Path

    def host(self, name: str) -> Path:
        return self.path / name

    def socket(self, host: str) -> Path:
        """The agent of a host, or of the bridge."""
        return self.path / host / "exec.sock"

    def log(self, host: str, service: str) -> Path:
        return self.path / host / f"{service}.log"

    def runtime_socket(self, node: str) -> Path:
        return self.path / node / "haproxy.sock"

    def notify_fifo(self, node: str) -> Path:
        return self.path / node / "notify.fifo"

    def access_log(self, backend: str) -> Path:
        return self.path / backend / "access.log"

    @property
    def follower_socket(self) -> Path:
        """Of whoever streams for those inside: they have no way to a database."""
        return self.path / "follow.sock"

    @property
    def target(self) -> Path:
        return self.path / TARGET_FILE

    @property
    def state(self) -> Path:
        return self.path / STATE_FILE

    def copy_config(self, destination: Path) -> None:
        """Copy the generated configs, one folder a host, and the target file."""
        configs = [path for path in sorted(self.path.glob("*/*")) if path.suffix in CONFIG_SUFFIXES]
        for path in (*configs, self.target):
            copy = destination / path.relative_to(self.path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
