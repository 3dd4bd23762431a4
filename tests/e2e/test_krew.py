"""Installs kubectl pgc as users do: by a real krew, from the archive and the manifest that dev/krew makes."""

import os
import pathlib
import re
import subprocess
import tarfile

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = "kubectl-pgc_linux_amd64.tar.gz"
BINARY = pathlib.Path(os.environ.get("PGC_MUSL_BIN", ROOT / "build/musl/bin")) / "kubectl-pgc"


def run(*command, environment=None, check=True):
    done = subprocess.run([str(word) for word in command], env=environment, text=True, capture_output=True, timeout=300)
    assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module")
def tools():
    """The folder with krew, validate-krew-manifest and kubectl."""
    script = '. "$0/lib.sh" && . "$0/versions.sh" && . "$0/go.sh" && kubernetes_prefix'
    return pathlib.Path(run("bash", "-c", script, ROOT / "dev").stdout.strip()) / "bin"


def pack(folder):
    run(ROOT / "dev/krew", "--binary", BINARY, "--output", folder)
    return folder


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def installed(package, tools, tmp_path_factory):
    """An environment in which krew has installed the plugin."""
    krew_root = tmp_path_factory.mktemp("krew")
    environment = {**os.environ, "KREW_ROOT": str(krew_root), "PATH": f"{krew_root}/bin:{tools}:/usr/bin:/bin"}
    run(tools / "krew", "install", f"--manifest={package}/pgc.yaml", f"--archive={package}/{ARCHIVE}", environment=environment)
    assert (krew_root / "bin/kubectl-pgc").is_symlink()
    return environment


def test_the_template_holds_to_the_rules_of_the_index():
    manifest = yaml.safe_load((ROOT / "krew-manifest.yaml").read_text())
    spec = manifest["spec"]
    assert manifest["metadata"]["name"] == "pgc"
    assert re.fullmatch(r"v\d+\.\d+\.\d+", spec["version"])
    assert len(spec["shortDescription"]) <= 50 and "\n" not in spec["shortDescription"]
    assert max(map(len, spec["description"].splitlines())) <= 80
    for platform in spec["platforms"]:
        assert re.fullmatch(r"[a-f0-9]{64}", platform["sha256"])
        assert spec["version"] in platform["uri"]


def test_krew_itself_finds_the_manifest_valid(package, tools):
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    run(tools / "validate-krew-manifest", "-skip-install", "-manifest", package / "pgc.yaml", environment=environment)


def test_the_archive_holds_the_program_and_its_license(package):
    with tarfile.open(package / ARCHIVE) as archive:
        members = {member.name: member for member in archive.getmembers()}
    assert sorted(members) == ["LICENSE", "kubectl-pgc"]
    assert all(member.isreg() and (member.uid, member.gid, member.mtime) == (0, 0, 0) for member in members.values())
    assert members["kubectl-pgc"].mode == 0o755


def test_the_archive_is_reproducible(package, tmp_path):
    assert (pack(tmp_path) / ARCHIVE).read_bytes() == (package / ARCHIVE).read_bytes()


def test_a_changed_archive_is_refused(package, tools, tmp_path):
    (tmp_path / ARCHIVE).write_bytes((package / ARCHIVE).read_bytes() + b"\0")
    environment = {**os.environ, "KREW_ROOT": str(tmp_path / "krew")}
    done = run(tools / "krew", "install", f"--manifest={package}/pgc.yaml", f"--archive={tmp_path / ARCHIVE}",
               environment=environment, check=False)
    assert done.returncode != 0 and "checksum" in done.stderr


def test_kubectl_finds_the_installed_plugin(installed):
    assert "kubectl-pgc" in run("kubectl", "plugin", "list", environment=installed).stdout
    assert run("kubectl", "pgc", "version", environment=installed).stdout.startswith("kubectl pgc v")
    help_text = run("kubectl", "pgc", environment=installed).stdout
    assert "Usage: kubectl pgc COMMAND" in help_text


def test_the_installed_plugin_judges_the_sample(installed):
    done = run("kubectl", "pgc", "validate", "-f", ROOT / "manifests/samples/my-db.yaml", environment=installed)
    assert done.stdout.endswith('PostgresCluster "my-db" is valid\n')


def test_krew_takes_it_away_again(package, tools, tmp_path):
    # Without an index krew does nothing but install; one of our own serves.
    index = tmp_path / "index"
    (index / "plugins").mkdir(parents=True)
    (index / "plugins/pgc.yaml").write_text((package / "pgc.yaml").read_text())
    author = {f"GIT_{who}_{what}": "test@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **author, "KREW_ROOT": str(tmp_path / "krew")}
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "pgc"]):
        run("git", "-C", index, *command, environment=environment)
    link = tmp_path / "krew/bin/kubectl-pgc"
    run(tools / "krew", "index", "add", "default", index, environment=environment)
    run(tools / "krew", "install", f"--manifest={package}/pgc.yaml", f"--archive={package}/{ARCHIVE}", environment=environment)
    assert link.is_symlink()
    run(tools / "krew", "uninstall", "pgc", environment=environment)
    assert not link.exists()


@pytest.mark.e2e
def test_the_installed_plugin_scales_a_real_cluster(installed, kubernetes):
    environment = {**installed, "KUBECONFIG": kubernetes.kubeconfig}
    done = run("kubectl", "pgc", "scale", "my-db", "3", "--wait", environment=environment)
    assert done.stdout.startswith("postgrescluster.db.example.com/my-db scaled")
    status = kubernetes.cluster("my-db")["status"]
    assert (status["replicas"], status["readyReplicas"]) == (3, 3)
