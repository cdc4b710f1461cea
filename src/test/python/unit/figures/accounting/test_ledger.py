"""Two counts of the same thing: what explains a difference, and what is left of it."""

from support.records import line
from switchover.figures.accounting.ledger import Pool, add_up, compare
from switchover.verdict.record import Line


def of_lb1(client: int, source: int, *, node: str = "lb1", unaccounted: int = 0) -> Line:
    return line("requests", client, source, "HAProxy's counters", node, unaccounted=unaccounted)


def test_a_pool_gives_up_to_what_is_wanted_in_the_order_of_its_reasons_and_each_request_once() -> None:
    pool = Pool({"none": 0, "first": 2, "second": 5})
    assert pool.take(0) == {}
    assert pool.take(3) == {"first": 2, "second": 1}
    assert pool.take(1) == {"second": 1}
    assert pool.take(9) == {"second": 3}
    assert pool.take(1) == {}


def test_what_a_source_has_more_is_explained_by_one_pool_after_the_other() -> None:
    surplus, deficit = [Pool({"a": 1, "b": 1}), Pool({"a": 1, "c": 9})], [Pool({"d": 9})]
    found = compare("answers", 5, 9, "a log", node="lb1", generation="1", surplus=surplus, deficit=deficit)
    assert found == line("answers", 5, 9, "a log", "lb1", "1", {"a": 2, "b": 1, "c": 1}, 0)
    assert found.difference == -4
    assert surplus[1].take(99) == {"c": 8}


def test_what_a_source_lacks_is_explained_by_the_other_pools_and_the_rest_by_nothing() -> None:
    surplus, deficit = [Pool({"a": 9})], [Pool({"d": 2}), Pool({"e": 1})]
    found = compare("answers", 9, 5, "a log", node="web1", surplus=surplus, deficit=deficit)
    assert found == line("answers", 9, 5, "a log", "web1", None, {"d": 2, "e": 1}, 1)
    assert surplus[0].take(99) == {"a": 9}
    one = compare("answers", 6, 5, "a log", node="web1", surplus=[Pool({"a": 1})], deficit=[Pool({"d": 1})])
    assert one.explained_by == {"d": 1}
    assert compare("answers", 9, 5, "a log", node="web1") == line("answers", 9, 5, "a log", "web1", unaccounted=4)


def test_lines_without_a_difference_are_equal_unless_one_hides_another() -> None:
    found = add_up(True, (of_lb1(3, 3), of_lb1(3, 2, unaccounted=1), of_lb1(3, 3, unaccounted=2)))
    assert (found.equal, found.explained, found.unaccounted) == (1, 0, 3)


def test_what_is_unaccounted_is_known_only_where_all_traffic_is_ours_and_every_source_spoke() -> None:
    lines = (of_lb1(3, 2, unaccounted=1),)
    assert add_up(True, lines).unaccounted == 1
    assert add_up(False, lines).unaccounted is None
    assert add_up(True, lines, uncounted=("lb2",)).unaccounted is None
    alone = add_up(True, (of_lb1(3, 2, node="", unaccounted=1),))
    assert alone.unaccounted is None
