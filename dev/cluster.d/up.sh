# Starting a cluster and waiting until it serves. Sourced by dev/cluster.
# shellcheck shell=bash

# choose_binaries: KUBEBUILDER_ASSETS, as other projects' API tests use it, is enough for a control plane.
choose_binaries() {
  bin_source=$(kubernetes_prefix)/bin
  if [ "$mode" = control-plane ] && [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
    for part in etcd kube-apiserver kubectl; do
      [ -x "$KUBEBUILDER_ASSETS/$part" ] || die "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, but $part is not in it; unset it to use our own"
    done
    bin_source=$(cd "$KUBEBUILDER_ASSETS" && pwd -P)
  fi
}

have_binaries() {
  [ -d "$bin_source" ] || "$here/setup" --only kubernetes
  [ -d "$bin_source" ] || die "no Kubernetes in $bin_source after dev/setup --only kubernetes"
}

up() {
  need_root
  choose_binaries
  if reuse; then return; fi
  have_binaries
  [ ! -e "$state" ] || { log "    cluster $name did not end properly; cleaning up"; remove_cluster; }
  start
  serve
  step "cluster $name is up ($(elapsed 0)); export KUBECONFIG=$state/kubeconfig"
}

reuse() {
  init_pid >/dev/null || return 1
  [ "$(cat "$state/key" 2>/dev/null)" = "$(cluster_key "$mode")" ] ||
    die "cluster $name runs, but was made by another version of dev/cluster or in another mode; first: dev/cluster down --name $name"
  step "cluster $name is up already, same versions; export KUBECONFIG=$state/kubeconfig"
}

start() {
  step "cluster $name: starting ($([ "$mode" = full ] && echo "Kubernetes with one node" || echo "etcd and API server only"))"
  case $state in /run/* | /var/run/*) die "the cache folder $(pgc_cache) lies in /run, which a cluster has for itself; set PGC_CACHE elsewhere" ;; esac
  mkdir -p "$state" && chmod 711 "$state"
  ln -s "$bin_source" "$state/bin.link"
  free_subnet
  printf 'host_address=%s\ncluster_address=%s\n' "$host_address" "$cluster_address" >"$state/addresses"
  make_config
  make_certificates
  make_kubeconfigs
  start_init
}

# The copy of init.sh is what runs: the tree may change under a running cluster.
start_init() {
  cp "$here/cluster.d/init.sh" "$state/init.sh"
  setsid unshare --net --mount --pid --uts --fork --kill-child \
    bash "$state/init.sh" "$state" "$bin_source" "$mode" "$cluster_address" "$host_address" "$id" \
    </dev/null >"$state/up.log" 2>&1 9>&- &
  disown
  local limit=$((SECONDS + 10))
  until init_pid >/dev/null; do
    [ "$SECONDS" -lt "$limit" ] || { cat "$state/up.log" >&2; die "cluster $name: no namespaces; are mount, network and pid namespaces allowed here?"; }
    sleep 0.02
  done
  connect "$(init_pid)"
}

serve() {
  wait_until 90 "the API server" kubectl get --raw /readyz
  log "    API server ready at https://$cluster_address:6443 ($(elapsed 0))"
  if [ "$mode" = full ]; then
    load_pause
    kubectl apply -f "$state/etc/addons.yaml" >/dev/null
    wait_until 90 "the node" node_ready
    log "    node $name ready ($(elapsed 0))"
    wait_until 60 "the service account of new pods" kubectl get serviceaccount default
    wait_until 60 "DNS" inside curl -fsS http://10.244.0.1:8181/ready
    log "    DNS answers, Services routed ($(elapsed 0))"
  else
    wait_until 30 "namespace default" kubectl get namespace default
  fi
  cluster_key "$mode" >"$state/key"
}

node_ready() { kubectl wait --for=condition=Ready "node/$name" --timeout=1s; }

load_pause() {
  wait_until 60 "containerd" inside ctr version
  pause_archive | import >/dev/null
}
