from switchover.study.state import order_turns

CELLS = [f"cell-{number}" for number in range(20)]


def test_each_cell_comes_once_in_each_repeat() -> None:
    turns = order_turns(CELLS, 3, seed=1)
    for repeat in (1, 2, 3):
        block = turns[(repeat - 1) * 20 : repeat * 20]
        assert sorted(turn.cell for turn in block) == sorted(CELLS)
        assert {turn.repeat for turn in block} == {repeat}


def test_a_seed_gives_one_order_and_another_seed_another() -> None:
    assert order_turns(CELLS, 2, seed=1) == order_turns(CELLS, 2, seed=1)
    assert order_turns(CELLS, 2, seed=1) != order_turns(CELLS, 2, seed=2)


def test_repeats_have_orders_of_their_own_and_more_repeats_change_none_before() -> None:
    turns = order_turns(CELLS, 3, seed=1)
    assert [turn.cell for turn in turns[:20]] != [turn.cell for turn in turns[20:40]]
    assert turns[:40] == order_turns(CELLS, 2, seed=1)
