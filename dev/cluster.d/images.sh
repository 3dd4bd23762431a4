# Images into a cluster: archives of docker or OCI, and the pause image, which is made here. Sourced by dev/cluster.
# shellcheck shell=bash

# load IMAGE_OR_ARCHIVE: an archive file, an image in the cache's images/ (as dev/images leaves it), or one that docker, podman or
# buildah has.
load() {
  local archive
  if [ -f "$1" ]; then import <"$1"
  elif archive=$(cached_archive "$1"); then import <"$archive"
  elif command -v docker >/dev/null && docker image inspect "$1" >/dev/null 2>&1; then docker save "$1" | import
  elif command -v podman >/dev/null && podman image exists "$1"; then podman save --format docker-archive "$1" | import
  else die "$1: neither an archive file, nor an image in $(pgc_cache)/images, docker or podman; build ours with dev/images"
  fi
}

# cached_archive IMAGE: the OCI archive in images/ whose index names it.
cached_archive() {
  local file
  for file in "$(pgc_cache)"/images/*.tar; do
    [ -f "$file" ] || continue
    if tar -xOf "$file" index.json 2>/dev/null | grep -F "\"org.opencontainers.image.ref.name\":\"$1\"" >/dev/null; then
      printf '%s\n' "$file"
      return 0
    fi
  done
  return 1
}

import() {
  inside env CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS=1 ctr -n k8s.io images import - ||
    die "cluster $name: containerd does not take the image; see $state/log/containerd.log"
}

# pause_archive: an image of one file, in the format of docker save.
pause_archive() {
  local folder layer
  folder=$(mktemp -d "$state/tmp/pause.XXXXXX")
  mkdir "$folder/root"
  cp "$bin_source/pause" "$folder/root/pause"
  tar -C "$folder/root" --sort=name --owner=0 --group=0 --mtime=@0 -cf "$folder/layer.tar" pause
  layer=$(sha256sum <"$folder/layer.tar" | cut -d' ' -f1)
  printf '{"architecture":"%s","os":"linux","config":{"Entrypoint":["/pause"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$(dpkg --print-architecture)" "$layer" >"$folder/config.json"
  printf '[{"Config":"config.json","RepoTags":["localhost/pgc-pause:1"],"Layers":["layer.tar"]}]' >"$folder/manifest.json"
  tar -C "$folder" -c manifest.json config.json layer.tar
  rm -rf "$folder"
}
