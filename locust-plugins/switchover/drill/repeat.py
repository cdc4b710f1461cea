"""Several drills of one fault, one after the other: each a run of its own."""

from switchover.drill.conduct import Conducted, conduct
from switchover.drill.options import DrillSettings
from switchover.drill.plan import NewPlan
from switchover.drill.wait import DrillObserver
from switchover.model.errors import SwitchoverError
from switchover.target.model import Target


def conduct_all(
    settings: DrillSettings, new_plan: NewPlan, observer: DrillObserver, target: Target
) -> list[Conducted]:
    """Drill as often as was asked for; less often where a drill is interrupted, or where a later one is refused."""
    done: list[Conducted] = []
    for number in range(1, settings.repeat + 1):
        if settings.repeat > 1:
            observer.note(f"drill {number} of {settings.repeat}")
        try:
            done.append(conduct(settings, new_plan, observer, target))
        except SwitchoverError as error:
            if not done:
                raise
            observer.note(f"no more drills: {error}")
            break
        if settings.repeat > 1 and done[-1].streamed:
            observer.note(done[-1].streamed)
        if done[-1].interrupted:
            break
    return done
