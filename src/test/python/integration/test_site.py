"""The documentation as a site: made as `make site` makes it, with every link checked."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

pytestmark = [pytest.mark.integration, pytest.mark.beside, pytest.mark.core]


def test_the_site_is_made_and_no_link_of_it_leads_nowhere(tmp_path: Path) -> None:
    command = (sys.executable, str(CHECKOUT / "tools" / "make-site"), str(tmp_path / "html"))
    made = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    pages = {path.parent.name for path in (tmp_path / "html").glob("*/index.html")}
    assert {page.stem for page in (CHECKOUT / "docs").glob("*.md")} <= pages
    first = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert "Switchover" in first and "https://fonts" not in first
