"""The checks that read the code without running it, as tests, so that they count."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check(name):
    done = subprocess.run([ROOT / "dev/check", "--only", name], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_cpp_is_formatted():
    check("format")


def test_shell_scripts_are_clean():
    check("shell")


@pytest.mark.skipif(not os.environ.get("PGC_TEST_FULL"), reason="takes minutes; with dev/test --full")
def test_clang_tidy_finds_nothing():
    check("tidy")


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True, capture_output=True, check=True)
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", text)


def test_links_between_documents_lead_somewhere():
    broken = []
    for page in (file for file in tracked_files() if file.suffix == ".md"):
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", without_code(page.read_text())):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []


def test_manifests_render(tmp_path):
    """kubectl kustomize, by the kubectl of the server's version."""
    kubectl = sorted(cache().glob("kubernetes/*/bin/kubectl"))
    if not kubectl:
        pytest.skip("dev/setup --only kubernetes has not run")
    for folder in ("manifests", "manifests/overlays/dev"):
        done = subprocess.run([kubectl[-1], "kustomize", ROOT / folder], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert "kind: CustomResourceDefinition" in done.stdout


def cache():
    home = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return pathlib.Path(os.environ.get("PGC_CACHE") or home / "pgc")
