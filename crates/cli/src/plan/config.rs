//! The parts of the operator's configuration that a plan depends on.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use admission::Validator;
use admission::defaults::DefaultsConfig;
use api::GoDuration;
use domain::health::stuck::StuckTimeouts;
use domain::scheduling::{Backend, Profiles, SchedulerProfile};
use domain::sharing::TemplatesOfOtherNamespaces;
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::{PodCliqueSetReconciler, ScaledGangsWaitFor};
use podgang::PodGangReconciler;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::args::PlanArgs;
use super::world::Rules;
use crate::exit::Failure;

/// The remedy for a file that cannot be decoded.
const INSTEAD: &str = "; give the file that the operator reads: config.yaml in its ConfigMap, \
                       the chart's value `config`";

/// The operator's configuration file. With another file, such as the chart's values, the plan would
/// silently use built-in defaults; so unknown keys are refused, as the operator does.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Config {
    defaults: Defaults,
    gang_scheduling: GangScheduling,
    scheduler: Scheduler,
    api_version: IgnoredAny,
    kind: IgnoredAny,
    controllers: IgnoredAny,
    server: IgnoredAny,
    log_level: IgnoredAny,
    log_format: IgnoredAny,
    stuck_pod_timeout: IgnoredAny,
    stuck_pod_timeout_on_ready_node: IgnoredAny,
    watch_namespaces: IgnoredAny,
    admission: IgnoredAny,
    authorizer: IgnoredAny,
    leader_election: IgnoredAny,
    topology_aware_scheduling: TopologyAwareScheduling,
    resource_sharing: ResourceSharing,
    network: Network,
    queueing: Queueing,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Queueing {
    kueue: Kueue,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Kueue {
    enabled: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Network {
    #[serde(rename = "autoMNNVLEnabled")]
    auto_mnnvl_enabled: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct TopologyAwareScheduling {
    enabled: bool,
    preferred_affinity: bool,
}

impl Default for TopologyAwareScheduling {
    fn default() -> Self {
        Self {
            enabled: true,
            preferred_affinity: true,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct ResourceSharing {
    templates_of_other_namespaces: TemplatesOfOtherNamespaces,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Defaults {
    termination_delay: Option<GoDuration>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct GangScheduling {
    scaled_gangs_wait_for: WaitFor,
}

#[derive(Debug, Default, Deserialize)]
enum WaitFor {
    #[default]
    BaseReady,
    BaseScheduled,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Scheduler {
    profiles: Vec<Profile>,
    default_profile_name: IgnoredAny,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Profile {
    name: String,
    backend: Option<String>,
    gangs: Gangs,
    scheduler_name: Option<String>,
    requires_queue: bool,
    config: IgnoredAny,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
enum Gangs {
    #[default]
    Split,
    Tree,
}

/// The settings of the arguments.
pub fn read_rules(args: &PlanArgs) -> Result<Rules, Failure> {
    let config = match &args.operator_config {
        Some(file) => read_config(file)?,
        None => Config::default(),
    };
    Ok(Rules {
        are_profiles_known: args.operator_config.is_some(),
        ..rules_of(&config, &args.init_container_image)?
    })
}

/// The settings of an operator with this configuration file.
pub(crate) fn read_operator(file: &Path) -> Result<Rules, Failure> {
    Ok(Rules {
        are_profiles_known: true,
        ..rules_of(&read_config(file)?, "")?
    })
}

fn read_config(file: &Path) -> Result<Config, Failure> {
    let unusable = |error: &dyn Display, remedy: &str| {
        let error = error.to_string();
        let line = error.lines().next().unwrap_or_default();
        Failure::BadInput(format!("cannot use {}: {line}{remedy}", file.display()))
    };
    let text = std::fs::read_to_string(file).map_err(|error| unusable(&error, ""))?;
    serde_saphyr::from_str(&text).map_err(|error| unusable(&error, INSTEAD))
}

fn rules_of(config: &Config, init_container_image: &str) -> Result<Rules, Failure> {
    let defaults = DefaultsConfig {
        termination_delay: config.defaults.termination_delay.clone(),
    };
    let validator = Arc::new(Validator::new(defaults));
    let profiles: Result<Vec<_>, _> = config
        .scheduler
        .profiles
        .iter()
        .map(Profile::read)
        .collect();
    let profiles = Arc::new(Profiles::of(profiles?));
    let is_mnnvl_enabled = config.network.auto_mnnvl_enabled;
    let scaled_gangs_wait_for = match config.gang_scheduling.scaled_gangs_wait_for {
        WaitFor::BaseReady => ScaledGangsWaitFor::BaseReady,
        WaitFor::BaseScheduled => ScaledGangsWaitFor::BaseScheduled,
    };
    let templates_of_other_namespaces = config.resource_sharing.templates_of_other_namespaces;
    Ok(Rules {
        sets: PodCliqueSetReconciler {
            validator: validator.clone(),
            scaled_gangs_wait_for,
            stuck_timeouts: StuckTimeouts::default(),
            profiles: profiles.clone(),
            init_container_image: init_container_image.to_owned(),
            is_topology_aware: config.topology_aware_scheduling.enabled,
            templates_of_other_namespaces,
            is_mnnvl_enabled,
        },
        groups: PodCliqueScalingGroupReconciler {
            validator: validator.clone(),
            stuck_timeouts: StuckTimeouts::default(),
            templates_of_other_namespaces,
            is_mnnvl_enabled,
        },
        cliques: PodCliqueReconciler {
            stuck_timeouts: StuckTimeouts::default(),
            validator,
            init_container_image: init_container_image.to_owned(),
            profiles: profiles.clone(),
            ignores_preferred_domains: !config.topology_aware_scheduling.preferred_affinity,
            templates_of_other_namespaces,
            is_mnnvl_enabled,
        },
        gangs: PodGangReconciler { profiles },
        is_queueing: config.queueing.kueue.enabled,
        ..Rules::default()
    })
}

impl Profile {
    fn read(&self) -> Result<(String, SchedulerProfile), Failure> {
        let name = self.backend.as_deref().unwrap_or(&self.name);
        let backend = Backend::named(name).and_then(|backend| match self.gangs {
            Gangs::Split => Some(backend),
            Gangs::Tree => backend.as_tree(),
        });
        let backend = backend.ok_or_else(|| {
            Failure::BadInput(format!(
                "scheduler.profiles: {}: no backend {name} with gangs: {:?}; use what the operator \
                 accepts",
                self.name, self.gangs
            ))
        });
        let profile = SchedulerProfile {
            backend: backend?,
            scheduler_name: self.scheduler_name.clone(),
            requires_queue: self.requires_queue,
        };
        Ok((self.name.clone(), profile))
    }
}
