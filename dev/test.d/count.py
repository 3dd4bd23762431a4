"""Adds up JUnit reports: count.py FOLDER SUITE... names what has failed, prints a table and, last, "N passed, N failed, N skipped".

A suite that left no report has not run to its end: that is a failure of its own. A test that failed and then passed alone (NAME.again.xml beside
NAME.xml) is named as well, but counts as passed.
count.py --so-far FOLDER SUITE... prints no table: only what has failed, or nothing. A run takes half an hour; its first failure should not wait for
the end.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


LINES = 20  # of a failure's message


def failure_of(case):
    found = case.find("failure")
    return found if found is not None else case.find("error")


def message_of(failure):
    """Its first lines: those who read a log that was cut see what has failed, and how."""
    text = (failure.text or "").strip() or failure.get("message", "").strip()
    lines = text.splitlines()
    more = [f"... and {len(lines) - LINES} lines more"] if len(lines) > LINES else []
    return "".join(f"    {line}\n" for line in lines[:LINES] + more)


def name_failures(suite, cases, word):
    for case in cases:
        print(f"{word} {suite}: {case.get('name')}\n{message_of(failure_of(case))}", end="")


def cases_of(report):
    return list(ElementTree.parse(report).iter("testcase"))


def passed_again(report):
    """Names of cases that passed when they were tried once more."""
    try:
        again = cases_of(report.with_suffix(".again.xml"))
    except (OSError, ElementTree.ParseError):
        return set()
    return {case.get("name") for case in again} - {case.get("name") for case in again if failure_of(case) is not None}


def counts(suite, report):
    """(passed, failed, skipped) of one report, by test case."""
    cases, sound = cases_of(report), passed_again(report)
    failures = [case for case in cases if failure_of(case) is not None]
    failed = [case for case in failures if case.get("name") not in sound]
    name_failures(suite, failed, "FAILED")
    name_failures(suite, [case for case in failures if case not in failed], "PASSED ONLY WHEN TRIED AGAIN")
    skipped = sum(1 for case in cases if failure_of(case) is None and case.find("skipped") is not None)
    return len(cases) - len(failed) - skipped, len(failed), skipped


def of_suite(folder, suite):
    total = (0, 0, 0)
    reports = sorted(report for report in folder.glob(f"{suite}-*.xml") if not report.name.endswith(".again.xml"))
    for report in reports:
        try:
            total = tuple(a + b for a, b in zip(total, counts(suite, report)))
        except ElementTree.ParseError:
            print(f"{suite}: {report.name} is cut off: the program died while it ran")
            total = (total[0], total[1] + 1, total[2])
    if not reports or total == (0, 0, 0):
        print(f"{suite}: no test has run; see above")
        total = (0, 1, 0)
    return total


def so_far(folder, suites):
    for suite in suites:
        of_suite(pathlib.Path(folder), suite)


def main(folder, suites):
    totals = [of_suite(pathlib.Path(folder), suite) for suite in suites]
    print(f"\n{'SUITE':<12}{'PASSED':>8}{'FAILED':>8}{'SKIPPED':>8}")
    for suite, (passed, failed, skipped) in zip(suites, totals):
        print(f"{suite:<12}{passed:>8}{failed:>8}{skipped:>8}")
    passed, failed, skipped = (sum(column) for column in zip(*totals))
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[0] == "--so-far":
        so_far(arguments[1], arguments[2:])
    else:
        sys.exit(main(arguments[0], arguments[1:]))
