//! The operator's settings.

use std::sync::Arc;

use api::PodCliqueSet;
use domain::scheduling::{Backend, Profiles, quota};
use domain::topology;
use domain::workload::nvlink;
use podclique::PodCliqueReconciler;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliqueset::PodCliqueSetReconciler;
use podcliqueset::desired::gang::scheduler_name;
use podgang::PodGangReconciler;

/// The operator's settings.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Of PodCliqueSets.
    pub sets: PodCliqueSetReconciler,
    /// Of scaling groups.
    pub groups: PodCliqueScalingGroupReconciler,
    /// Of PodCliques.
    pub cliques: PodCliqueReconciler,
    /// Of PodGangs.
    pub gangs: PodGangReconciler,
    /// Whether the profiles of schedulers are those of the operator's configuration. Else there are
    /// none, as by default.
    pub are_profiles_known: bool,
    /// Whether sets that name a queue of Kueue wait for quota. A plan assumes that they get it.
    pub is_queueing: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            sets: PodCliqueSetReconciler {
                is_topology_aware: true,
                ..PodCliqueSetReconciler::default()
            },
            groups: PodCliqueScalingGroupReconciler::default(),
            cliques: PodCliqueReconciler::default(),
            gangs: PodGangReconciler::default(),
            are_profiles_known: false,
            is_queueing: false,
        }
    }
}

impl Rules {
    /// The inputs of the webhook's rules that the configuration has. Without one nothing is known of
    /// schedulers, and MNNVL groups are allowed.
    pub(crate) fn admission(&self) -> admission::Rules {
        let profiles = || Profiles::clone(&self.sets.profiles).with_queueing(self.is_queueing);
        admission::Rules {
            profiles: self.are_profiles_known.then(profiles),
            allows_topology: self.sets.is_topology_aware,
            allows_mnnvl: !self.are_profiles_known || self.sets.is_mnnvl_enabled,
            templates_of_other_namespaces: self.sets.templates_of_other_namespaces,
            ..admission::Rules::default()
        }
    }

    /// The rules for this set, and the assumptions in them.
    pub(crate) fn for_set(&self, set: &PodCliqueSet) -> (Self, Vec<String>) {
        let (mut rules, profile) = self.with_able_scheduler(set);
        let domains = rules.assume_compute_domains(set);
        let quota = rules.assume_quota(set);
        let assumed = profile.into_iter().chain(domains).chain(quota);
        (rules, assumed.collect())
    }

    /// By default the label has no effect, so a set that has it is for an operator with other settings.
    fn assume_quota(&mut self, set: &PodCliqueSet) -> Option<String> {
        let is_possible = self.is_queueing || !self.are_profiles_known;
        let queue = quota::local_queue(&set.metadata).filter(|_| is_possible)?;
        let granted = format!("Kueue reserves quota of queue {queue} for all pods");
        if std::mem::replace(&mut self.is_queueing, true) {
            return Some(granted);
        }
        Some(format!(
            "queueing.kueue.enabled is true, and {granted}; give the operator's configuration with \
             --operator-config to plan by its settings"
        ))
    }

    /// By default the operator makes no ComputeDomains, and the webhook refuses a set that has MNNVL
    /// groups.
    fn assume_compute_domains(&mut self, set: &PodCliqueSet) -> Option<String> {
        if self.are_profiles_known || nvlink::enrolled_groups(set).is_empty() {
            return None;
        }
        self.sets.is_mnnvl_enabled = true;
        self.groups.is_mnnvl_enabled = true;
        self.cliques.is_mnnvl_enabled = true;
        let note = "network.autoMNNVLEnabled is true, and the NVIDIA DRA driver runs; give the \
                    operator's configuration with --operator-config to plan by its settings";
        Some(note.to_owned())
    }

    /// By the defaults no scheduler keeps pods in one topology domain, and no gang of a set that requires
    /// one would start; so its scheduler gets a profile unless the operator's configuration is known.
    fn with_able_scheduler(&self, set: &PodCliqueSet) -> (Self, Option<String>) {
        let (required, _) = topology::named_domains(&set.spec.template);
        let scheduler = scheduler_name(set);
        let is_unknown = !self.are_profiles_known && !required.is_empty();
        let assumed = is_unknown.then(|| able_backend(scheduler)).flatten();
        let Some((name, backend)) = assumed else {
            return (self.clone(), None);
        };
        let note = format!(
            "the profile of {scheduler} has backend {name}; give the operator's configuration with \
             --operator-config to plan by its profiles"
        );
        (self.with_profile(scheduler, backend), Some(note))
    }

    /// With this profile instead of all others: the pods of a set name one scheduler.
    fn with_profile(&self, scheduler: &str, backend: Backend) -> Self {
        let profiles = Arc::new(Profiles::of([(scheduler.to_owned(), backend)]));
        let mut rules = self.clone();
        rules.sets.profiles = profiles.clone();
        rules.cliques.profiles = profiles.clone();
        rules.gangs.profiles = profiles;
        rules
    }
}

/// The backend by which this scheduler keeps pods in one topology domain, with its name. No backend
/// of Volcano does.
fn able_backend(scheduler: &str) -> Option<(&str, Backend)> {
    match Backend::named(scheduler) {
        Some(Backend::DefaultScheduler) | None => Some(("kubernetes", Backend::Kubernetes)),
        Some(backend) => backend
            .without_domains()
            .is_none()
            .then_some((scheduler, backend)),
    }
}
