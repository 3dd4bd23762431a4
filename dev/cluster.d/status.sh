# What a cluster is made of and what it takes. Sourced by dev/cluster.
# shellcheck shell=bash

status() {
  local pid
  if ! pid=$(init_pid); then
    if [ -e "$state" ]; then echo "cluster $name: not running, its folder $state is left (up or down cleans it)"
    else echo "cluster $name: down"; fi
    return 3
  fi
  . "$state/addresses"
  printf 'cluster %s: up, Kubernetes %s (%s)\n' "$name" "$(server_version)" "$(cut -d' ' -f1 "$state/key" 2>/dev/null || echo starting)"
  printf '  %-12s %s\n' API "https://$cluster_address:6443" "this machine" "$host_address (as seen from the cluster)" \
    kubeconfig "$state/kubeconfig" logs "$state/log" process "$pid"
  echo
  processes
}

server_version() { kubectl version -o json 2>/dev/null | sed -n '/serverVersion/,$s/.*"gitVersion": "\(.*\)".*/\1/p'; }

# One line for each of our own parts, one for what runs in pods.
processes() {
  inside ps -eo pid=,ppid=,rss=,etime=,comm= | awk '
    BEGIN {
      split("etcd kube-apiserver kube-controller kube-scheduler kubelet containerd kube-proxy coredns", known)
      for (i in known) ours[known[i]] = 1
      format = "  %-24s %8s %12s %10s\n"; printf format, "PART", "PID", "UP", "MEMORY" }
    $5 == "ps" || $5 == "sleep" { next }
    $5 in ours { printf format, $5 ($5 == "kube-controller" ? "-manager" : ""), $1, $4, int($3 / 1024) " MiB"; total += $3; next }
    { others++; rest += $3 }
    END { printf format, "pods, shims and the like", others, "", int(rest / 1024) " MiB"
          printf format, "total", "", "", int((total + rest) / 1024) " MiB" }'
}
