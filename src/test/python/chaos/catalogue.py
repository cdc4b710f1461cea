"""All misfortunes by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from chaos import to_database, to_disk, to_limits, to_machine, to_pair, to_processes, to_target, to_telemetry
from chaos.scene import Misfortune

EVERY_GENERATOR = ("none", "locust", "jmeter")


@dataclass(frozen=True, slots=True)
class Entry:
    play: Misfortune
    generators: tuple[str, ...] = EVERY_GENERATOR
    """Under which load it can come."""


def _named(*plays: Misfortune) -> dict[str, Entry]:
    return {play.__name__.replace("_", "-"): Entry(play) for play in plays}


MISFORTUNES: Mapping[str, Entry] = {
    **_named(
        to_database.database_ends,
        to_database.database_stands_still,
        to_database.database_is_full,
        to_database.database_is_slow,
        to_database.database_says_503,
        to_database.database_is_nowhere,
        to_database.shipper_is_killed,
        to_disk.disk_is_full,
        to_disk.disk_is_read_only,
        to_telemetry.stats_socket_is_silent,
        to_telemetry.stats_socket_tells_garbage,
        to_telemetry.stats_socket_is_cut,
        to_telemetry.stats_socket_is_reloaded_in_a_scrape,
        to_telemetry.stats_have_ten_thousand_names,
        to_telemetry.counters_begin_again,
        to_telemetry.clock_of_a_node_is_set,
        to_telemetry.clock_of_a_node_drifts,
        to_telemetry.backend_log_is_cut,
        to_pair.both_balancers_end,
        to_pair.every_backend_ends,
        to_pair.backup_ends,
        to_pair.split_brain_returns,
        to_pair.master_is_reloaded,
        to_pair.answers_have_a_megabyte_of_headers,
    ),
    **{name: Entry(play) for name, play in to_processes.UNDER_ANY_LOAD.items()},
    **_named(
        to_limits.few_descriptors,
        to_limits.no_ports_left,
        to_machine.clock_is_set,
        to_machine.clock_drifts,
        to_machine.no_room_for_a_process,
        to_target.heal_hangs_once,
        to_target.heal_fails_twice,
        to_target.kill_leaves_a_child,
        to_target.proof_of_heal_flaps,
        to_target.second_run,
    ),
    **{
        name: Entry(play, (load,))
        for load, plays in to_processes.UNDER_ONE_LOAD.items()
        for name, play in plays.items()
    },
}
