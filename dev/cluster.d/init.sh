#!/usr/bin/env bash
# Process 1 of a cluster: makes its namespaces look like a machine of its own, starts the parts and starts them again when they
# end. Called by dev/cluster in new network, mount, pid and uts namespaces: init.sh STATE BIN MODE CLUSTER_ADDRESS HOST_ADDRESS ID
set -euo pipefail
umask 022
state=$1 bin=$2 mode=$3 cluster_address=$4 host_address=$5 id=$6
name=$(basename "$state")

# /proc is still the machine's, so this is our number as the machine counts; field 22 is when we started.
read -r stat </proc/self/stat
read -r -a stat <<<"${stat%% *} ${stat##*) }"
printf '%s %s\n' "${stat[0]}" "${stat[20]}" >"$state/init.new"
mv "$state/init.new" "$state/init"

own_mounts() {
  mount --make-rshared /
  mount -t proc proc /proc
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/pgc /run/lock
  mount --bind "$state" /run/pgc
  mount --bind "$bin" /run/pgc/bin
  mount --bind /run/pgc/lib /var/lib
  mount --bind /run/pgc/log /var/log
  mount --bind /run/pgc/tmp /tmp
}

# The kubelet wants these values and sets them for the whole machine; it is shown files that have them already.
kernel_settings() {
  local setting file
  mkdir -p /run/sysctl
  for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
    kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
    file=/run/sysctl/${setting//\//.}
    echo "${setting#*=}" >"$file"
    mount --bind "$file" "/proc/sys/${setting%=*}"
  done
}

own_network() {
  hostname "$name"
  ip link set lo up
  until [ -e /proc/sys/net/ipv4/conf/pgc0 ]; do sleep 0.02; done
  ip addr add "$cluster_address/30" dev pgc0
  ip link set pgc0 up
  ip route add default via "$host_address"
  echo 1 >/proc/sys/net/ipv4/ip_forward
  ip link add cni0 type bridge
  ip addr add 10.244.0.1/16 dev cni0
  ip link set cni0 up
}

cgroups() {
  local hierarchy
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then mkdir -p "/sys/fs/cgroup/$id"; return; fi
  for hierarchy in /sys/fs/cgroup/*/; do mkdir -p "$hierarchy$id" 2>/dev/null || true; done
}

# keep NAME CMD…: runs CMD for as long as the cluster is up; what it says goes to NAME.log.
keep() {
  local part=$1
  shift
  while :; do
    "$@" >>"/run/pgc/log/$part.log" 2>&1 </dev/null && code=0 || code=$?
    echo "$(date -Is) $part ended with $code, starting again" | tee -a "/run/pgc/log/$part.log"
    sleep 0.5
  done &
}

control_plane() {
  local pki=/run/pgc/pki admission=(--enable-admission-plugins=NodeRestriction)
  # Without a controller manager nobody makes the service account that every pod is given.
  [ "$mode" = full ] || admission=(--disable-admission-plugins=ServiceAccount)
  keep etcd etcd --data-dir=/run/pgc/etcd --unsafe-no-fsync --log-level=warn --listen-client-urls=http://127.0.0.1:2379 \
    --advertise-client-urls=http://127.0.0.1:2379 --listen-peer-urls=http://127.0.0.1:2380 \
    --initial-advertise-peer-urls=http://127.0.0.1:2380 --initial-cluster=default=http://127.0.0.1:2380
  keep kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$cluster_address" --secure-port=6443 \
    --tls-cert-file=$pki/apiserver.crt --tls-private-key-file=$pki/apiserver.key --client-ca-file=$pki/ca.crt \
    --authorization-mode=Node,RBAC "${admission[@]}" --admission-control-config-file=/run/pgc/etc/admission.yaml \
    --allow-privileged=true --service-cluster-ip-range=10.96.0.0/16 --endpoint-reconciler-type=lease \
    --service-account-key-file=$pki/service-accounts.pub --service-account-signing-key-file=$pki/service-accounts.key \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --kubelet-certificate-authority=$pki/ca.crt --kubelet-client-certificate=$pki/apiserver-client.crt \
    --kubelet-client-key=$pki/apiserver-client.key --kubelet-preferred-address-types=InternalIP \
    --requestheader-client-ca-file=$pki/ca.crt --requestheader-allowed-names=front-proxy-client \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file=$pki/front-proxy.crt --proxy-client-key-file=$pki/front-proxy.key \
    --event-ttl=1h --cert-dir=/run/pgc/apiserver
}

# The provisioner makes folders for root alone, and the kubelet does not apply a pod's fsGroup to host paths. So each is opened to
# every user when it appears, as the host-path provisioners of other local clusters do.
open_volumes() {
  inotifywait --quiet --monitor --event create --format '%w%f' /tmp/hostpath_pv | while read -r folder; do chmod 0777 "$folder"; done
}

controllers() {
  mkdir -p /tmp/hostpath_pv
  keep volumes open_volumes
  local etc=/run/pgc/etc pki=/run/pgc/pki
  keep kube-controller-manager kube-controller-manager --kubeconfig=$etc/controllers.kubeconfig --leader-elect=false \
    --use-service-account-credentials --service-account-private-key-file=$pki/service-accounts.key --root-ca-file=$pki/ca.crt \
    --cluster-cidr=10.244.0.0/16 --allocate-node-cidrs=false --enable-hostpath-provisioner --cert-dir=/run/pgc/controllers
  keep kube-scheduler kube-scheduler --kubeconfig=$etc/scheduler.kubeconfig --leader-elect=false --cert-dir=/run/pgc/scheduler
}

node() {
  local etc=/run/pgc/etc
  keep containerd containerd --config $etc/containerd.toml --log-level warn
  keep kubelet kubelet --config=$etc/kubelet.yaml --kubeconfig=$etc/kubelet.kubeconfig --hostname-override="$name" \
    --node-ip="$cluster_address"
  keep kube-proxy kube-proxy --config=$etc/proxy.yaml
  keep coredns coredns -conf $etc/Corefile
}

own_mounts
kernel_settings
own_network
export PATH=/run/pgc/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/run/pgc/tmp
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy XDG_RUNTIME_DIR
cd /
control_plane
if [ "$mode" = full ]; then
  cgroups
  controllers
  node
fi
# Process 1 also buries the processes that others left behind; bash does so while it waits.
while :; do wait -n || sleep 1; done
