//! The files that a node's parts read.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::addresses::{self, DNS, GATEWAY};

const SOCKET: &str = "/run/containerd/containerd.sock";

/// The image of a pod's first process, which every node gets.
pub(super) const PAUSE: &str = "localhost/pause:1";

/// One node: its name, its addresses, its folder.
pub(super) struct NodeConfig<'a> {
    pub(super) number: u8,
    pub(super) name: &'a str,
    pub(super) home: &'a Path,
    /// The folder of the container network's plugins.
    pub(super) plugins: &'a Path,
}

impl NodeConfig<'_> {
    /// Writes `node.json`, which the node's supervisor reads, and `config`.
    pub(super) fn write(&self) -> Result<()> {
        let config = self.home.join("config");
        write(&self.home.join("node.json"), &self.spec().to_string())?;
        write(&config.join("containerd.toml"), &self.containerd())?;
        write(
            &config.join("cni/pods.conflist"),
            &self.network().to_string(),
        )?;
        write(&config.join("resolv.conf"), &format!("nameserver {DNS}\n"))?;
        write(&config.join("kubelet.yaml"), &self.kubelet().to_string())?;
        write(
            &config.join("kube-proxy.yaml"),
            &self.kube_proxy().to_string(),
        )
    }

    fn file(&self, name: &str) -> String {
        self.home.join("config").join(name).display().to_string()
    }

    fn spec(&self) -> Value {
        let address = addresses::of_node(self.number);
        json!({
            "name": self.name,
            "address": format!("{address}/24"),
            "pods": addresses::of_pods(self.number),
            "gateway": GATEWAY,
            "parts": [
                {"name": "containerd", "command": ["containerd", "--config", self.file("containerd.toml")]},
                {"name": "kubelet", "after": SOCKET, "command": [
                    "kubelet",
                    format!("--config={}", self.file("kubelet.yaml")),
                    format!("--kubeconfig={}", self.file("kubelet.kubeconfig")),
                    format!("--hostname-override={}", self.name),
                    format!("--node-ip={address}"),
                    "--v=2",
                ]},
                {"name": "kube-proxy", "command": [
                    "kube-proxy",
                    format!("--config={}", self.file("kube-proxy.yaml")),
                ]},
            ],
        })
    }

    fn containerd(&self) -> String {
        format!(
            r#"version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "{SOCKET}"
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE no process may make itself less likely to be killed.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{}"
    conf_dir = "{}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
"#,
            self.plugins.display(),
            self.file("cni"),
        )
    }

    fn network(&self) -> Value {
        let pods = addresses::of_pods(self.number);
        json!({"cniVersion": "1.0.0", "name": "pods", "plugins": [
            {
                "type": "bridge", "bridge": "cni0",
                "isDefaultGateway": true, "ipMasq": false, "hairpinMode": true,
                "ipam": {
                    "type": "host-local",
                    "dataDir": "/var/lib/cni/networks",
                    "ranges": [[{"subnet": pods}]],
                },
            },
            {"type": "loopback"},
        ]})
    }

    fn kubelet(&self) -> Value {
        json!({
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "failCgroupV1": false,
            "cgroupDriver": "cgroupfs",
            "containerRuntimeEndpoint": format!("unix://{SOCKET}"),
            "authentication": {
                "anonymous": {"enabled": false},
                "webhook": {"enabled": true},
                "x509": {"clientCAFile": self.file("ca.crt")},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": self.file("kubelet.crt"),
            "tlsPrivateKeyFile": self.file("kubelet.key"),
            "address": addresses::of_node(self.number),
            "readOnlyPort": 0,
            "healthzPort": 0,
            "maxPods": 110,
            "enforceNodeAllocatable": [],
            "failSwapOn": false,
            // The machine's disk and memory are shared: this node must not evict pods because of
            // them.
            "evictionHard": {
                "memory.available": "0%",
                "nodefs.available": "0%",
                "nodefs.inodesFree": "0%",
                "imagefs.available": "0%",
            },
            "imageGCHighThresholdPercent": 100,
            "imageGCLowThresholdPercent": 99,
            "makeIPTablesUtilChains": false,
            "resolvConf": self.file("resolv.conf"),
            "clusterDNS": [DNS],
            "clusterDomain": "cluster.local",
            "volumePluginDir": "/var/lib/kubelet/plugins-exec",
        })
    }

    fn kube_proxy(&self) -> Value {
        json!({
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "nftables",
            "clientConnection": {"kubeconfig": self.file("kube-proxy.kubeconfig")},
            "hostnameOverride": self.name,
            "bindAddress": addresses::of_node(self.number),
            "healthzBindAddress": "127.0.0.1:10256",
            "metricsBindAddress": "127.0.0.1:10249",
            "clusterCIDR": addresses::PODS,
            // Limits of the whole machine stay as they are.
            "conntrack": {
                "maxPerCore": 0, "min": 0,
                "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s",
            },
        })
    }
}

fn write(path: &Path, content: &str) -> Result<()> {
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}
