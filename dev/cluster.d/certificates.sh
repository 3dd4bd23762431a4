# A cluster's keys and certificates, made with openssl into pki/. Sourced by dev/cluster.
# shellcheck shell=bash

new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1" && chmod 600 "$1"; }

make_ca() {
  new_key "$pki/ca.key"
  openssl req -x509 -new -key "$pki/ca.key" -subj "/CN=pgc local cluster $name" -days 365 -out "$pki/ca.crt" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
}

# leaf FILE SUBJECT [SANS]: for both ends of a connection, signed by the cluster's CA.
leaf() {
  new_key "$pki/$1.key"
  openssl req -new -key "$pki/$1.key" -subj "$2" |
    openssl x509 -req -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -set_serial "0x$(openssl rand -hex 16)" -days 365 -out "$pki/$1.crt" \
      -extfile <(printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth\n%s' "${3:+subjectAltName=$3}") 2>/dev/null
}

make_certificates() {
  pki=$state/pki
  install -d -m 700 "$pki"
  make_ca
  new_key "$pki/service-accounts.key"
  openssl ec -in "$pki/service-accounts.key" -pubout -out "$pki/service-accounts.pub" 2>/dev/null
  leaf apiserver /CN=kube-apiserver \
    "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:10.96.0.1,IP:$cluster_address"
  leaf apiserver-client /O=system:masters/CN=kube-apiserver-client
  leaf webhook-client /CN=kube-apiserver
  leaf front-proxy /CN=front-proxy-client
  leaf admin /O=system:masters/CN=admin
  [ "$mode" = full ] || return 0
  leaf controllers /CN=system:kube-controller-manager
  leaf scheduler /CN=system:kube-scheduler
  leaf proxy /CN=system:kube-proxy
  leaf kubelet /O=system:nodes/CN=system:node:"$name" "DNS:$name,IP:$cluster_address"
}

base64_of() { base64 -w0 <"$pki/$1"; }

# kubeconfig_for LEAF SERVER: complete in itself, so that it can be copied.
kubeconfig_for() {
  cat <<EOF
apiVersion: v1
kind: Config
clusters:
- name: $name
  cluster:
    server: $2
    certificate-authority-data: $(base64_of ca.crt)
users:
- name: $1
  user:
    client-certificate-data: $(base64_of "$1.crt")
    client-key-data: $(base64_of "$1.key")
contexts:
- name: $name
  context: {cluster: $name, user: $1}
current-context: $name
EOF
}

# The administrator's file is readable by its owner only; the others lie in a folder that is.
make_kubeconfigs() {
  local leaf
  (umask 077 && kubeconfig_for admin "https://$cluster_address:6443" >"$state/kubeconfig")
  [ "$mode" = full ] || return 0
  install -d -m 700 "$state/etc"
  for leaf in controllers scheduler proxy kubelet admin; do
    kubeconfig_for "$leaf" https://127.0.0.1:6443 >"$state/etc/$leaf.kubeconfig"
  done
}
