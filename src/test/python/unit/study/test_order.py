from switchover.study.state import order_turns

CELLS = [f"cell-{number}" for number in range(20)]


def test_repeats_have_orders_of_their_own_and_more_repeats_change_none_before() -> None:
    turns = order_turns(CELLS, 3, seed=1)
    assert [turn.cell for turn in turns[:20]] != [turn.cell for turn in turns[20:40]]
    assert turns[:40] == order_turns(CELLS, 2, seed=1)
