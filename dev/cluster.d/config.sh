# The configuration files of a cluster's parts, written into etc/ of its folder. Sourced by dev/cluster.
# Inside the namespaces the folder is /run/pgc, so nothing in here depends on where it really is.
# shellcheck shell=bash

make_config() {
  install -d -m 700 "$state/etc"
  mkdir -p "$state/log" "$state/lib" "$state/tmp" "$state/bin"
  chmod 1777 "$state/tmp"
  admission_config
  [ "$mode" = full ] || return 0
  containerd_config >"$state/etc/containerd.toml"
  mkdir -p "$state/etc/cni" && cni_config >"$state/etc/cni/10-pgc.conflist"
  kubelet_config >"$state/etc/kubelet.yaml"
  proxy_config >"$state/etc/proxy.yaml"
  corefile >"$state/etc/Corefile"
  addons >"$state/etc/addons.yaml"
  : >"$state/etc/resolv.conf"
}

# The API server shows every webhook this client certificate; without it a webhook can't tell who calls.
admission_config() {
  cat >"$state/etc/admission.yaml" <<'EOF'
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: MutatingAdmissionWebhook
  configuration: &webhooks
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    kubeConfigFile: /run/pgc/etc/webhooks.kubeconfig
- name: ValidatingAdmissionWebhook
  configuration: *webhooks
EOF
  cat >"$state/etc/webhooks.kubeconfig" <<'EOF'
apiVersion: v1
kind: Config
users:
- name: '*'
  user:
    client-certificate: /run/pgc/pki/webhook-client.crt
    client-key: /run/pgc/pki/webhook-client.key
EOF
}

# restrict_oom_score_adj: where CAP_SYS_RESOURCE is missing, no container starts with the score that its class asks for.
# disable_apparmor: a profile would be loaded into the machine's kernel and stay there.
containerd_config() {
  cat <<'EOF'
version = 3
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.internal.v1.opt"]

[plugins.'io.containerd.cri.v1.images']
  snapshotter = 'overlayfs'
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = 'localhost/pgc-pause:1'

[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['/usr/lib/cni']
    conf_dir = '/run/pgc/etc/cni'

[plugins.'io.containerd.metadata.v1.bolt']
  no_sync = true
EOF
}

cni_config() {
  cat <<'EOF'
{"cniVersion": "1.0.0", "name": "pgc", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
EOF
}

kubelet_config() {
  cat <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: /run/pgc/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: /run/pgc/pki/kubelet.crt
tlsPrivateKeyFile: /run/pgc/pki/kubelet.key
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$id
failCgroupV1: false
failSwapOn: false
clusterDNS: [10.244.0.1]
clusterDomain: cluster.local
resolvConf: /run/pgc/etc/resolv.conf
enforceNodeAllocatable: []
evictionHard: {}
imageGCHighThresholdPercent: 100
imageMinimumGCAge: 8760h
crashLoopBackOff: {maxContainerRestartPeriod: 2s}
nodeStatusUpdateFrequency: 5s
syncFrequency: 10s
maxPods: 110
EOF
}

# conntrack and the like: limits of the whole machine, which are not ours to set.
proxy_config() {
  cat <<EOF
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: /run/pgc/etc/proxy.kubeconfig}
hostnameOverride: $name
mode: iptables
clusterCIDR: 10.244.0.0/16
iptables: {localhostNodePorts: false, syncPeriod: 30s, minSyncPeriod: 100ms}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s, udpTimeout: 0s, udpStreamTimeout: 0s}
EOF
}

# Bound to the bridge that the pods hang on. It forwards nothing: pods have no way out of the machine.
corefile() {
  cat <<'EOF'
.:53 {
  bind 10.244.0.1
  errors
  ready 10.244.0.1:8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig /run/pgc/etc/admin.kubeconfig
    pods insecure
    ttl 2
  }
  cache 2
  loadbalance
}
EOF
}

addons() {
  cat <<'EOF'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: kubernetes.io/host-path
reclaimPolicy: Delete
volumeBindingMode: Immediate
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: pgc-kube-proxy}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:node-proxier}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: system:kube-proxy}
EOF
}
