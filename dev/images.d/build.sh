# One function an image. An image is built again when the key of its inputs differs from the one beside its archive.
# shellcheck shell=bash disable=SC2154 # here, root, image_*: set by dev/images and dev/versions.sh

root=$(pgc_root)
pull=
force=
built=()

images_build() {
  local names=() image
  while [ $# -gt 0 ]; do
    case $1 in
      --pull) pull=1 ;;
      --force) force=1 ;;
      base | postgres | pgc) names+=("$1") ;;
      *) die "unknown image or flag '$1'; there are: base, postgres, pgc, --pull, --force" ;;
    esac
    shift
  done
  [ ${#names[@]} -gt 0 ] || names=(postgres pgc)
  mkdir -p "$(images_dir)" "$(pgc_cache)/log"
  # Two builds at once would meet in the same store.
  exec 9>"$(images_dir)/lock"
  flock --nonblock 9 || { log "another dev/images runs; waiting for it"; flock 9; }
  for image in "${names[@]}"; do build_if_changed "$image"; done
  [ ${#built[@]} = 0 ] || { step "images"; printf '%s\n' "${built[@]}" | column -t -s '|' >&2; }
}

build_if_changed() {
  local image=$1 key since=$SECONDS archive
  key=$("key_$image")
  archive=$(archive_of "$image")
  if [ -z "$force" ] && [ -s "$archive" ] && [ "$(cat "$archive.key" 2>/dev/null)" = "$key" ]; then
    log "    $image is unchanged ($key)"
    return
  fi
  need_tools
  step "image $image ($key)"
  rm -f "$archive.key"
  "build_$image" "$archive"
  echo "$key" >"$archive.key"
  built+=("$(image_name "$image")|$(size_of "$archive")|$(elapsed "$since")|$key|$archive")
}

need_tools() {
  need_root
  command -v buildah debootstrap >/dev/null && return
  apt_install buildah debootstrap
}

archive_of() { if [ "$1" = base ]; then echo "$(images_dir)/base.rootfs.tar"; else echo "$(images_dir)/$1.oci.tar"; fi; }
size_of() { du -h --apparent-size "$1" | cut -f1; }
short_hash() { sha256sum | cut -c1-16; }

# --- base: Debian, made by debootstrap ---

base_packages=ca-certificates

key_base() { { hash_of "$root/images/base"; declare -f make_rootfs; echo "$image_suite $base_packages"; } | short_hash; }

build_base() {
  local archive=$1 tree
  tree=$(images_dir)/base.tree
  retry 3 make_rootfs "$tree" || die "debootstrap made no Debian $image_suite; all it said is in $(pgc_cache)/log/debootstrap.log"
  tar --create --file "$archive.new" --directory "$tree" --numeric-owner --one-file-system .
  rm -rf --one-file-system "$tree"
  mv "$archive.new" "$archive"
}

# Neither the host's names and resolver nor the way to its mirror belong into an image.
make_rootfs() {
  rm -rf --one-file-system "$1"
  http_proxy=${http_proxy:-$(apt_proxy)} debootstrap --variant=minbase --include="$base_packages" --keyring="$keyring" \
    "$image_suite" "$1" "$(need_mirror)" >"$(pgc_cache)/log/debootstrap.log" 2>&1 ||
    { tail -n 5 "$(pgc_cache)/log/debootstrap.log" >&2; return 1; }
  rm -rf "$1"/etc/{resolv.conf,hostname,apt/sources.list} "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin \
    "$1"/var/cache/apt/archives/*.deb "$1"/var/log/*
}

apt_proxy() { apt-config shell proxy Acquire::http::Proxy | sed -n "s/^proxy='\(.*\)'$/\1/p"; }

# Puts the base into buildah's store under the name that a Containerfile's FROM asks for.
provide_base() {
  local context
  [ -z "$pull" ] || return 0
  ( force=; build_if_changed base )
  context=$(images_dir)/base.context
  [ "$(cat "$context/key" 2>/dev/null)" != "$(key_base)" ] || ! store inspect --type image "$(image_name base)" >/dev/null 2>&1 || return 0
  rm -rf "$context"
  mkdir -p "$context"
  cp "$root/images/base/Containerfile" "$context/"
  ln "$(archive_of base)" "$context/rootfs.tar"
  bud "$context" base --quiet >/dev/null
  rm "$context/rootfs.tar"
  key_base >"$context/key"
}

pull_policy() { if [ -n "$pull" ]; then echo --pull-always; else echo --pull-never; fi; }

# --- postgres ---

key_postgres() {
  { hash_of "$root/images/postgres" "$root/dev/images.d/sources.sh"; key_base; echo "$image_majors $image_version ${pull:+pulled}"; } | short_hash
}

build_postgres() {
  local archive=$1 context
  provide_base
  context=$(images_dir)/postgres.context
  rm -rf "$context"
  cp -r "$root/images/postgres" "$context"
  apt_sources "$context/sources"
  wheel_sources "$context/wheel.txt" "$context/sources"
  bud "$context" postgres "$(pull_policy)" --build-arg "MAJORS=$image_majors" --build-arg "VERSION=$image_version" \
    >"$(pgc_cache)/log/image-postgres.log" 2>&1 ||
    { tail -n 20 "$(pgc_cache)/log/image-postgres.log" >&2; die "the image postgres did not build; all of it is in $(pgc_cache)/log/image-postgres.log"; }
  rm -rf "$context"
  export_image postgres "$archive"
}

# --- pgc ---

programs=(pgc-operator pgc-webhook pgc-agent)
binaries=${PGC_MUSL_BIN:-$root/build/musl/bin}

key_pgc() {
  need_binaries
  { hash_of "$root/images/pgc" "${programs[@]/#/$binaries/}"; echo "$image_version"; } | short_hash
}

need_binaries() {
  local program
  for program in "${programs[@]}"; do
    [ -x "$binaries/$program" ] ||
      die "no $program in $binaries; build it first (cmake --preset musl && cmake --build --preset musl) or set PGC_MUSL_BIN"
  done
}

build_pgc() {
  local archive=$1 context
  context=$(images_dir)/pgc.context
  rm -rf "$context"
  cp -r "$root/images/pgc" "$context"
  cp "${programs[@]/#/$binaries/}" "$context/"
  bud "$context" pgc --build-arg "VERSION=$image_version" --quiet >/dev/null
  rm -rf "$context"
  export_image pgc "$archive"
}

# An OCI archive that carries the image's full name, which `ctr images import` takes over.
export_image() {
  local image=$1 archive=$2
  rm -f "$archive"
  store push --quiet "$(image_name "$image")" "oci-archive:$archive:$(image_name "$image")"
  store rmi --prune >/dev/null 2>&1 || true
}

images_list() {
  local image archive
  {
    echo "IMAGE|KEY|SIZE|BUILT|ARCHIVE"
    for image in base postgres pgc; do
      archive=$(archive_of "$image")
      [ ! -s "$archive" ] ||
        echo "$(image_name "$image")|$(cat "$archive.key" 2>/dev/null)|$(size_of "$archive")|$(date -r "$archive" '+%F %R')|$archive"
    done
  } | column -t -s '|'
}
