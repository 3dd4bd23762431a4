# Buildah with a store of its own under the cache, so that no other image on the machine is touched.
# shellcheck shell=bash disable=SC2154 # here, root, image_*: set by dev/images and dev/versions.sh

images_dir() { printf '%s/images\n' "$(pgc_cache)"; }

image_name() {
  case $1 in
    base) echo "docker.io/library/debian:$image_suite-slim" ;;
    postgres) echo localhost/pgc-postgres:dev ;;
    *) echo "localhost/$1:dev" ;;
  esac
}

# Overlay where the file system takes it, else plain copies.
storage_driver() {
  local probe=$1/overlay-probe driver=vfs
  mkdir -p "$probe"/{lower,upper,work,merged}
  if unshare --mount mount -t overlay overlay \
    -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" "$probe/merged" 2>/dev/null; then
    driver=overlay
  fi
  rm -rf "$probe"
  echo "$driver"
}

# store COMMAND…: a buildah command on our store.
store() {
  local dir
  dir=$(images_dir)/store
  mkdir -p "$dir"
  [ -f "$dir/driver" ] || storage_driver "$dir" >"$dir/driver"
  TMPDIR=$dir buildah --root "$dir/root" --runroot "$dir/run" --storage-driver "$(cat "$dir/driver")" "$@"
}

# bud CONTEXT IMAGE ARG…: builds CONTEXT/Containerfile as IMAGE; no daemon, no user namespace, no container runtime.
bud() {
  local context=$1 image=$2
  shift 2
  store bud --isolation chroot --network host --layers=false --tag "$(image_name "$image")" \
    "$@" --file "$context/Containerfile" "$context"
}
