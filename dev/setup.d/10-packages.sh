#!/usr/bin/env bash
# apt packages that every other part builds on
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../lib.sh"

apt_install \
  ca-certificates curl git xz-utils zstd openssl \
  build-essential gcc g++ ccache cmake ninja-build pkg-config \
  python3 python3-pytest python3-yaml \
  iproute2 procps util-linux
