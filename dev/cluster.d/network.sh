# The way from this machine to a cluster's network: one pair of interfaces, two addresses. Sourced by dev/cluster.
# shellcheck shell=bash

# free_subnet: the first of the four-address networks of 198.18.0.0/15 (set aside for tests, so that no real network is hidden)
# that nothing here uses, beginning at one that follows from the cluster's id. Sets host_address and cluster_address.
free_subnet() {
  local start=$((16#${id#pgc-} % 32768)) used try number base
  used=" $(ip -4 -o addr show | awk '{ sub("/.*", "", $4); print $4 }' | tr '\n' ' ')"
  for try in $(seq 0 32767); do
    number=$(((start + try) % 32768))
    base=198.$((18 + number / 16384)).$((number / 64 % 256))
    host_address=$base.$((number % 64 * 4 + 1))
    cluster_address=$base.$((number % 64 * 4 + 2))
    case $used in *" $host_address "*) ;; *) return 0 ;; esac
  done
  die "no free network in 198.18.0.0/15 for cluster $name"
}

# connect PID: gives the namespace of process PID one end, named pgc0, and this machine the other.
connect() {
  ip link add "$host_interface" type veth peer name "$id-c"
  ip link set "$id-c" netns "$1" name pgc0
  ip addr add "$host_address/30" dev "$host_interface"
  ip link set "$host_interface" up
}
