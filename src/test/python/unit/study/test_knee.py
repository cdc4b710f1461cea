from switchover.study.results import KneeBetween, SweepStep, find_knee


def test_the_knee_lies_between_the_last_step_that_kept_up_and_the_first_that_did_not() -> None:
    steps = [SweepStep(50, 50, 10), SweepStep(90, 89, 15), SweepStep(110, 100, 29), SweepStep(150, 100, 900)]
    knee = find_knee(steps)
    assert knee == KneeBetween(90, 110)
    assert knee.middle == 100


def test_a_sweep_without_a_knee_inside_says_so() -> None:
    assert find_knee([SweepStep(50, 50, 10), SweepStep(60, 60, 11)]) == KneeBetween(60, None)
    assert find_knee([SweepStep(50, 20, 10)]) == KneeBetween(None, 50)
    assert find_knee([SweepStep(50, 0, None)]).middle is None
