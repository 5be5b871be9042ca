//! The parts of the control plane and their flags.

use std::net::TcpListener;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::nodes::KWOK_ANNOTATION;
use super::pki::{Pki, User};
use super::{MANUAL_STATUS_LABEL, Options, real};

const GANG_GATES: &str = "--feature-gates=GenericWorkload=true,CompositePodGroup=true,\
    TopologyAwareWorkloadScheduling=true,PodGroupPreemptionPolicy=true,\
    DRAWorkloadResourceClaims=true";
const GANG_APIS: &str =
    "--runtime-config=scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true";

const MASTERS: Option<&str> = Some("system:masters");

/// The names and addresses under which the API server may be called. 10.0.0.1 is the first
/// address of the service range, which the `kubernetes` Service gets.
pub(super) const SERVER_NAMES: [&str; 8] = [
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "10.0.0.1",
    real::GATEWAY,
];

/// The user of the kubeconfig that people and tests get.
pub(super) const ADMIN: User<'static> = User {
    name: "admin",
    group: MASTERS,
};

/// The clients of the API server, each with a kubeconfig of its own.
pub(super) const CLIENTS: [(&str, User<'static>); 3] = [
    (
        "kube-controller-manager",
        User {
            name: "system:kube-controller-manager",
            group: None,
        },
    ),
    (
        "kube-scheduler",
        User {
            name: "system:kube-scheduler",
            group: None,
        },
    ),
    (
        "kwok",
        User {
            name: "kwok",
            group: MASTERS,
        },
    ),
];

/// The addresses of etcd: Unix sockets in the folder of the cluster, in which etcd and the API
/// server work, so that no other user of the machine can read its data.
const ETCD: &str = "unix://etcd.sock:0";
const ETCD_PEERS: &str = "unix://etcd-peer.sock:0";

/// A port of 127.0.0.1, for the API server, that was free a moment ago.
pub(super) fn choose_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

pub(super) fn etcd(dir: &Path) -> Vec<String> {
    vec![
        format!("--data-dir={}/etcd", dir.display()),
        // The data is deleted with the cluster: it need not survive a power failure.
        "--unsafe-no-fsync".into(),
        "--log-level=warn".into(),
        "--quota-backend-bytes=4294967296".into(),
        format!("--listen-client-urls={ETCD}"),
        format!("--advertise-client-urls={ETCD}"),
        format!("--listen-peer-urls={ETCD_PEERS}"),
        format!("--initial-advertise-peer-urls={ETCD_PEERS}"),
        format!("--initial-cluster=default={ETCD_PEERS}"),
    ]
}

pub(super) fn api_server(pki: &Pki, port: u16, options: &Options) -> Vec<String> {
    let mut flags = vec![
        format!("--etcd-servers={ETCD}"),
        "--bind-address=127.0.0.1".into(),
        format!("--secure-port={port}"),
        file("tls-cert-file", &pki.path("apiserver.crt")),
        file("tls-private-key-file", &pki.path("apiserver.key")),
        file("client-ca-file", &pki.path("ca.crt")),
        "--authorization-mode=Node,RBAC".into(),
        "--service-account-issuer=https://kubernetes.default.svc".into(),
        file("service-account-key-file", &pki.path("sa.pub")),
        file("service-account-signing-key-file", &pki.path("sa.key")),
        "--service-cluster-ip-range=10.0.0.0/16".into(),
        "--allow-privileged=true".into(),
        "--anonymous-auth=false".into(),
    ];
    flags.extend(endpoint(pki, options));
    if options.native_gangs {
        flags.extend([GANG_GATES.into(), GANG_APIS.into()]);
    }
    flags.extend(options.api_server_flags.iter().cloned());
    flags
}

/// How pods reach the API server, and how it reaches kubelets, webhooks and pods.
fn endpoint(pki: &Pki, options: &Options) -> Vec<String> {
    if options.real_nodes == 0 {
        // A loopback address is not allowed as an endpoint of the `kubernetes` Service.
        return [
            "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",
        ]
        .map(String::from)
        .into();
    }
    vec![
        format!("--advertise-address={}", real::GATEWAY),
        "--enable-admission-plugins=NodeRestriction".into(),
        "--kubelet-preferred-address-types=InternalIP".into(),
        file("kubelet-certificate-authority", &pki.path("ca.crt")),
        file("kubelet-client-certificate", &pki.path("to-kubelets.crt")),
        file("kubelet-client-key", &pki.path("to-kubelets.key")),
        "--egress-selector-config-file=egress.yaml".into(),
        // To the address of a pod instead of the address of its Service: no kube-proxy runs in the
        // switch.
        "--enable-aggregator-routing=true".into(),
    ]
}

pub(super) fn controller_manager(pki: &Pki, options: &Options) -> Vec<String> {
    let mut flags = client("kube-controller-manager", pki);
    flags.extend([
        // Its own user may do almost nothing: RBAC gives the rights to one account per controller.
        "--use-service-account-credentials=true".into(),
        file("service-account-private-key-file", &pki.path("sa.key")),
        file("root-ca-file", &pki.path("ca.crt")),
        "--leader-elect=false".into(),
        "--secure-port=0".into(),
        // With the default, 20 requests per second, a benchmark would measure this limit.
        "--kube-api-qps=500".into(),
        "--kube-api-burst=1000".into(),
    ]);
    // A node without a new lease for this long is not Ready.
    let grace = if options.real_nodes == 0 {
        "30m"
    } else {
        "40s"
    };
    flags.push(format!("--node-monitor-grace-period={grace}"));
    flags.extend(options.native_gangs.then(|| GANG_GATES.into()));
    let mut controllers = vec!["*".to_owned()];
    let without = options.without_controllers.iter();
    controllers.extend(without.map(|name| format!("-{name}")));
    flags.push(format!("--controllers={}", controllers.join(",")));
    flags
}

pub(super) fn scheduler(pki: &Pki, options: &Options) -> Vec<String> {
    let mut flags = client("kube-scheduler", pki);
    flags.extend([
        "--leader-elect=false".into(),
        "--secure-port=0".into(),
        "--kube-api-qps=1000".into(),
        "--kube-api-burst=1000".into(),
    ]);
    flags.extend(options.native_gangs.then(|| GANG_GATES.into()));
    flags
}

pub(super) fn kwok(pki: &Pki, stages: &Path, options: &Options) -> Vec<String> {
    let mut flags = client("kwok", pki);
    flags.extend([
        file("config", stages),
        // Enough for the pods of a benchmark, apart from the Services' range.
        "--cidr=10.128.0.0/9".into(),
        format!("--disregard-status-with-label-selector={MANUAL_STATUS_LABEL}=true"),
    ]);
    // A lease is renewed each quarter of its time: kubelets do it every ten seconds, which would be
    // half of the requests of a cluster without work.
    flags.extend(if options.real_nodes == 0 {
        [
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=1200",
        ]
        .map(String::from)
        .to_vec()
    } else {
        vec![
            "--manage-all-nodes=false".into(),
            format!("--manage-nodes-with-annotation-selector={KWOK_ANNOTATION}=fake"),
            "--node-lease-duration-seconds=40".into(),
        ]
    });
    flags
}

fn client(name: &str, pki: &Pki) -> Vec<String> {
    vec![file("kubeconfig", &pki.path(&format!("{name}.kubeconfig")))]
}

fn file(flag: &str, path: &Path) -> String {
    format!("--{flag}={}", path.display())
}
