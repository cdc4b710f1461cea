"""The disk of the run directory takes nothing, or nothing any more."""

import subprocess

from chaos.scene import Act, Scene

SIZE = "8m"


def disk_is_full(scene: Scene) -> Act:
    with_disk = _Disk(scene)
    yield
    scene.in_client("sh", "-c", f"cat /dev/zero >{with_disk.path}/full 2>/dev/null; true")
    yield
    with_disk.end()


def disk_is_read_only(scene: Scene) -> Act:
    """From the begin on: what is open for writing keeps a file system from being made so later."""
    with_disk = _Disk(scene)
    scene.in_client("mount", "-o", "remount,ro", str(with_disk.path))
    yield
    yield
    with_disk.end()


class _Disk:
    """A small one below the folder of the drill's runs. What it held is kept behind the drill."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.path = scene.folder / "runs"
        self.path.mkdir()
        scene.in_client("mount", "-t", "tmpfs", "-o", f"size={SIZE}", "switchover", str(self.path))

    def end(self) -> None:
        kept = self._scene.folder / "kept"
        self._scene.in_client("sh", "-c", f"cp -r {self.path} {kept}; umount -l {self.path}; true")
        subprocess.run(["cp", "-r", f"{kept}/.", str(self.path)], check=True)
        (self.path / "full").unlink(missing_ok=True)
