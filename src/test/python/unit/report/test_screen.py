"""Names from outside reach the screen without effect on it."""

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from switchover.model.redaction import escape_controls
from switchover.report.screen import screen_text, without_commands


def test_control_characters_are_shown_and_do_nothing() -> None:
    assert escape_controls("a\x1b[2Jb\rc\x07\x9b\u202ed") == "a\\x1b[2Jb\\rc\\x07\\x9b\\u202ed"
    assert escape_controls("tab\tand\nline, ü, 漢") == "tab\tand\nline, ü, 漢"


def test_what_is_shown_is_as_the_console_prints_it() -> None:
    table = Table()
    table.add_column("name")
    table.add_row(Text("web1", style="bold"))
    shown = Group(table, Text("done", style="red"))
    console = Console(force_terminal=True, width=40, color_system="truecolor")
    with console.capture() as captured:
        console.print(shown)
    assert screen_text(shown, console) == captured.get()
    assert "\x1b]0;x" not in screen_text(Text("web\x1b]0;x\x07"), console)


def test_no_name_from_outside_is_a_command_of_github_actions() -> None:
    text = "::error::forged ##[group]x"
    assert without_commands(text, {"GITHUB_ACTIONS": "true"}) == ": :error: :forged # #[group]x"
    assert without_commands(text, {}) == text
