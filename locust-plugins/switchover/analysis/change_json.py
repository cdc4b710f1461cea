"""What verdict.json says of a series of changes, and of the connections that a fault has killed."""

from dataclasses import asdict
from typing import Any

from switchover.analysis.change_cost import CONFIDENCE, KindFigures
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.dead_connections import DeadConnections


def dead_json(kind: DeadConnections) -> dict[str, Any]:
    return {
        "kind": kind.kind.value,
        "open": kind.open,
        "dead": kind.dead,
        "by_fin": kind.by_fin,
        "by_rst": kind.by_rst,
        "by_timeout": kind.by_timeout,
        "untold": kind.untold,
        "median_ms": _ms(kind.median_us),
        "longest_ms": _ms(kind.longest_us),
    }


def changes_json(changes: ChangeFigures) -> dict[str, Any]:
    low, high = changes.lossy_bounds()
    return {
        "made": len(changes.made),
        "lost": changes.lost,
        "lossy": changes.lossy,
        "lossy_low": round(low, 9),
        "lossy_high": round(high, 9),
        "confidence": CONFIDENCE,
        "lingering": changes.lingering,
        "delay_low_ms": None if changes.delay is None else _ms(changes.delay.low),
        "delay_high_ms": None if changes.delay is None else _ms(changes.delay.high),
        "retrying_clients": [asdict(retrying_client) for retrying_client in changes.retrying_clients],
        "kinds": [_kind(kind) for kind in changes.kinds],
        "by_change": [
            {
                "number": change.number,
                "from_us": change.from_us,
                "confirmed_us": change.confirmed_us,
                "settled_us": change.settled_us,
                "lingering": list(change.lingering),
                "lost": changes.by_change.get(change.number, 0),
                "felt": {
                    kind: {
                        "exposed": felt.exposed,
                        "lost": felt.lost,
                        "closed_politely": felt.closed_politely,
                        "longest_ms": _ms(felt.longest_us),
                        "delayed": felt.delayed,
                    }
                    for kind, felt in changes.felt.get(change.number, {}).items()
                },
            }
            for change in changes.made
        ],
        "losses": [
            {
                "kind": loss.kind,
                "change": loss.change,
                "at_us": loss.at_us,
                "after_change_ms": _ms(loss.after_change_us),
                "error": loss.error,
                "ended_by": loss.ended_by,
                "position": loss.position,
                "worker": loss.worker,
                "place": loss.place,
            }
            for loss in changes.losses
        ],
    }


def _kind(kind: KindFigures) -> dict[str, Any]:
    delay, per_thousand = kind.delay, kind.lost_per_thousand
    return {
        "kind": kind.kind,
        "exposed": kind.exposed,
        "lost": kind.lost,
        "lost_elsewhere": kind.lost_elsewhere,
        "lost_per_thousand": None if per_thousand is None else round(per_thousand, 3),
        "lossy": kind.lossy,
        "lossy_low": round(kind.lossy_bounds[0], 9),
        "lossy_high": round(kind.lossy_bounds[1], 9),
        "closed_politely": kind.closed_politely,
        "reset": kind.reset,
        "generator_errors": kind.generator_errors,
        "delay_longest_ms": None if delay is None else _ms(delay.longest_us),
        "delay_between_low_ms": None if delay is None else _ms(delay.usual.low),
        "delay_between_high_ms": None if delay is None else _ms(delay.usual.high),
        "delay_caused_low_ms": None if delay is None else _ms(delay.caused.low),
        "delay_caused_high_ms": None if delay is None else _ms(delay.caused.high),
    }


def _ms(microseconds: float | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, 3)
