"""Which tests of a Catch2 program are worth another try: failed.py REPORT, with the names of its tests on standard input.

Prints those that failed, as --input-file reads them; none where the program died, or where so many failed that it was no accident.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

from count import cases_of, failure_of

MOST = 3


def failed_cases(report):
    """The names in it: that of a test, or with the section behind a slash."""
    try:
        return {case.get("name") for case in cases_of(report) if failure_of(case) is not None}
    except (OSError, ElementTree.ParseError):
        return set()


def failed_tests(cases, tests):
    return [test for test in tests if any(case == test or case.startswith(f"{test}/") for case in cases)]


def main(report):
    tests = failed_tests(failed_cases(report), [line.rstrip("\n") for line in sys.stdin])
    if len(tests) <= MOST:
        print("".join(re.sub(r'([\\\[\]",*~])', r"\\\1", test) + "\n" for test in tests), end="")


if __name__ == "__main__":
    main(sys.argv[1])
