# What a build takes from this machine: the Debian mirror, apt's proxy settings and credentials, the wheel.
# shellcheck shell=bash disable=SC2154,SC2016 # image_suite: dev/versions.sh; the dollars are those of apt's format

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The security archive beside debian_mirror, empty where the machine has none.
security_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -F'|' '$1 == "Debian" && $2 == "Debian-Security" { print $3; exit }' | sed 's#/*$##'
}

need_mirror() {
  debian_mirror | grep . ||
    die "no Debian archive in this machine's apt configuration (apt-get indextargets names none); add one and run apt-get update"
}

# How this machine reaches its mirrors (proxy, retries, clock checks), without the hooks and folders of its own.
apt_transport() { apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Valid-Until|Check-Date)\b' | grep -v ' "";$' || true; }

# apt_sources FOLDER: fills FOLDER/apt as images/postgres/sources/README.md says.
apt_sources() {
  local to=$1/apt mirror security
  mkdir -p "$to"
  mirror=$(need_mirror)
  security=$(security_mirror)
  cp "$keyring" "$to/debian.gpg"
  cp /etc/ssl/certs/ca-certificates.crt "$to/ca.crt"
  {
    printf 'deb [signed-by=/build/sources/apt/debian.gpg] %s %s main\n' \
      "$mirror" "$image_suite" "$mirror" "$image_suite-updates"
    [ -z "$security" ] || printf 'deb [signed-by=/build/sources/apt/debian.gpg] %s %s main\n' "$security" "$image_suite-security"
  } >"$to/sources.list"
  cat /etc/apt/auth.conf /etc/apt/auth.conf.d/*.conf >"$to/auth.conf" 2>/dev/null || true
  {
    apt_transport
    echo 'Dir::Etc::sourcelist "/build/sources/apt/sources.list"; Dir::Etc::sourceparts "-";'
    echo 'Dir::Etc::netrc "/build/sources/apt/auth.conf"; Acquire::https::CAInfo "/build/sources/apt/ca.crt";'
    echo 'APT::Sandbox::User "root"; Acquire::Retries "5"; Acquire::Languages "none"; Dpkg::Use-Pty "0";'
  } >"$to/apt.conf"
}

# The wheel for this architecture, checked against the hashes of wheel.txt; kept in the cache.
wheel_sources() {
  local wheels requirements=$1 to=$2/wheel
  wheels=$(images_dir)/wheel-$(hash_of "$requirements")
  mkdir -p "$to"
  if [ ! -d "$wheels" ]; then
    /usr/bin/python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
    retry 3 /usr/bin/python3 -m pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$wheels.new" \
      --implementation cp --python-version 3.13 --platform "manylinux_2_28_$(uname -m)" --requirement "$requirements"
    mv "$wheels.new" "$wheels"
  fi
  cp "$wheels"/*.whl "$to/"
}
