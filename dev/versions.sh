# Every version that dev/ asks for, in one place. "min" means: that or newer, and the script says what it took.
# shellcheck shell=bash disable=SC2034

# Kubernetes for development and tests (dev/kubernetes/*/go.mod names the same versions; dev/setup checks that they agree).
kubernetes_version=1.36.3
etcd_version=3.6.6
containerd_version=2.2.1
coredns_version=1.12.1
krew_version=0.5.0
go_min=1.26.0
