//! Schedulers that need to know about gangs (Grove, `scheduler.profiles`).

use domain::scheduling::{Backend, DEFAULT_SCHEDULER, Profiles, SchedulerProfile};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ConfigError, problem};

/// The schedulers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Scheduler {
    /// One for each scheduler that pods may name. The operator writes no gangs for a scheduler that
    /// is not listed: gates keep its gangs together until all their pods exist.
    pub profiles: Vec<Profile>,
    /// Only `default-scheduler` is honoured yet: templates name other schedulers themselves.
    pub default_profile_name: Option<String>,
}

/// A scheduler.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Profile {
    /// Its name in templates, and in pods unless `scheduler_name` is set: `schedulerName`.
    pub name: String,
    /// The API by which it learns of gangs. Default: follows from the name.
    pub backend: Option<String>,
    /// Whether the scheduler gets the gangs of a replica of a set one by one, or as a tree. Default
    /// `Split`.
    pub gangs: Gangs,
    /// `schedulerName` of the pods, if it is not the one of the template: manifests that name a
    /// scheduler that does not run here need no change. Grove does not have this key.
    pub scheduler_name: Option<String>,
    /// Whether a set starts only if it names a queue of Kueue. Default `false`. Grove does not have this
    /// key.
    pub requires_queue: bool,
    config: Option<IgnoredAny>,
}

/// The form in which a scheduler gets gangs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Gangs {
    /// Base and scaled gangs, each by itself.
    #[default]
    Split,
    /// All gangs of a replica of a set as one tree.
    Tree,
}

impl Profile {
    fn read(&self) -> Option<SchedulerProfile> {
        Some(SchedulerProfile {
            backend: self.backend()?,
            scheduler_name: self.scheduler_name.clone(),
            requires_queue: self.requires_queue,
        })
    }

    fn backend(&self) -> Option<Backend> {
        match self.gangs {
            Gangs::Split => self.split_backend(),
            Gangs::Tree => self.split_backend()?.as_tree(),
        }
    }

    fn split_backend(&self) -> Option<Backend> {
        Backend::named(self.backend.as_deref().unwrap_or(&self.name))
    }
}

impl Scheduler {
    /// The profiles by the `schedulerName` of templates.
    pub fn profiles(&self) -> Profiles {
        let known = self.profiles.iter();
        Profiles::of(known.filter_map(|p| Some((p.name.clone(), p.read()?))))
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if let Some(name) = self
            .default_profile_name
            .as_deref()
            .filter(|n| *n != DEFAULT_SCHEDULER)
        {
            let told =
                format!("{name:?} is not honoured yet; name it as schedulerName in templates");
            return Err(problem("scheduler.defaultProfileName", &told));
        }
        for (i, profile) in self.profiles.iter().enumerate() {
            check_profile(&format!("scheduler.profiles[{i}]"), profile)?;
            let others = self.profiles.iter().take(i);
            if others.into_iter().any(|other| other.name == profile.name) {
                let told = format!("{:?} is listed twice; remove one", profile.name);
                return Err(problem(&format!("scheduler.profiles[{i}].name"), &told));
            }
        }
        Ok(())
    }

    /// Without queues no gang of a profile that requires one would ever start.
    pub(super) fn check_queues(&self, is_queueing: bool) -> Result<(), ConfigError> {
        let mut profiles = self.profiles.iter();
        let found = profiles.position(|p| p.requires_queue && !is_queueing);
        found.map_or(Ok(()), |i| {
            let told = "there are no queues; set queueing.kueue.enabled: true, or remove this key";
            let key = format!("scheduler.profiles[{i}].requiresQueue");
            Err(problem(&key, told))
        })
    }
}

fn check_profile(key: &str, profile: &Profile) -> Result<(), ConfigError> {
    if profile.name.is_empty() {
        return Err(problem(
            &format!("{key}.name"),
            "is empty; set it to the schedulerName of the pods",
        ));
    }
    if profile.scheduler_name.as_deref() == Some("") {
        return Err(problem(
            &format!("{key}.schedulerName"),
            "is empty; set it to the schedulerName that pods get, or remove it",
        ));
    }
    if profile.config.is_some() {
        return Err(problem(
            &format!("{key}.config"),
            "not honoured yet; remove it",
        ));
    }
    if profile.split_backend().is_none() {
        let told = format!(
            "unknown backend {:?}; use default-scheduler, kubernetes, kai-scheduler, kai-pod-grouper or volcano",
            profile.backend.as_deref().unwrap_or(&profile.name)
        );
        return Err(problem(&format!("{key}.backend"), &told));
    }
    if profile.backend().is_none() {
        let told = "only backends kubernetes and kai-scheduler support Tree; remove it";
        return Err(problem(&format!("{key}.gangs"), told));
    }
    Ok(())
}
