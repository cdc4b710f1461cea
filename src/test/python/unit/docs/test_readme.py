"""What README shows of a page is what stands on that page."""

import re

from support.checkout import CHECKOUT


def test_what_a_reload_lost_is_as_in_the_table_of_its_page() -> None:
    (told,) = re.findall(r"hitless\?.*?Twelve reloads.*?docs/hitless\.md", page("README.md"), re.S)
    lost = re.findall(r"[\d,]+ of [\d,]+", told)
    assert len(lost) == 4
    assert [figure for figure in lost if f"| {figure} |" not in page("docs/hitless.md")] == []


def page(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")
