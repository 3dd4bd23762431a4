"""Faults between the real pgc-operator and a real API server. What the tests stand on is in support/; the proxy in proxy/."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support.lab import Lab  # noqa: E402


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    made = Lab(tmp_path_factory.mktemp("lab"))
    yield made
    made.close()
