"""An OCI archive, unpacked and run by runc the way a locked-down pod runs it: no Kubernetes, no image store needed."""

import json
import subprocess
import tarfile
import uuid


class Image:
    """The one image of an OCI archive, unpacked under `folder` (every layer in order, into one root)."""

    def __init__(self, archive, folder):
        self.root = folder / "rootfs"
        self.folder = folder
        self.root.mkdir(parents=True)
        with tarfile.open(archive) as tar:
            index = self._blob(tar, "index.json")
            self.name = index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
            manifest = self._blob(tar, _blob_path(index["manifests"][0]["digest"]))
            self.config = self._blob(tar, _blob_path(manifest["config"]["digest"]))["config"]
            for layer in manifest["layers"]:
                self._unpack(tar.extractfile(_blob_path(layer["digest"])))

    @staticmethod
    def _blob(tar, path):
        return json.load(tar.extractfile(path))

    def _unpack(self, layer):
        command = ["tar", "--extract", "--gzip", "--numeric-owner", "--same-permissions", "--directory", str(self.root)]
        subprocess.run(command, input=layer.read(), check=True)

    def run(self, *command, mounts=(), timeout=60):
        """Runs `command` in the image; returns its CompletedProcess. Mounts are (host folder, path in the image)."""
        name = f"pgc-test-{uuid.uuid4().hex[:8]}"
        mounts = [*mounts, *((self._empty_dir(name + path.replace("/", "-")), path) for path in ("/tmp", "/run/postgresql"))]
        (self.folder / "config.json").write_text(json.dumps(self._runtime_spec(command, mounts)))
        try:
            return subprocess.run(
                ["runc", "run", "--bundle", str(self.folder), name],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
        finally:
            subprocess.run(["runc", "delete", "--force", name], capture_output=True, check=False)

    def _empty_dir(self, name):
        """As the kubelet makes an emptyDir: a folder of root that everyone may write."""
        folder = self.folder / name
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def _runtime_spec(self, command, mounts):
        uid, gid = (int(part) for part in self.config["User"].split(":"))
        return {
            "ociVersion": "1.0.2",
            "process": {
                "user": {"uid": uid, "gid": gid},
                "args": list(command),
                "env": self.config["Env"],
                "cwd": "/",
                "capabilities": {},
                "noNewPrivileges": True,
            },
            "root": {"path": "rootfs", "readonly": True},
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
                {"destination": "/dev/shm", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
                *({"destination": to, "type": "bind", "source": str(source), "options": ["rbind", "rw"]}
                  for source, to in mounts),
            ],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]},
        }


def _blob_path(digest):
    return "blobs/" + digest.replace(":", "/")
