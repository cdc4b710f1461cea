"""What Keepalived does to lines: conditions, definitions, sequences, comments."""

from pathlib import Path

import pytest

from switchover.model.errors import TargetError
from switchover.predict.keepalived import read_conf
from switchover.predict.keepalived_syntax import read_syntax


def lines(place: Path, text: str, config_id: str | None = None) -> list[str]:
    """The statements that are left, one text each."""
    path = place / "keepalived.conf"
    path.write_text(text)
    return [" ".join(statement.words) for statement in read_syntax(path, config_id=config_id).statements]


def test_a_comment_begins_outside_of_quotes(tmp_path: Path) -> None:
    text = '! all of it\nscript "a # b ! c" # comment\npriority 10!old\n'
    assert lines(tmp_path, text) == ["script a # b ! c", "priority 10"]


@pytest.mark.parametrize(("config_id", "left"), [("lb1", ["priority 101", "other lb1"]), ("lb2", ["priority 100"])])
def test_a_condition_chooses_lines_for_a_node(tmp_path: Path, config_id: str, left: list[str]) -> None:
    text = "@lb1 priority 101\n@lb2 priority 100\n@^lb2 other ${_INSTANCE}\n@lb3\n"
    assert lines(tmp_path, text, config_id) == left


def test_a_condition_may_choose_a_definition(tmp_path: Path) -> None:
    text = "@lb1 $PRIO=101\n@lb2 $PRIO=100\npriority $PRIO\n"
    assert lines(tmp_path, text, "lb2") == ["priority 100"]


def test_an_id_that_no_condition_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keepalived.conf"
    path.write_text("vrrp_instance A {\n@lb1 priority 101\n@lb2 priority 100\n}\n")
    with pytest.raises(TargetError, match="no '@' line names 'lb9'; the file has '@' lines for: lb1, lb2"):
        read_conf(path, config_id="lb9")


def test_definitions_are_filled_in_at_their_use(tmp_path: Path) -> None:
    text = "$BASE=10.2.${SUB}\n$SUB=0\n${BASE}.100\n$SUB=10\n${BASE}.100\n$UNKNOWN $BASEX"
    assert lines(tmp_path, text) == ["10.2.0.100", "10.2.10.100", "$UNKNOWN $BASEX"]


def test_includes_are_followed(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("priority 42\nweight -7")
    assert lines(tmp_path, "include conf.d/*.conf\ninclude conf.d/*.none\n") == ["priority 42", "weight -7"]
