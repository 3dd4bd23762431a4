#!/usr/bin/env bash
# the local Kubernetes: apiserver to kubelet, etcd, containerd, CoreDNS, krew, built from Go modules
#
# The result lies in kubernetes/<key>/bin of the cache; the key is a hash of dev/kubernetes, so a second run has nothing to do.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../lib.sh"
. "$here/../versions.sh"
. "$here/../go.sh"

modules=$(pgc_root)/dev/kubernetes
prefix=$(kubernetes_prefix)

# The versions that dev/versions.sh promises are the ones that the modules ask for.
check_versions() {
  local part module version
  while read -r part module version; do
    grep -qE "^(require)?[[:space:]]+$module v${version//./\\.}\$" "$modules/$part/go.mod" ||
      die "dev/kubernetes/$part/go.mod does not require $module v$version, which dev/versions.sh names; change one of them (and run go mod tidy)"
  done <<EOF
kubernetes k8s.io/kubernetes $kubernetes_version
etcd go.etcd.io/etcd/server/v3 $etcd_version
containerd github.com/containerd/containerd/v2 $containerd_version
coredns github.com/coredns/coredns $coredns_version
krew sigs.k8s.io/krew $krew_version
EOF
}

# build PART OUTPUT PACKAGE [LDFLAGS]: one static program from the module dev/kubernetes/PART.
build() {
  local part=$1 output=$2 package=$3 flags="-s -w ${4:-}" since=$SECONDS
  (cd "$modules/$part" && retry 3 go_run mod download) || die "cannot fetch the Go modules of dev/kubernetes/$part; see GOPROXY in 'go env'"
  (cd "$modules/$part" && CGO_ENABLED=0 go_run build -trimpath -tags no_btrfs,no_zfs,no_devmapper -ldflags "$flags" -o "$bin/$output" "$package")
  log "    $output $(cd "$modules/$part" && go_run list -m -f '{{.Path}} {{.Version}}' "$(required_module "$part")") (Go module, $(elapsed "$since"))"
}

# The module that a part is there for: the last direct requirement in its go.mod.
required_module() {
  awk '$1 == "require" && NF == 3 { m = $2 } /^\tk8s.io\/kubernetes v/ { m = $1 } END { print m }' "$modules/$1/go.mod"
}

build_kubernetes() {
  local version=k8s.io/component-base/version minor=${kubernetes_version#*.} name
  build kubernetes kubernetes . \
    "-X $version.gitVersion=v$kubernetes_version -X $version.gitMajor=${kubernetes_version%%.*} -X $version.gitMinor=${minor%%.*}"
  for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubectl; do
    ln -s kubernetes "$bin/$name"
  done
}

build_all() {
  local runtime=github.com/containerd/containerd/v2
  build_kubernetes
  build etcd etcd .
  build containerd containerd "$runtime/cmd/containerd" "-X $runtime/version.Version=v$containerd_version"
  build containerd containerd-shim-runc-v2 "$runtime/cmd/containerd-shim-runc-v2" "-X $runtime/version.Version=v$containerd_version"
  build containerd ctr "$runtime/cmd/ctr" "-X $runtime/version.Version=v$containerd_version"
  build coredns coredns .
  build krew krew sigs.k8s.io/krew/cmd/krew "-X sigs.k8s.io/krew/internal/version.gitTag=v$krew_version"
  build krew validate-krew-manifest sigs.k8s.io/krew/cmd/validate-krew-manifest
  gcc -O2 -static -Wall -Werror -o "$bin/pause" "$modules/pause/pause.c"
  strip "$bin/pause"
}

build_into_place() {
  local since=$SECONDS staging=$prefix.new
  bin=$staging/bin
  rm -rf "$staging"
  mkdir -p "$bin"
  find_go
  build_all
  mv "$staging" "$prefix"
  log "    built into $prefix in $(elapsed "$since")"
}

apt_install runc containernetworking-plugins iptables conntrack inotify-tools
check_versions
mkdir -p "$(dirname "$prefix")"
exec 9>"$prefix.lock"
flock 9
if [ -d "$prefix" ]; then
  log "    Kubernetes $kubernetes_version, etcd $etcd_version, containerd $containerd_version, CoreDNS $coredns_version, krew $krew_version from $prefix"
else
  build_into_place
fi
