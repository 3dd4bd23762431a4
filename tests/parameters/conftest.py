import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev/parameters.d"))
sys.dont_write_bytecode = True

import servers as real  # noqa: E402


@pytest.fixture(scope="session")
def servers():
    if not real.archive().exists():
        pytest.skip(f"no real PostgreSQL to compare with: {real.archive()} is missing, dev/images makes it")
    with real.Servers() as running:
        yield running
