# Finds a Go that can build dev/kubernetes, and runs it with caches of our own. Sourced after lib.sh and versions.sh.
# shellcheck shell=bash

# Where dev/setup puts the programs built from dev/kubernetes.
kubernetes_prefix() { printf '%s/kubernetes/%s\n' "$(pgc_cache)" "$(hash_of "$(pgc_root)/dev/kubernetes")"; }

# find_go: sets go_program and go_toolchain, or ends with what would help. In this order: a Go that is new enough; Debian sid's,
# unpacked into the cache; an older one that fetches the toolchain as a module.
find_go() {
  local candidate older=
  go_toolchain=
  for candidate in "$(command -v go || true)" /usr/local/go/bin/go "$(sid_go)"; do
    [ -x "$candidate" ] || continue
    if go_is_at_least "$candidate" "$go_min"; then go_program=$candidate; tell_go; return; fi
    if go_is_at_least "$candidate" 1.21; then older=$candidate; fi
  done
  if fetch_sid_go; then go_program=$(sid_go)
  elif [ -n "$older" ]; then go_program=$older go_toolchain=auto
  else die "no Go $go_min or newer: none is installed and Debian sid's golang-${go_min%.*} cannot be fetched or run; install one as /usr/local/go, or any Go from 1.21 on"
  fi
  tell_go
}

tell_go() { log "    $("$go_program" version | cut -d' ' -f3) from $go_program${go_toolchain:+, fetching go$go_min as a module}"; }

go_is_at_least() {
  local have
  have=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  printf '%s\n%s\n' "$2" "${have#go}" | sort -CV
}

sid_go() { printf '%s/go/sid/usr/lib/go-%s/bin/go\n' "$(pgc_cache)" "${go_min%.*}"; }

# Debian sid's Go, in a folder: neither apt's sources nor what is installed change.
fetch_sid_go() {
  local folder series=${go_min%.*}
  folder=$(pgc_cache)/go/sid
  mkdir -p "$folder/deb"
  (cd "$folder/deb" && retry 3 private_apt sid download "golang-$series-go" "golang-$series-src") || return 1
  for package in "$folder"/deb/*.deb; do
    dpkg -x "$package" "$folder"
    log "    $(dpkg-deb -f "$package" Package) $(dpkg-deb -f "$package" Version) (Debian sid, unpacked in the cache)"
  done
  rm -rf "$folder/deb"
  go_is_at_least "$(sid_go)" "$go_min"
}

# go_run ARGS…: GOPROXY and GOFLAGS stay the machine's; what Go downloads and compiles lies in our cache, writable so that it
# can be removed.
go_run() {
  env GOPATH="$(pgc_cache)/go/path" GOCACHE="$(pgc_cache)/go/build" GOFLAGS="$("$go_program" env GOFLAGS) -modcacherw" \
    ${go_toolchain:+GOTOOLCHAIN="$go_toolchain"} nice "$go_program" "$@"
}
