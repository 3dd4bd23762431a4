# Shared by every script in dev/: where things are, how progress is told, how a download is retried.
# To be sourced: . "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck shell=bash

pgc_root() { (cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P); }

# Everything that takes long to make, or that a running cluster keeps, lies here and never in the clone.
pgc_cache() { printf '%s\n' "${PGC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pgc}"; }

log()  { printf '%s\n' "$*" >&2; }
step() { printf '==> %s\n' "$*" >&2; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die()  { printf 'error: %s\n' "$*" >&2; exit 1; }

# retry N CMD…: mirrors answer 404 or time out now and then; N attempts in all, waiting longer each time.
retry() {
  local left=$1 wait=2
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    warn "failed, trying again in ${wait}s: $*"
    sleep "$wait"
    wait=$((wait * 2))
  done
}

# elapsed SINCE: whole seconds since a value of $SECONDS.
elapsed() { printf '%ss\n' "$((SECONDS - $1))"; }

# hash_of PATH…: a short key of the contents of files and folders, the same from any clone path.
hash_of() {
  local path
  for path in "$@"; do
    if [ -d "$path" ]; then (cd "$path" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    else sha256sum <"$path"; fi
  done | sha256sum | cut -c1-16
}

need_root() { [ "$(id -u)" = 0 ] || die "$(basename "$0") needs root: it installs packages or makes namespaces; run it with sudo"; }

# apt_install PACKAGE…: installs what is missing, quietly, and says what it took.
apt_install() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -x installed >/dev/null || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    need_root
    [ -n "${pgc_apt_updated:-}" ] || retry 3 apt-get update -qq >&2
    pgc_apt_updated=1
    DEBIAN_FRONTEND=noninteractive retry 3 apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  dpkg-query -W -f '    ${Package} ${Version} (apt)\n' "$@" >&2
}

# debian_mirror: the archive this machine takes Debian from, read from its own apt configuration.
debian_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -F'|' '$1 == "Debian" && $2 == "Debian" && !found++ { print $3 }' | sed 's#/*$##'
}

# private_apt SUITE COMMAND…: apt-get on another suite of the same mirror, with lists and cache of its own, so that the
# machine's apt configuration stays as it is. SUITE is e.g. trixie or sid; packages are fetched, never installed.
private_apt() {
  local suite=$1 state tool=apt-get
  shift
  case "$1" in show | policy | madison) tool=apt-cache ;; esac
  state=$(pgc_cache)/apt/$suite
  private_apt_state "$suite" "$state"
  "$tool" "${private_apt_options[@]}" "$@"
}

# Once per suite and day; sets private_apt_options for it.
private_apt_state() {
  local suite=$1 state=$2 mirror
  private_apt_options=(
    -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$state/lists"
    -o "Dir::Cache=$state/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root
    -o "APT::Architecture=$(dpkg --print-architecture)" -qq)
  if [ -n "$(find "$state/fresh" -mmin -1440 2>/dev/null)" ]; then return 0; fi
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || die "no Debian archive in this machine's apt configuration (apt-get indextargets names none); add one and run apt-get update"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' deb "$mirror" "$suite" >"$state/sources.list"
  printf '%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' deb-src "$mirror" "$suite" >>"$state/sources.list"
  retry 3 apt-get "${private_apt_options[@]}" update >&2
  touch "$state/fresh"
}

# own_sources: our C++ files, committed or not yet, relative to the root.
own_sources() { git -C "$(pgc_root)" ls-files -co --exclude-standard -- '*.cpp' '*.h'; }
