# The C++ libraries of cmake/dependencies.list: fetched, built and installed once per machine, for each target into a prefix
# of its own. Used by setup.d/30-cpp.sh (native) and setup.d/40-zig.sh (x86_64-linux-musl, compiler in $zig_root/bin).
# To be sourced after lib.sh.
# shellcheck shell=bash

deps_list=$(pgc_root)/cmake/dependencies.list
deps_root=$(pgc_cache)/deps/$(sha256sum <"$deps_list" | cut -c1-16)  # cmake/Cache.cmake computes the same name

deps_prefix() { printf '%s/%s\n' "$deps_root" "$1"; }

# deps_install TARGET [CMAKE_ARGUMENT…]: every library of the list that TARGET needs, skipping what is already there.
deps_install() {
  local target=$1 name how package suite minimum targets
  shift
  mkdir -p "$(deps_prefix "$target")/taken"
  exec 9>"$deps_root/lock"
  flock 9  # two setups at once would build in the same folder
  while read -r name how package suite minimum targets; do
    case "$name" in '#'* | '') continue ;; esac
    deps_wanted "$target" "$targets" || continue
    [ -e "$(deps_prefix "$target")/taken/$name" ] && continue
    deps_install_one "$target" "$name" "$how" "$package" "$suite" "$minimum" "$@" </dev/null
  done <"$deps_list"
  exec 9>&-
  deps_table "$target"
}

deps_wanted() {
  case "$2" in
    all) true ;;
    native) [ "$1" = native ] ;;
    cross) [ "$1" != native ] ;;
    *) die "$deps_list: unknown targets '$2'; it is one of all, native, cross" ;;
  esac
}

deps_install_one() {
  local target=$1 name=$2 how=$3 package=$4 suite=$5 minimum=$6 source version since=$SECONDS
  shift 6
  source=$deps_root/source/$name
  [ -e "$source/version" ] || "deps_fetch_$how" "$source" "$package" "$suite"
  version=$(cat "$source/version")
  dpkg --compare-versions "$version" ge "$minimum" ||
    die "$name: $suite of this machine's mirror has $version, pgc needs $minimum or newer (cmake/dependencies.list)"
  deps_build "$target" "$name" "$how" "$source/tree" "$@"
  printf '%-14s %-24s %s, %s\n' "$name" "$version" "$suite" "$how" >"$(deps_prefix "$target")/taken/$name"
  log "    $name $version for $target in $(elapsed "$since")"
}

# Unpacked packages and sources lie in FOLDER/tree, their version in FOLDER/version, which is written last.
deps_fetch_headers() {
  local folder=$1 package=$2 suite=$3
  rm -rf "$folder" && mkdir -p "$folder"
  (cd "$folder" && retry 3 private_apt "$suite" download "$package")
  dpkg-deb -x "$folder"/*.deb "$folder/unpacked"
  mv "$folder/unpacked/usr" "$folder/tree"
  dpkg-deb -f "$folder"/*.deb Version >"$folder/version"
}

deps_fetch_source() {
  local folder=$1 package=$2 suite=$3
  rm -rf "$folder" && mkdir -p "$folder"
  (cd "$folder" && retry 3 private_apt "$suite" source --download-only "$package/$suite")
  dpkg-source --no-check -x "$folder"/*.dsc "$folder/tree" >"$folder/unpack.log" 2>&1 ||
    die "$package: dpkg-source could not unpack it; see $folder/unpack.log"
  sed -n 's/^Version: //p' "$folder"/*.dsc | head -1 >"$folder/version"
}

# deps_build TARGET NAME HOW TREE [CMAKE_ARGUMENT…]
deps_build() {
  local target=$1 name=$2 how=$3 tree=$4 prefix
  prefix=$(deps_prefix "$target")
  shift 4
  if [ "$how" = headers ]; then
    cp -R "$tree/include" "$prefix/"
    return
  fi
  case "$name" in
    cpp-httplib) install -D -m 644 "$tree/httplib.h" "$prefix/include/httplib.h" ;;
    yaml-cpp) deps_cmake "$target" "$name" "$tree" "$@" -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_BUILD_SHARED_LIBS=OFF ;;
    re2) deps_re2_tables "$tree"; deps_cmake "$target" "$name" "$tree" "$@" -DRE2_BUILD_TESTING=OFF -DBUILD_SHARED_LIBS=OFF ;;
    catch2) deps_cmake "$target" "$name" "$tree" "$@" -DCATCH_INSTALL_DOCS=OFF -DCATCH_DEVELOPMENT_BUILD=OFF -DCMAKE_CXX_STANDARD=23 ;;
    simdjson) deps_cmake "$target" "$name" "$tree" "$@" -DBUILD_SHARED_LIBS=OFF -DSIMDJSON_ENABLE_THREADS=OFF ;;
    mimalloc) deps_cmake "$target" "$name" "$tree" "$@" -DMI_BUILD_SHARED=OFF -DMI_BUILD_OBJECT=OFF -DMI_BUILD_TESTS=OFF -DMI_INSTALL_TOPLEVEL=ON ;;
    openssl) deps_openssl "$target" "$tree" ;;
    *) die "dev/cpp.sh does not know how to build $name" ;;
  esac
}

# Debian's source package leaves out RE2's generated tables; its own build makes them from the package unicode-data, as here.
deps_re2_tables() {
  PATH=/usr/bin:$PATH make -s -C "$1" REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc ||
    die "re2: its Unicode tables could not be made; are the packages unicode-data and python3-six installed?"
}

# Third-party code is built once, without sanitizers and with the release hardening that costs nothing.
deps_cmake() {
  local target=$1 name=$2 tree=$3 build=$deps_root/build-$1-$2 output
  shift 3
  output=$(pgc_cache)/log/deps-$target-$name.log
  mkdir -p "$(dirname "$output")"
  rm -rf "$build"
  { cmake -G Ninja -S "$tree" -B "$build" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_PREFIX=$(deps_prefix "$target")" "$@" &&
    cmake --build "$build" -j"$(nproc)" && cmake --install "$build"; } >"$output" 2>&1 </dev/null ||
    { tail -20 "$output" >&2; die "$name for $target does not build; the whole log is $output"; }
  rm -rf "$build"
}

# Only what TLS and X.509 as a client and a server need: the library is linked statically, so what is left out is not shipped.
# Built outside its prefix and with a relative compiler name, so that no path of this machine gets into the binaries.
openssl_options=(
  no-shared no-tests no-apps no-docs no-engine no-legacy no-module no-dso no-autoload-config no-comp no-quic no-dtls no-ssl3 no-srp
  no-srtp no-psk no-ocsp no-ct no-cmp no-cms no-ts no-gost no-aria no-bf no-camellia no-cast no-idea no-md4 no-mdc2 no-rc2 no-rc4
  no-rc5 no-rmd160 no-seed no-siphash no-sm2 no-sm3 no-sm4 no-whirlpool no-blake2 no-scrypt no-argon2 no-dsa no-ec2m no-slh-dsa
  no-ui-console --prefix=/opt/openssl --openssldir=/etc/ssl --libdir=lib)

deps_openssl() {
  local target=$1 tree=$2 build=$deps_root/build-$1-openssl prefix output
  prefix=$(deps_prefix "$target")
  output=$(pgc_cache)/log/deps-$target-openssl.log
  rm -rf "$build" && mkdir -p "$build"
  (cd "$build" && export PATH="$zig_root/bin:$PATH" SOURCE_DATE_EPOCH=1 &&
    perl "$tree/Configure" linux-x86_64 "${openssl_options[@]}" \
      "CC=$target-cc" "AR=$target-ar" "RANLIB=$target-ranlib" "CFLAGS=-O2 -ffunction-sections -fdata-sections" &&
    make -j"$(nproc)" build_libs) >"$output" 2>&1 </dev/null ||
    { tail -20 "$output" >&2; die "openssl for $target does not build; the whole log is $output"; }
  cp -R "$tree/include/openssl" "$prefix/include/"
  cp "$build"/include/openssl/*.h "$prefix/include/openssl/"
  cp "$build/libssl.a" "$build/libcrypto.a" "$prefix/lib/"
  rm -rf "$build"
}

deps_table() {
  local target=$1
  cat "$(deps_prefix "$target")"/taken/* >"$deps_root/TAKEN.$target"
  cat "$deps_root"/TAKEN.* | sort -u >"$deps_root/TAKEN"
  sed "s/^/    /" "$deps_root/TAKEN.$target" >&2
  log "    in $(deps_prefix "$target")"
}
