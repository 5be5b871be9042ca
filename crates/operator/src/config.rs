//! The configuration file: kind `OperatorConfiguration` of `operator.config.grove.io/v1alpha1`
//! (Grove, `operator/api/config/v1alpha1`).
//!
//! Unknown keys are refused, and so are keys of Grove that this operator does not honour yet, each
//! by its name: a setting without effect is worse than none.

mod authorizer;
mod check;
mod init_container;
mod leader_election;
mod queueing;
mod resource_sharing;
mod scheduler;
mod stuck_timeouts;
mod topology_aware_scheduling;
mod webhooks;

use check::positive;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use api::GoDuration;
use serde::Deserialize;
use serde::de::IgnoredAny;

pub use authorizer::Authorizer;
pub use init_container::InitContainerImage;
pub use leader_election::LeaderElection;
pub use queueing::{Kueue, Queueing};
pub use resource_sharing::ResourceSharing;
pub use scheduler::{Gangs, Profile, Scheduler};
pub use topology_aware_scheduling::TopologyAwareScheduling;
pub use webhooks::{CertProvisionMode, Webhooks};

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file has an invalid form.
    #[error("{0}")]
    Malformed(String),
    /// A key has an impossible value, or is not honoured yet.
    #[error("{key}: {problem}")]
    Key {
        /// Path of the key.
        key: String,
        /// The problem and the remedy.
        problem: String,
    },
}

/// The operator's configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// Always `operator.config.grove.io/v1alpha1`.
    pub api_version: Option<String>,
    /// Always `OperatorConfiguration`.
    pub kind: Option<String>,
    /// How many objects are reconciled at once.
    pub controllers: Controllers,
    /// Where the operator listens.
    pub server: Server,
    /// The level of the log. Default `info`.
    pub log_level: LogLevel,
    /// The format of the log. Default `json`.
    pub log_format: LogFormat,
    /// Defaults of objects.
    pub defaults: Defaults,
    /// How gangs are scheduled.
    pub gang_scheduling: GangScheduling,
    /// The schedulers that need to know about gangs.
    pub scheduler: Scheduler,
    /// The queues whose quota workloads wait for.
    pub queueing: Queueing,
    /// Whether topology constraints are honoured.
    pub topology_aware_scheduling: TopologyAwareScheduling,
    /// Which templates the claims that pods share may have.
    pub resource_sharing: ResourceSharing,
    /// Networks between nodes.
    pub network: Network,
    /// How long after its deletionTimestamp a pod still holds its slot, or `never`. Default `60s`.
    pub stuck_pod_timeout: Option<GoDuration>,
    /// The same for a pod of a job on a node that is Ready and not tainted
    /// `node.kubernetes.io/out-of-service`. Default `10m`.
    pub stuck_pod_timeout_on_ready_node: Option<GoDuration>,
    /// Namespaces with the workloads that the operator manages. Default: all, also later ones.
    pub watch_namespaces: Vec<String>,
    /// Which users may change the operator's objects; the admission webhook reads it.
    pub authorizer: Authorizer,
    /// Refusals of the admission webhook that are off by default.
    pub admission: Admission,
    /// Leader election among several operators. Default: there is one.
    pub leader_election: LeaderElection,
    /// Image of the init container of pods that start after others: from the command line.
    #[serde(skip)]
    pub init_container_image: InitContainerImage,
    /// The identity of this operator: from the command line.
    #[serde(skip)]
    pub process: Process,
    // Keys of Grove without effect here yet; a configuration that has one is refused.
    runtime_client_connection: Option<IgnoredAny>,
    debugging: Option<IgnoredAny>,
}

/// The identity of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The namespace that it runs in.
    pub namespace: String,
    /// A name that no other operator has at the same time.
    pub identity: String,
    /// Name of the ServiceAccount that it runs as, if it is known.
    pub service_account: Option<String>,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            namespace: "grove-system".into(),
            identity: "grove-operator".into(),
            service_account: None,
        }
    }
}

/// Objects that are reconciled at once, per kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Controllers {
    /// Default 10.
    pub pod_clique_set: Concurrency,
    /// Default 10.
    pub pod_clique: Concurrency,
    /// Default 5.
    pub pod_clique_scaling_group: Concurrency,
    /// Default 5.
    pub pod_gang: Concurrency,
}

/// Objects that are reconciled at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Concurrency {
    concurrent_syncs: Option<i64>,
}

impl Concurrency {
    /// At least 1.
    pub fn or(self, default: u16) -> u16 {
        self.concurrent_syncs
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or(default)
    }

    fn check(self, key: &str) -> Result<(), ConfigError> {
        match self.concurrent_syncs {
            Some(n) if !(1..=1000).contains(&n) => Err(problem(
                &format!("{key}.concurrentSyncs"),
                &format!("{n} is not in 1..=1000"),
            )),
            _ => Ok(()),
        }
    }
}

/// Where the operator listens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Server {
    /// `/healthz` and `/readyz`. Default port 2751.
    pub health_probes: Listener,
    /// `/metrics`. Default port 2752.
    pub metrics: Listener,
    /// The admission webhook. Default: none is served.
    pub webhooks: Option<Webhooks>,
}

/// An address to listen on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Listener {
    bind_address: Option<IpAddr>,
    port: Option<u16>,
}

impl Listener {
    /// All addresses of the machine unless one is named.
    pub fn or_port(self, port: u16) -> SocketAddr {
        let ip = self
            .bind_address
            .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        SocketAddr::new(ip, self.port.unwrap_or(port))
    }
}

/// Levels of logging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogLevel {
    Debug,
    #[default]
    Info,
    Warn,
    Error,
}

/// Formats of logging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogFormat {
    #[default]
    Json,
    Text,
}

/// Defaults of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Defaults {
    /// `terminationDelay` of Inference workloads that set none. Unset: gang termination is off for
    /// them (docs/semantics.md §3.1); Grove's value is `4h`.
    pub termination_delay: Option<GoDuration>,
}

/// Refusals of the admission webhook that are off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Admission {
    /// Whether `replicas` of PodCliques and scaling groups are fixed while a coherent update of
    /// their set is in progress. Default `false`.
    pub coherent_scale_lock: bool,
}

/// Networks between nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Network {
    /// Whether pods of an MNNVL group get ComputeDomains (docs/devices.md). Default `false`.
    #[serde(rename = "autoMNNVLEnabled")]
    pub auto_mnnvl_enabled: bool,
}

/// How gangs are scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GangScheduling {
    /// Default `BaseReady`.
    pub scaled_gangs_wait_for: ScaledGangsWaitFor,
}

/// The state of the base gang that scaled gangs wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ScaledGangsWaitFor {
    /// The base gang is ready (docs/semantics.md §8.2).
    #[default]
    BaseReady,
    /// The base gang is scheduled (Grove).
    BaseScheduled,
}

impl From<ScaledGangsWaitFor> for podcliqueset::ScaledGangsWaitFor {
    fn from(value: ScaledGangsWaitFor) -> Self {
        match value {
            ScaledGangsWaitFor::BaseReady => Self::BaseReady,
            ScaledGangsWaitFor::BaseScheduled => Self::BaseScheduled,
        }
    }
}

/// Reads and checks the file; built-in defaults without one.
pub fn load(path: Option<&Path>) -> Result<Config, ConfigError> {
    let Some(path) = path else {
        return Ok(Config::default());
    };
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
        path: path.display().to_string(),
        error,
    })?;
    parse(&text)
}

/// Parses and checks the text of a configuration.
pub fn parse(text: &str) -> Result<Config, ConfigError> {
    let config: Config =
        serde_saphyr::from_str(text).map_err(|e| ConfigError::Malformed(e.to_string()))?;
    check::check(&config)?;
    Ok(config)
}

fn problem(key: &str, problem: &str) -> ConfigError {
    ConfigError::Key {
        key: key.to_owned(),
        problem: problem.to_owned(),
    }
}
