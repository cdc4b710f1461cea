"""Comments and includes of keepalived.conf."""

from pathlib import Path

from switchover.predict.keepalived_syntax import read_syntax


def lines(place: Path, text: str) -> list[str]:
    """The statements that are left, one text each."""
    path = place / "keepalived.conf"
    path.write_text(text)
    return [" ".join(statement.words) for statement in read_syntax(path).statements]


def test_a_comment_begins_outside_of_quotes(tmp_path: Path) -> None:
    text = '! all of it\nscript "a # b ! c" # comment\npriority 10!old\n'
    assert lines(tmp_path, text) == ["script a # b ! c", "priority 10"]


def test_includes_are_followed(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("priority 42\nweight -7")
    assert lines(tmp_path, "include conf.d/*.conf\ninclude conf.d/*.none\n") == ["priority 42", "weight -7"]
