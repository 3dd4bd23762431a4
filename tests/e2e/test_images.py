"""The postgres image itself, as `dev/images build postgres` exported it: run as its own user on a read-only root.

Needs root and runc. The archive is taken from the cache (PGC_CACHE).
"""

import os
import pathlib
import re
import shutil
import stat

import pytest

from oci_image import Image

CACHE = pathlib.Path(
    os.environ.get("PGC_CACHE") or
    pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pgc")
ARCHIVE = CACHE / "images" / "postgres.oci.tar"
MAJORS = ("16", "17")

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root: unpacks an image with its owners and runs runc"),
    pytest.mark.skipif(not shutil.which("runc"), reason="needs runc"),
]


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    assert ARCHIVE.exists(), f"no {ARCHIVE}: run dev/images build postgres"
    folder = tmp_path_factory.mktemp("image")
    yield Image(ARCHIVE, folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data(tmp_path):
    """An empty volume as a pod's fsGroup leaves it."""
    volume = tmp_path / "pgdata"
    volume.mkdir()
    os.chown(volume, 999, 999)
    return volume


def output(process):
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def files(image):
    for folder, _, names in os.walk(image.root):
        for name in names:
            yield pathlib.Path(folder, name)


def test_name_user_and_entry_point(image):
    assert image.name == "localhost/pgc-postgres:dev"
    assert image.config["User"] == "999:999"
    assert image.config["Entrypoint"] == ["patroni", "/etc/patroni"]
    assert image.config.get("Cmd") in (None, [])
    assert re.match(r"#! ?/usr/bin/python3\n", (image.root / "usr/bin/patroni").read_text())


def test_path_is_set(image):
    """A runtime adds none of its own: without it the entry point is not found."""
    assert [value for value in image.config["Env"] if re.match(r"PATH=.*/usr/bin\b", value)]


def test_nothing_may_change_user(image):
    special = [path for path in files(image)
               if not path.is_symlink() and path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)]
    assert special == []


def test_no_keys_no_jit_no_package_lists_no_mirror(image):
    assert list((image.root / "etc/ssl/private").iterdir()) == []
    assert [path for path in files(image) if re.match(r"libLLVM|llvmjit", path.name)] == []
    assert list((image.root / "var/lib/apt/lists").iterdir()) == []
    assert not (image.root / "etc/apt/sources.list").exists()
    assert list((image.root / "etc/patroni").iterdir()) == []


def test_runs_as_its_user_on_a_read_only_root(image):
    assert output(image.run("id", "-u")).strip() == "999"
    refused = image.run("touch", "/etc/patroni/x")
    assert refused.returncode != 0 and "Read-only file system" in refused.stderr


def test_tools(image):
    assert re.search(r"patroni 4\.", output(image.run("patroni", "--version")))
    assert re.search(r"pgBackRest 2\.(5[5-9]|[6-9]\d)", output(image.run("pgbackrest", "version")))


def test_entry_point_reads_the_mounted_configuration(image):
    process = image.run(*image.config["Entrypoint"])
    assert "Config is empty" in process.stdout + process.stderr


@pytest.mark.parametrize("major", MAJORS)
def test_initdb_start_query_stop(image, data, major):
    binaries = f"/usr/lib/postgresql/{major}/bin"
    script = f"""
        set -e
        export PGHOST=/run/postgresql PGDATA=/pgdata/pg{major} PATH={binaries}:$PATH
        initdb --encoding=UTF8 --locale=C.UTF-8 --data-checksums --allow-group-access --auth=trust --username=postgres >&2
        pg_ctl start --wait --silent --options "-c unix_socket_directories=/run/postgresql -c listen_addresses=''" >&2
        psql -Atc "select split_part(version(), ' ', 2), current_setting('data_checksums'), current_setting('jit_provider')" -U postgres
        psql -Atc "select pg_jit_available(), now() at time zone 'Europe/Berlin' is not null" -U postgres
        pg_ctl stop --wait --silent --mode=fast >&2
        pg_controldata | grep 'cluster state'
    """
    lines = output(image.run("sh", "-c", script, mounts=[(data, "/pgdata")])).splitlines()
    assert lines[0].startswith(f"{major}.") and "|on|" in lines[0]
    assert lines[1] == "f|t"
    assert lines[2].endswith("shut down")
    assert (data / f"pg{major}").stat().st_uid == 999


@pytest.mark.parametrize("major", MAJORS)
def test_client_and_upgrade_tools(image, major):
    for tool in ("psql", "pg_basebackup", "pg_rewind", "pg_upgrade", "pg_controldata", "pg_dump"):
        version = output(image.run(f"/usr/lib/postgresql/{major}/bin/{tool}", "--version"))
        assert f"(PostgreSQL) {major}." in version
