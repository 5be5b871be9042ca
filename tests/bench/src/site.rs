//! The control plane of a run, and who uses it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use localcluster::{Cluster, Options};

use crate::progress::say;

/// KWOK nodes; the Go operator was measured with as many.
pub const NODES: u32 = 60;

const SYSTEM: &str = "grove-system";
const ACCOUNT: &str = "grove-operator";

/// What the cluster's scheduler is told of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// Its gangs.
    OfGangs,
}

/// The benchmark starts operators itself, with configurations of its own.
const NO_OPERATOR: &str = "replicaCount=0,webhooks.enabled=false";
const ASKED: &str = "replicaCount=0";

/// The chart's values, and the operator's configuration, by which it tells the cluster's scheduler of
/// gangs.
const GANGS_VALUES: &str = "config.scheduler.profiles[0].name=default-scheduler,\
                            config.scheduler.profiles[0].backend=kubernetes";
pub const GANGS_CONFIGURATION: &str =
    "scheduler: {profiles: [{name: default-scheduler, backend: kubernetes}]}\n";

/// A private control plane with the chart's objects but no operator.
pub struct Site {
    cluster: Cluster,
    /// The administrator: the user's own requests and the watches that measure.
    pub user: Client,
    /// The chart's ServiceAccount: the operator and, to be treated alike, the limit driver.
    pub account: Client,
    /// The kubeconfig of that account.
    pub kubeconfig: PathBuf,
    /// Of the API server, e.g. `v1.37.1`.
    pub version: String,
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

    /// Starts one whose API server asks the webhook of an operator at this port.
    pub async fn start_asking(port: u16) -> Result<Self> {
        let url = format!("webhooks.url=https://127.0.0.1:{port}");
        let port = format!("config.server.webhooks.port={port}");
        let values = format!("{ASKED},{url},{port}");
        Self::start_with("bench-admission", false, &values).await
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
        // Blocking, so that Ctrl-C is heard meanwhile.
        let cluster = tokio::task::spawn_blocking(move || Cluster::start(&options)).await??;
        say("the chart is installed: definitions, the operator's account and its rights");
        install(&cluster, values)?;
        let kubeconfig = kubeconfig_of_account(&cluster)?;
        let user = client(cluster.kubeconfig()).await?;
        Ok(Self {
            version: user.apiserver_version().await?.git_version,
            account: client(&kubeconfig).await?,
            user,
            kubeconfig,
            cluster,
        })
    }

    /// Where logs go: `.localcluster/bench/logs`, or beside it that of another cluster.
    pub fn logs(&self) -> PathBuf {
        self.cluster.dir().join("logs")
    }
}

fn install(cluster: &Cluster, values: &str) -> Result<()> {
    let mut helm = Command::new(cluster.bin().join("helm"));
    let cache = cluster.dir().join("kube-cache");
    helm.env("KUBECONFIG", cluster.kubeconfig())
        .env("HELM_CACHE_HOME", cache.join("helm"))
        .env("HELM_CONFIG_HOME", cache.join("helm"))
        .env("HELM_DATA_HOME", cache.join("helm"))
        .args(["install", "grove", "charts/grove", "--create-namespace"])
        .args(["--namespace", SYSTEM, "--set", values]);
    printed(&mut helm)?;
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

/// The administrator's kubeconfig with the token of the account instead of his certificate.
fn kubeconfig_of_account(cluster: &Cluster) -> Result<PathBuf> {
    let token = [
        "create",
        "token",
        ACCOUNT,
        "--namespace",
        SYSTEM,
        "--duration=12h",
    ];
    let token = printed(&mut cluster.kubectl(&token))?;
    let copy = cluster.dir().join("pki").join("operator.kubeconfig");
    fs::copy(cluster.kubeconfig(), &copy).with_context(|| copy.display().to_string())?;
    let config = |args: &[&str]| {
        let file = format!("--kubeconfig={}", copy.display());
        printed(&mut cluster.kubectl(&[&["config", &file], args].concat()))
    };
    config(&[
        "set-credentials",
        ACCOUNT,
        &format!("--token={}", token.trim()),
    ])?;
    config(&["set-context", "--current", "--user", ACCOUNT])?;
    Ok(copy)
}

async fn client(kubeconfig: &Path) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let options = KubeConfigOptions::default();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    // What fails must be seen, not be tried again inside a measurement.
    config.default_retry = false;
    Ok(Client::try_from(config)?)
}

fn printed(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
