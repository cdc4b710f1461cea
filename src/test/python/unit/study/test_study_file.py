from pathlib import Path

import pytest

from switchover.model.errors import UsageError
from switchover.study.study_file import FULL, QUICK, SHORTENED, read_study

ROOT = Path(__file__).parents[5]
STUDIES = sorted((ROOT / "testplans" / "studies").glob("*.toml"))
FILE = """
[study]
name = "s"
title = "t"
source = "w"
question = "q"
repeats = 5
seed = 7

[quick]
says = "seconds instead of half a minute"
repeats = 2
load = { seconds = 1 }
skip = ["LC/20"]

[lab]
backends = 2

[load]
seconds = 30

[axis.algorithm]
RR = {}
LC = { lab = { algorithm = "leastconn" }, expect = { predicted = 9.5 } }

[axis.users]
10 = { load = { users = 10 } }
20 = { load = { users = 20 } }

[[column]]
figure = "good_rate"
title = "good/s"
published = "rps"

[[claim]]
name = "C1"
text = "text"
holds = 'good_rate("RR/10") < good_rate("LC/20")'

[published]
"RR/10" = { rps = 1.5 }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_matrix_is_every_combination_of_the_axes(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, FILE))
    assert [cell.name for cell in study.cells] == ["RR/10", "RR/20", "LC/10", "LC/20"]
    last = study.cells[-1]
    assert (last.lab.algorithm, last.lab.backends, last.load.users, last.load.seconds) == ("leastconn", 2, 20, 30)
    assert last.expect == {"predicted": 9.5}
    assert study.repeats == 5


def test_a_form_may_name_the_cells_it_keeps_and_take_a_share_of_their_time(tmp_path: Path) -> None:
    shorter = FILE.replace('load = { seconds = 1 }\nskip = ["LC/20"]', 'seconds_share = 0.1\nkeep = ["*/10"]')
    study = read_study(written(tmp_path, shorter), QUICK)
    assert [cell.name for cell in study.cells] == ["RR/10", "LC/10"]
    assert {cell.load.seconds for cell in study.cells} == {3}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"RR/10" = {', '"XX/10" = {', "names the cell 'XX/10', which is not in the matrix"),
        ('good_rate("LC/20")', 'good_rate("LC/30")', "claim C1 names the cell 'LC/30'"),
        ("backends = 2", "backend = 2", "unknown key 'backend'"),
        ("seconds = 30", "", "the load must end by itself"),
        ("[axis.users]", "[axes.users]", "unknown table"),
        ("RR = {}", '"R_R" = {}', "may contain letters, digits, dots and hyphens only"),
        ("repeats = 5", "", "this is not a valid study file"),
        ("repeats = 5", "repeats = inf", "this is not a valid study file"),
        (
            "users = 10",
            'users = 0, generator = "jmeter", count = 9',
            "users, seconds, count, rate and ramp_up_s must",
        ),
        ("seed = 7", "seed =", "study.toml: "),
    ],
)
def test_what_is_wrong_is_one_line_with_the_file(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_study(written(tmp_path, FILE.replace(old, new)))
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", [FULL, *SHORTENED])
def test_the_studies_of_this_repository_are_read(path: Path, form: str) -> None:
    study = read_study(path, form)
    assert study.name == path.stem
    assert study.claims
    assert study.notes
    assert study.objections
    assert study.unequal
    assert len(study.cells) * study.repeats < 500
