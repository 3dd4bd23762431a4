# The way to an installed pgc: machine, build, images, cluster, manifests. Sourced by dev/quickstart.
# shellcheck shell=bash

times=()  # "SECONDS|WHAT", for the summary

# timed WHAT CMD…: runs a step and remembers how long it took.
timed() {
  local what=$1 since=$SECONDS
  shift
  step "$what"
  "$@"
  times+=("$((SECONDS - since))|$what")
  log "    took $(elapsed "$since")"
}

build_programs() {
  (cd "$root" && cmake --preset musl >"$scratch/cmake.log" 2>&1 || { cat "$scratch/cmake.log" >&2; die "cmake failed"; })
  cmake --build "$root/build/musl" --target kubectl-pgc pgc-operator pgc-webhook pgc-agent >&2
}

load_images() {
  local cache
  cache=$(pgc_cache)
  "$root/dev/cluster" load --name "$PGC_CLUSTER" "$cache/images/postgres.oci.tar" "$cache/images/pgc.oci.tar"
}

use_local_cluster() {
  timed "set up the machine" "$root/dev/setup" --only packages --only kubernetes --only zig
  timed "build the programs" build_programs
  timed "build the images" "$root/dev/images" build
  timed "start a local Kubernetes" "$root/dev/cluster" up --name "$PGC_CLUSTER"
  timed "load the images" load_images
  KUBECONFIG=$("$root/dev/cluster" kubeconfig --name "$PGC_CLUSTER")
  export KUBECONFIG
  PATH=$(kubectl_folder):$PATH
  overlay=$root/manifests/overlays/dev
}

# The kubectl of the server's version, which dev/setup has built.
kubectl_folder() {
  mkdir -p "$scratch/bin"
  printf '#!/bin/sh\nexec "%s/dev/cluster" kubectl --name "%s" -- "$@"\n' "$root" "$PGC_CLUSTER" >"$scratch/bin/kubectl"
  chmod +x "$scratch/bin/kubectl"
  printf '%s\n' "$scratch/bin"
}

use_their_cluster() {
  if [ ! -x "$bin/kubectl-pgc" ]; then
    timed "set up the machine" "$root/dev/setup" --only packages --only zig
    timed "build the programs" build_programs
  fi
  # A kubeconfig of our own that points to their context leaves their current context alone.
  kubectl config view --raw --flatten --minify --context "$context" >"$scratch/kubeconfig" 2>"$scratch/error" ||
    die "context \"$context\": $(cat "$scratch/error")"
  chmod 600 "$scratch/kubeconfig"
  export KUBECONFIG=$scratch/kubeconfig
  overlay=$scratch/overlay
  write_overlay
}

# Kustomize takes no absolute path, so the overlay says by a relative one where the manifests are.
write_overlay() {
  mkdir -p "$overlay"
  cat >"$overlay/settings.yaml" <<SETTINGS
apiVersion: v1
kind: ConfigMap
metadata: {name: pgc-settings, namespace: pgc-system}
data:
  settings.yaml: |
    images:
      "16": {image: "$image_prefix/postgres:$image_tag", tls: false}
      "17": {image: "$image_prefix/postgres:$image_tag", tls: true}
    agentImage: "$image_prefix/pgc:$image_tag"
    tls: {mode: Prefer}
SETTINGS
  cat >"$overlay/kustomization.yaml" <<KUSTOMIZATION
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [$(realpath --relative-to="$overlay" "$root/manifests")]
images:
- {name: registry.example.com/pgc/pgc, newName: "$image_prefix/pgc", newTag: "$image_tag"}
patches:
- path: settings.yaml
KUSTOMIZATION
}

roll_out() {
  kubectl apply -k "$overlay" >&2
  # The images keep their tag while one develops: new pods take the new ones.
  kubectl -n pgc-system rollout restart deployment/pgc-operator deployment/pgc-webhook >&2
  kubectl -n pgc-system rollout status --timeout=180s deployment/pgc-operator >&2
  kubectl -n pgc-system rollout status --timeout=180s deployment/pgc-webhook >&2
}

install_pgc() { timed "install pgc" roll_out; }
