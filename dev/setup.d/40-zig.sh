#!/usr/bin/env bash
# cross compiler (zig, from PyPI) and the libraries for static x86_64 Linux executables
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../lib.sh"
. "$here/../versions.sh"
. "$here/../cpp.sh"

target=x86_64-linux-musl
zig_root=$(pgc_cache)/zig/$zig_version

# The wheel's own launcher starts a Python for each compiled file; the program inside it is called directly instead.
install_zig() {
  [ -e "$zig_root/installed" ] && return
  rm -rf "$zig_root" && mkdir -p "$zig_root"
  /usr/bin/python3 -m venv "$zig_root/venv"
  printf 'ziglang==%s --hash=sha256:%s\n' "$zig_version" "$zig_wheel_sha256" >"$zig_root/requirements.txt"
  retry 3 "$zig_root/venv/bin/pip" install -q --require-hashes --no-deps -r "$zig_root/requirements.txt"
  ln -s "$zig_root"/venv/lib/python3*/site-packages/ziglang "$zig_root/ziglang"
  touch "$zig_root/installed"
}

# wrapper NAME WORD…: bin/x86_64-linux-musl-NAME runs `zig WORD…`. Its caches lie beside it, whoever calls it.
# Written only when it changes: ccache tells compilers apart by their time of modification.
wrapper() {
  local file=$zig_root/bin/$target-$1
  shift
  mkdir -p "$zig_root/bin"
  cat >"$file.new" <<WRAPPER
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='$zig_root/cache' ZIG_LOCAL_CACHE_DIR='$zig_root/cache'
exec '$zig_root/ziglang/zig' $* "\$@"
WRAPPER
  chmod +x "$file.new"
  if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
}

[ "$(uname -m)" = x86_64 ] || die "the cross compiler is pinned for x86_64 machines, this is $(uname -m); skip it with dev/setup --only cpp"
apt_install python3-venv make perl dpkg-dev cmake ninja-build python3-six unicode-data
install_zig
wrapper cc cc -target "$target"
wrapper c++ c++ -target "$target"
wrapper ar ar
wrapper ranlib ranlib
log "    zig $("$zig_root/ziglang/zig" version) (PyPI wheel, SHA-256 $zig_wheel_sha256)"
deps_install "$target" "-DCMAKE_TOOLCHAIN_FILE=$(pgc_root)/cmake/zig-musl.cmake"
