# What is known of a cluster and whether it runs. Sourced by dev/cluster; `name` says which cluster is meant.
# shellcheck shell=bash

# A cluster is one process (process 1 of a pid namespace) and one folder. The folder's hash gives everything that has to have a
# name outside of the namespaces (interface, cgroup) a name of its own.
use_cluster() {
  name=$1
  [[ $name =~ ^[a-z0-9]([-a-z0-9]{0,28}[a-z0-9])?$ ]] ||
    die "cluster name \"$name\": must be 1 to 30 lower-case letters, digits or '-', with a letter or digit at both ends"
  state=$(pgc_cache)/clusters/$name
  id=pgc-$(printf '%s' "$state" | sha256sum | cut -c1-8)
  host_interface=$id-h
}

# What a running cluster was made from; another value means that it can't be reused.
cluster_key() { printf '%s %s %s\n' "$1" "$bin_source" "$(hash_of "$here/cluster.d")"; }

# recorded_process: PID and flags of the cluster's process 1, as this machine counts, if it is still that one: a PID together with
# its start time (in ticks since boot) names one process for good.
recorded_process() {
  local pid started stat
  read -r pid started 2>/dev/null <"$state/init" || return 1
  stat=$(cat "/proc/$pid/stat" 2>/dev/null) || return 1
  read -r -a stat <<<"${stat##*) }"
  [ "${stat[19]}" = "$started" ] && printf '%s %s\n' "$pid" "${stat[6]}"
}

# init_pid: its PID if the cluster runs; one that is on its way out (flag PF_EXITING) doesn't.
init_pid() {
  local pid flags
  read -r pid flags < <(recorded_process) && [ $((flags & 4)) = 0 ] && printf '%s\n' "$pid"
}

# inside CMD…: in the cluster's network, mounts and processes, where its folder is /run/pgc.
inside() {
  local pid
  pid=$(init_pid) || die "cluster $name is not running; start it with: dev/cluster up --name $name"
  nsenter --target "$pid" --net --mount --pid --uts --wd=/ env PATH="/run/pgc/bin:$PATH" "$@"
}

kubectl() { NO_PROXY='*' KUBECONFIG=$state/kubeconfig "$state/bin.link/kubectl" "$@"; }

# wait_until SECONDS WHAT CMD…: polls; dies naming WHAT and where to look.
wait_until() {
  local limit=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    init_pid >/dev/null || { tail -n 5 "$state/up.log" >&2; die "cluster $name ended while starting; see $state/up.log and $state/log"; }
    [ "$SECONDS" -lt "$limit" ] || die "cluster $name: $what is not there in time; see $state/log"
    sleep 0.1
  done
}

# remove_cluster: ends process 1 (the kernel ends every other process of the pid namespace with it, and then drops mounts,
# interfaces and rules), then removes what namespaces don't hold.
remove_cluster() {
  local pid
  if read -r pid _ < <(recorded_process); then
    kill -KILL "$pid"
    while recorded_process >/dev/null; do sleep 0.05; done
  fi
  remove_interface
  remove_cgroups
  remove_folder
}

remove_interface() {
  local tries
  for tries in $(seq 100); do
    [ -e "/sys/class/net/$host_interface" ] || return 0
    [ "$tries" -lt 40 ] || ip link delete "$host_interface" 2>/dev/null || true
    sleep 0.05
  done
  die "interface $host_interface of cluster $name can't be removed; try: ip link delete $host_interface"
}

# cgroup version 1 has a hierarchy per controller, version 2 has one.
cgroup_hierarchies() { if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo /sys/fs/cgroup; else find /sys/fs/cgroup -mindepth 1 -maxdepth 1 -type d; fi; }

remove_cgroups() {
  local hierarchy tries
  for tries in $(seq 50); do
    for hierarchy in $(cgroup_hierarchies); do
      [ ! -d "$hierarchy/$id" ] || find "$hierarchy/$id" -depth -type d -exec rmdir {} + 2>/dev/null || true
    done
    [ -n "$(find /sys/fs/cgroup -maxdepth 2 -name "$id" -print -quit)" ] || return 0
    sleep 0.1
  done
  die "cgroups of cluster $name can't be removed; see /sys/fs/cgroup/*/$id"
}

# The kernel drops the mounts of a dead namespace a moment after its last process.
remove_folder() {
  local tries
  for tries in $(seq 50); do
    rm -rf --one-file-system "$state" 2>/dev/null && return 0
    sleep 0.1
  done
  rm -rf --one-file-system "$state" || die "cluster $name is down, but its folder $state can't be removed"
}
