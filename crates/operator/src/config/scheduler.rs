//! Schedulers that need to know about gangs (Grove, `scheduler.profiles`).

use domain::scheduling::{Backend, DEFAULT_SCHEDULER, Profiles};
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
    /// Its name in pods: `schedulerName`.
    pub name: String,
    /// The API by which it learns of gangs. Default: follows from the name.
    pub backend: Option<String>,
    /// Whether the scheduler gets the gangs of a replica of a set one by one, or as a tree. Default
    /// `Split`.
    pub gangs: Gangs,
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
    /// The backends by `schedulerName`.
    pub fn profiles(&self) -> Profiles {
        let known = self.profiles.iter();
        Profiles::of(known.filter_map(|p| Some((p.name.clone(), p.backend()?))))
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
}

fn check_profile(key: &str, profile: &Profile) -> Result<(), ConfigError> {
    if profile.name.is_empty() {
        return Err(problem(
            &format!("{key}.name"),
            "is empty; set it to the schedulerName of the pods",
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
