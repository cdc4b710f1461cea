"""What a release consists of: the same bytes whenever it is made, and a wheel that needs no checkout."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.locusting import OWN_CLIENT
from support.ports import free_port

ROOT = Path(__file__).resolve().parents[4]
MAKE_S = 600.0

pytestmark = pytest.mark.beside


def make_dist(directory: Path, *options: str) -> dict[str, bytes]:
    command = (sys.executable, str(ROOT / "tools" / "make-dist"), *options, str(directory))
    made = subprocess.run(command, capture_output=True, text=True, timeout=MAKE_S)
    assert made.returncode == 0, made.stderr
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def python_dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    make_dist(directory, "--python-only")
    return directory


def test_wheel_and_sdist_are_the_same_bytes_when_made_again(python_dist: Path, tmp_path: Path) -> None:
    first = {path.name: path.read_bytes() for path in python_dist.iterdir()}
    assert sorted(Path(name).suffix for name in first) == ["", ".gz", ".whl"]
    assert make_dist(tmp_path / "again", "--python-only") == first


def test_the_checksums_are_those_of_the_files(python_dist: Path) -> None:
    lines = (python_dist / "SHA256SUMS").read_text().splitlines()
    assert {line.split("  ")[1]: line.split("  ")[0] for line in lines} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in python_dist.iterdir()
        if path.name != "SHA256SUMS"
    }


def test_the_wheel_has_every_file_of_the_package(python_dist: Path) -> None:
    """Templates, scripts, plans: what is beside the modules in a checkout is beside them when installed."""
    (wheel,) = python_dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if name.startswith("switchover/")}
    listed = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "locust-plugins/switchover")
    known = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    wanted = {name.removeprefix("locust-plugins/") for name in known if (ROOT / name).is_file()}
    assert held == wanted


def test_the_sdist_names_no_user_of_the_machine_that_made_it(python_dist: Path) -> None:
    (sdist,) = python_dist.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        assert {(member.uid, member.gid, member.uname, member.gname) for member in packed} == {(0, 0, "", "")}


@pytest.fixture(scope="module")
def installed(python_dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a clean environment with the wheel in it; its dependencies are those of this one."""
    environment = tmp_path_factory.mktemp("clean")
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    (wheel,) = python_dist.glob("*.whl")
    install = (python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    subprocess.run(install, check=True, timeout=MAKE_S)
    (site,) = environment.glob("lib/python*/site-packages")
    ours = Path(pytest.__file__).parents[1]
    # Behind its own packages, and without the .pth files that would bring this checkout along.
    (site / "dependencies.pth").write_text(f"{ours}\n")
    return environment / "bin" / "switchover"


def run(command: Path, *statuses: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        (command, *statuses), cwd=cwd, env=environment, capture_output=True, text=True, timeout=MAKE_S
    )


def test_the_installed_command_drills_in_the_lab_and_writes_its_report(installed: Path, tmp_path: Path) -> None:
    drill = ("drill", "--probe-rate", "50", "--generator", "none", "--json")
    ended = run(installed, *drill, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["verdict"] == "MEASURED"
    (page,) = tmp_path.glob("runs/*/report.html")
    assert "plotly.js" in page.read_text()


def lean_commands() -> tuple[list[str], list[str]]:
    """The two commands of the install that only records, as the documentation prints them."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    block = page.partition("**Load generators that only record**")[2].split("```")[1]
    first, second = (shlex.split(line) for line in block.strip().splitlines())
    return first, second


def packages_of(requirements: Iterable[str]) -> set[str]:
    """The names of all that pip installs for these requirements here."""
    found: set[str] = set()
    wanted = [Requirement(text) for text in requirements]
    while wanted:
        one = wanted.pop()
        if (one.marker and not one.marker.evaluate({"extra": ""})) or canonicalize_name(one.name) in found:
            continue
        found.add(canonicalize_name(one.name))
        wanted += [Requirement(text) for text in distribution(one.name).requires or []]
    return found


@pytest.fixture(scope="module")
def lean(python_dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a clean environment that the two commands filled; its packages are those of this one."""
    first, second = lean_commands()
    assert first[:2] == second[:2] == ["pip", "install"]
    environment = tmp_path_factory.mktemp("lean")
    venv.create(environment, with_pip=True)
    (wheel,) = python_dist.glob("*.whl")
    options = [status if not status.endswith(".whl") else str(wheel) for status in second[2:]]
    assert Path(second[-1]).name == wheel.name
    python = environment / "bin" / "python"
    subprocess.run((python, "-m", "pip", "install", "--quiet", "--no-index", *options), check=True, timeout=MAKE_S)
    (site,) = environment.glob("lib/python*/site-packages")
    for package in packages_of(first[2:]):
        files = distribution(package).files or []
        for top in {Path(file).parts[0] for file in files} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution(package).locate_file(top))))
    return environment / "bin"


def test_the_lean_install_has_nothing_that_only_judges(lean: Path, tmp_path: Path) -> None:
    absent = "import importlib.util as u, sys; sys.exit(any(map(u.find_spec, ('numpy', 'duckdb', 'backports'))))"
    assert run(lean / "python", "-c", absent, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--headless",),
        ("--headless", "--processes", "2"),
        ("--autostart", "--autoquit", "0", "--web-host", "127.0.0.1", "--web-port", "{port}"),
    ],
    ids=["headless", "processes", "web page"],
)
def test_the_lean_install_records(lean: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    statuses = [option.format(port=free_port()) for option in options]
    load = ("-f", "my.py", "-u", "2", "-t", "3s", "--stop-timeout", "2", "--switchover-out", "kept")
    ended = run(lean / "python", "-m", "locust", *load, *statuses, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "nothing is recorded" not in ended.stderr
    assert "Traceback" not in ended.stderr, ended.stderr
    (recorded,) = tmp_path.glob("kept/*")
    assert sum(len(path.read_bytes().splitlines()) - 1 for path in recorded.glob("samples*.jtl")) > 10
    assert f"  Recorded    {recorded}" in ended.stdout


def test_what_the_lean_install_cannot_do_is_one_line(lean: Path, tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    limit = ("-f", "my.py", "--headless", "-t", "2s", "--switchover-limit", "failed-total=1%")
    asked = run(lean / "python", "-m", "locust", *limit, cwd=tmp_path)
    judged = run(lean / "switchover", "report", ".", cwd=tmp_path)
    for ended in (asked, judged):
        assert ended.returncode == 2
        assert "is not installed: pip install " in ended.stderr.splitlines()[-1]
        assert "Traceback" not in ended.stderr


@pytest.mark.long
def test_the_whole_release_is_the_same_bytes_when_made_again(tmp_path: Path) -> None:
    first = make_dist(tmp_path / "first")
    kinds = ("-sources.jar", "-javadoc.jar", "-sbom.json", ".whl", ".tar.gz", "plugins-manager.json")
    assert all(any(name.endswith(kind) for name in first) for kind in kinds)
    assert make_dist(tmp_path / "second") == first
