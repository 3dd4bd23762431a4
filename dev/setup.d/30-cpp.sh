#!/usr/bin/env bash
# C++ compilers, clang's tools, and the libraries of cmake/dependencies.list for this machine
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../lib.sh"
. "$here/../cpp.sh"

apt_install g++ cmake ninja-build ccache git dpkg-dev perl python3-six unicode-data libssl-dev clang-19 clang-tidy-19 clang-format-19 shellcheck
deps_install native
