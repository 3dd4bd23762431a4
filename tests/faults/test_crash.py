"""The operator dies (SIGKILL) before and after its n-th write of each flow: what a new one makes of it is what an undisturbed one makes."""

import os

from support.flows import AIM, FLOWS, tell

FULL = bool(os.environ.get("PGC_TEST_FULL"))


def points(reference, stories):
    """For each story the crash point of each flow: all of them, or so many spread evenly."""
    columns = []
    for flow in reference:
        all_points = [(n, side) for n in range(flow.writes) for side in ("before", "after")]
        picked = all_points if stories is None else [all_points[round(i * (len(all_points) - 1) / (stories - 1))] for i in range(stories)]
        columns.append(picked)
    longest = max(map(len, columns))
    return [[column[i] if i < len(column) else None for column in columns] for i in range(longest)]


def test_a_crash_at_any_write_changes_nothing_in_the_end(lab, reference, side_by_side):
    plans = points(reference, None if FULL else 4)
    stories = side_by_side(lambda pair: tell(lab, f"crash-{pair[0]}", pair[1], reference), enumerate(plans))
    died = [one for story in stories for one in story if one.died]
    missed = sum(point is not None for plan in plans for point in plan) - len(died)
    slowest = max(one.took for one in died)
    print(f"\n{sum(one.writes for one in reference)} writes in {len(FLOWS)} flows; {len(died)} crashes, {missed} points not reached; "
          f"slowest convergence after a restart {slowest:.1f} s (aim {AIM} s)")
    troubles = [f"story {number}, {FLOWS[at].name}, crash {plans[number][at]}: {line}"
                for number, story in enumerate(stories) for at, one in enumerate(story) for line in one.trouble]
    assert troubles == []
    assert len(died) >= (100 if FULL else 12)
