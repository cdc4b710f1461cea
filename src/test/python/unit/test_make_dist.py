"""tools/make-dist refuses what it cannot do before it removes anything."""

import subprocess
import sys
from pathlib import Path

from support.checkout import CHECKOUT


def test_a_python_without_setuptools_is_one_line_and_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    without_packages = (sys.executable, "-S", str(CHECKOUT / "tools" / "make-dist"), "--python-only", str(tmp_path))
    ended = subprocess.run(without_packages, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install 'setuptools>=77'" in ended.stderr
    assert (tmp_path / "kept").exists()
