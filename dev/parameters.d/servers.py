"""Real PostgreSQL servers out of our own image: one per session, reached by its socket alone, gone with the session."""

import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

MAJORS = (16, 17)


def cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("PGC_CACHE") or pathlib.Path(base) / "pgc")


def archive():
    """The image as dev/images leaves it; may be missing."""
    return cache() / "images" / "postgres.oci.tar"


class Servers:
    """The image's root, unpacked. A context manager: the folder goes when it ends."""

    def __init__(self, oci_archive=None):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pgc-servers-"))
        with tarfile.open(oci_archive or archive()) as tar:
            index = self._json(tar, "index.json")
            manifest = self._json(tar, self._blob(index["manifests"][0]))
            for layer in manifest["layers"]:
                subprocess.run(
                    ["tar", "--extract", "--gzip", "--numeric-owner", "--same-permissions", "--directory", str(self.root)],
                    input=tar.extractfile(self._blob(layer)).read(), check=True)
        self.root.chmod(0o755)
        (self.root / "tmp").chmod(0o1777)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    @staticmethod
    def _blob(descriptor):
        return "blobs/" + descriptor["digest"].replace(":", "/")

    @staticmethod
    def _json(tar, path):
        return json.load(tar.extractfile(path))

    def run(self, script, *arguments, stdin="", timeout=600):
        """Runs a shell script in the root as the image's unprivileged user. What it leaves running ends with it."""
        enter = (
            'root=$1; shift; mount --make-rprivate / && mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" && '
            'exec chroot --userspec=999:999 "$root" /bin/sh -euc "$@"')
        result = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, "sh", str(self.root), script, "sh",
             *map(str, arguments)],
            input=stdin, capture_output=True, text=True, timeout=timeout, check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        if result.returncode != 0:
            raise RuntimeError(f"in the PostgreSQL image: {result.stderr.strip()[-2000:]}")
        return result.stdout

    def psql(self, major, sql, options=""):
        """The output of psql, unaligned, fields parted by tabs, on a new server. Statements that fail are passed over."""
        script = """
            bin=/usr/lib/postgresql/$1/bin; dir=$(mktemp -d /tmp/server.XXXXXX)
            "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
            "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -s -w start \\
              -o "-c listen_addresses= -c unix_socket_directories=$dir -c fsync=off $2" || { cat "$dir/log" >&2; exit 1; }
            "$bin/psql" -XAtq -F "$(printf '\\t')" -h "$dir" -U postgres postgres 2>/dev/null
            "$bin/pg_ctl" -D "$dir/data" -s -m immediate stop; rm -rf "$dir"
        """
        return self.run(script, major, options, stdin=sql)

    def has_library(self, major, name):
        return bool(self.run('ls /usr/lib/postgresql/$1/lib/$2.so /usr/lib/postgresql/$1/lib/postgresql/$2.so 2>/dev/null || true',
                             major, name).strip())


def literal(text):
    """For a server with standard_conforming_strings."""
    return "'" + text.replace("'", "''") + "'"


def accepted(servers, major, settings, options=""):
    """For each (name, value), whether ALTER SYSTEM takes it: the same reading and the same check hooks as postgresql.conf."""
    lines = []
    for name, value in settings:
        lines.append(f'ALTER SYSTEM SET {name} TO {literal(value)};\n\\echo :ERROR')
    answers = servers.psql(major, "\n".join(lines), options).split()
    if len(answers) != len(lines):
        raise RuntimeError(f"PostgreSQL {major} answered {len(answers)} of {len(lines)} statements")
    return [answer == "false" for answer in answers]
