"""The documentation as a site: made as `make site` makes it, with every link checked."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

pytestmark = pytest.mark.core


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site") / "html"
    command = (sys.executable, str(CHECKOUT / "tools" / "make-site"), str(folder))
    made = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def test_the_site_has_every_page_and_fetches_nothing(site: Path) -> None:
    pages = {path.parent.name for path in site.glob("*/index.html")}
    assert {page.stem for page in (CHECKOUT / "docs").glob("*.md")} <= pages
    first = (site / "index.html").read_text(encoding="utf-8")
    assert "Switchover" in first and "https://fonts" not in first


def test_the_tables_and_pictures_of_studies_are_there(site: Path) -> None:
    folder = CHECKOUT / "docs" / "studies"
    files = sorted(path.name for path in folder.iterdir() if path.suffix in (".svg", ".txt"))
    assert files
    assert [name for name in files if not (site / "studies" / name).is_file()] == []
