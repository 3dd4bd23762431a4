"""Faults between the real pgc-operator and a real API server. What the tests stand on is in support/; the proxy in proxy/."""

import concurrent.futures
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.flows import FLOWS, tell  # noqa: E402
from support.lab import Lab  # noqa: E402


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    made = Lab(tmp_path_factory.mktemp("lab"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def reference(lab):
    """The chapters of a story without faults (support/flows.py)."""
    first = tell(lab, "undisturbed", [None] * len(FLOWS), None)
    again = tell(lab, "undisturbed-again", [None] * len(FLOWS), first)
    assert [line for one in again for line in one.trouble] == [], "two undisturbed runs differ: comparisons would be worth nothing"
    return first


@pytest.fixture(scope="session")
def side_by_side():
    """Runs a function for many arguments, a few at a time: they mostly wait. Gives the results in order."""

    def run(function, arguments, at_once=3):
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(function, arguments))

    return run


@pytest.fixture(scope="session", autouse=True)
def waiting(request, lab):
    """{case: future} of the cases that mostly wait: they begin at once, beside all others. A module has them in WAITING."""
    wanted = [(item.callspec.params["case"], item.module.WAITING) for item in request.session.items
              if hasattr(item.module, "WAITING") and hasattr(item, "callspec")]  # fmt: skip
    with concurrent.futures.ThreadPoolExecutor(max(1, len(wanted))) as pool:
        yield {case: pool.submit(cases[case], lab) for case, cases in wanted}
