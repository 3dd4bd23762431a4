"""The quickstart in a cluster that is not ours: another local Kubernetes plays the one that a user brings, with images that are
called as they would be in the user's registry."""

import os
import subprocess

import pytest

from conftest import PROGRAMS, ROOT

NAME = "pgc-theirs"
PREFIX = "registry.test/team"


def dev_cluster(command, *arguments):
    done = subprocess.run([ROOT / "dev/cluster", command, "--name", NAME, *arguments], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def theirs(quickstart):
    dev_cluster("up")
    cache = os.environ.get("PGC_CACHE") or f"{os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')}/pgc"
    for image, ours in (("postgres", "localhost/pgc-postgres:dev"), ("pgc", "localhost/pgc:dev")):
        dev_cluster("load", f"{cache}/images/{image}.oci.tar")
        dev_cluster("enter", "ctr", "-n", "k8s.io", "images", "tag", ours, f"{PREFIX}/{image}:v1")
    path = dev_cluster("kubeconfig").strip()
    yield path
    dev_cluster("down")


def test_the_story_is_the_same(theirs):
    kubectl = subprocess.run(["bash", "-c", f'. "{ROOT}/dev/lib.sh"; . "{ROOT}/dev/versions.sh"; . "{ROOT}/dev/go.sh"; kubernetes_prefix'],
                             text=True, capture_output=True, check=True).stdout.strip() + "/bin"
    environment = {**os.environ, "KUBECONFIG": theirs, "PATH": f"{kubectl}:{PROGRAMS}:{os.environ['PATH']}"}
    context = subprocess.run(["kubectl", "config", "current-context"], env=environment, text=True, capture_output=True, check=True)
    done = subprocess.run([ROOT / "dev/quickstart", "--context", context.stdout.strip(), "--image-prefix", PREFIX, "--image-tag", "v1"],
                          env=environment, text=True, capture_output=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "my-db-ro: hello from the primary, read from a replica" in done.stderr
    images = subprocess.run(["kubectl", "get", "pods", "-A", "-o", "jsonpath={.items[*].spec.containers[*].image}"],
                            env=environment, text=True, capture_output=True, check=True).stdout.split()
    assert images and all(image.startswith(f"{PREFIX}/") for image in images)
