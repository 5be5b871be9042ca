//! The control plane of a run, and its users.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use localcluster::{Cluster, Options};

use crate::parts::Parts;
use crate::progress::say;

/// KWOK nodes; the Go operator was measured with the same number.
pub const NODES: u32 = 60;

const SYSTEM: &str = "grove-system";
const ACCOUNT: &str = "grove-operator";

/// The part of a workload that the cluster's scheduler receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// Its gangs.
    OfGangs,
}

impl Told {
    /// More lines of the operator's configuration.
    pub fn lines(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::OfGangs => GANGS_CONFIGURATION,
        }
    }
}

/// The benchmark itself starts operators, with their own configurations.
const NO_OPERATOR: &str = "replicaCount=0,webhooks.enabled=false";
const ASKED: &str = "replicaCount=0";

/// The chart's values, and the operator's configuration, with which the cluster's scheduler
/// receives gangs.
const GANGS_VALUES: &str = "config.scheduler.profiles[0].name=default-scheduler,\
                            config.scheduler.profiles[0].backend=kubernetes";
const GANGS_CONFIGURATION: &str =
    "scheduler: {profiles: [{name: default-scheduler, backend: kubernetes}]}\n";

/// A private control plane with the chart's objects but no operator.
pub struct Site {
    cluster: Cluster,
    /// The administrator: the user's requests and the measuring watches.
    pub user: Client,
    /// The chart's ServiceAccount: for the operator and, to treat both alike, the limit driver.
    pub account: Client,
    /// The kubeconfig of that account.
    pub kubeconfig: PathBuf,
    /// Version of the API server, e.g. `v1.37.1`.
    pub version: String,
    /// The processes of the control plane.
    pub parts: Parts,
}

impl Site {
    /// Starts it; it ends with the value, or with the process.
    pub async fn start(told: Told) -> Result<Self> {
        let (folder, values) = match told {
            Told::Nothing => ("bench", NO_OPERATOR.to_owned()),
            Told::OfGangs => ("bench-gangs", format!("{NO_OPERATOR},{GANGS_VALUES}")),
        };
        Self::start_with(folder, told == Told::OfGangs, &values).await
    }

    /// Starts one whose API server calls the webhook of an operator at this port.
    pub async fn start_asking(port: u16) -> Result<Self> {
        let url = format!("webhooks.url=https://127.0.0.1:{port}");
        let port = format!("config.server.webhooks.port={port}");
        let values = format!("{ASKED},{url},{port}");
        Self::start_with("bench-admission", false, &values).await
    }

    /// Starts one in a folder of its own, into which no operator is installed.
    pub async fn start_without_operator(folder: &str) -> Result<Self> {
        Self::start_with(folder, false, NO_OPERATOR).await
    }

    async fn start_with(folder: &str, native_gangs: bool, values: &str) -> Result<Self> {
        say(&format!(
            "a control plane with {NODES} KWOK nodes starts (about 15 s)"
        ));
        let options = Options {
            nodes: NODES,
            native_gangs,
            dir: Some(Path::new(".localcluster").join(folder)),
            ..Options::default()
        };
        // Blocking, so that Ctrl-C works meanwhile.
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(&options)).await??;
        say("the chart is installed: definitions, the operator's account and its rights");
        install(&cluster, values)?;
        let kubeconfig = kubeconfig_of(&cluster, SYSTEM, ACCOUNT)?;
        let user = client(cluster.kubeconfig()).await?;
        Ok(Self {
            version: user.apiserver_version().await?.git_version,
            account: client(&kubeconfig).await?,
            user,
            kubeconfig,
            parts: Parts::find(cluster.dir())?,
            cluster,
        })
    }

    /// The control plane.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Folder of the logs: `.localcluster/bench/logs`, or that of another cluster beside it.
    pub fn logs(&self) -> PathBuf {
        self.cluster.dir().join("logs")
    }
}

fn install(cluster: &Cluster, values: &str) -> Result<()> {
    let chart = ["install", "grove", "charts/grove", "--create-namespace"];
    let mut helm = helm(cluster, &chart);
    printed(helm.args(["--namespace", SYSTEM, "--set", values]))?;
    let established = [
        "wait",
        "crd",
        "--all",
        "--for=condition=Established",
        "--timeout=60s",
    ];
    printed(&mut cluster.kubectl(&established))?;
    Ok(())
}

/// A helm that keeps its cache in the cluster's folder.
pub fn helm(cluster: &Cluster, args: &[&str]) -> Command {
    let mut helm = Command::new(cluster.bin().join("helm"));
    let cache = cluster.dir().join("kube-cache").join("helm");
    helm.env("KUBECONFIG", cluster.kubeconfig())
        .env("HELM_CACHE_HOME", &cache)
        .env("HELM_CONFIG_HOME", &cache)
        .env("HELM_DATA_HOME", &cache)
        .args(args);
    helm
}

/// The administrator's kubeconfig with the token of an account instead of the administrator's
/// certificate.
pub fn kubeconfig_of(cluster: &Cluster, namespace: &str, account: &str) -> Result<PathBuf> {
    let token = ["create", "token", account, "--namespace", namespace];
    let mut token = cluster.kubectl(&token);
    let token = printed(token.arg("--duration=12h"))?;
    let copy = cluster.dir().join("pki");
    let copy = copy.join(format!("{account}.kubeconfig"));
    fs::copy(cluster.kubeconfig(), &copy).with_context(|| copy.display().to_string())?;
    let config = |args: &[&str]| {
        let file = format!("--kubeconfig={}", copy.display());
        printed(&mut cluster.kubectl(&[&["config", &file], args].concat()))
    };
    let token = format!("--token={}", token.trim());
    config(&["set-credentials", account, &token])?;
    config(&["set-context", "--current", "--user", account])?;
    Ok(copy)
}

async fn client(kubeconfig: &Path) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let options = KubeConfigOptions::default();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    // A failure must be visible, not repeated inside a measurement.
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

/// The output of the command, which must succeed.
pub fn printed(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
