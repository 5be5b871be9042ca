//! The facts about a PodClique that its set determines.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec, RollingUpdate};
use api::{PodClique, PodCliqueSet, WorkloadType, labels};
use domain::health::{failure, fence, suspension, termination, training};
use domain::object::ownership;
use domain::workload::layout::{self, LayoutSlot};
use domain::workload::limits;
use domain::{Pod, update};
use engine::Caches;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use super::older::find_priority;
use crate::PodCliqueReconciler;
use crate::dependencies;
use crate::preferred_domains::{self, PreferredDomain};

/// The facts that a decision needs from the PodCliqueSet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetFacts {
    /// Its name.
    pub name: String,
    /// Whether it is being deleted.
    pub is_terminating: bool,
    /// Whether the set does not control the PodClique (yet): an earlier set of this name left it
    /// behind.
    pub is_orphaned: bool,
    /// `template.priorityClassName`.
    pub priority_class_name: String,
    /// The number of pods of its group replica that come before those of this clique, by the
    /// template; `None`: it is in no group.
    pub pods_before: Option<i32>,
    /// The topology domains that its pods should share with others, the narrowest scope first.
    pub preferred_domains: Vec<PreferredDomain>,
    /// `status.currentGenerationHash`.
    pub generation_hash: Option<String>,
    /// Hash of this clique's newest template.
    pub template_hash: Option<String>,
    /// Its uid.
    pub uid: String,
    /// Whether it is a training job that is over.
    pub is_over: bool,
    /// Whether it is suspended.
    pub is_suspended: bool,
    /// Whether the set reports that it is over its limits.
    pub is_over_limits: bool,
    /// Whether its end is stored.
    pub has_ended: bool,
    /// Whether it has yet to store that the work of this PodClique is done.
    pub awaits_success: bool,
    /// Uids of failed pods of this PodClique whose failure the job has yet to store.
    pub unnoted_failures: BTreeSet<String>,
    /// How long a breach of this clique may last, in a training job.
    pub training_delay: SignedDuration,
    /// For how long a breach of this clique that has ended may return as the same breach.
    pub breach_memory: SignedDuration,
    /// The facts of an update that this clique needs.
    pub update: UpdateFacts,
}

/// The facts of an update that a clique needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateFacts {
    /// Whether its replica has the turn.
    pub is_updating: bool,
    /// Whether nothing is replaced for the sake of a template now: the update is paused, or the
    /// newest template is not accepted.
    pub is_held: bool,
    /// Whether that may last for days: it is paused, or the newest template is refused.
    pub rests: bool,
    /// Whether the record of the update stays as it is outside of the turn.
    pub keeps_records: bool,
    /// When that turn began.
    pub turn_started_at: Option<Time>,
    /// Whether the standalone clique has to be available again before that turn ends.
    pub must_return: bool,
    /// Whether it replaces a PodClique that was lost in that turn.
    pub is_recreated: bool,
    /// Whether pods take a changed template only when a user deletes them.
    pub is_on_delete: bool,
    /// The budget and the deadline of a standalone clique.
    pub rolling: Option<RollingUpdate>,
    /// The lowest index of its pods that the update may replace now.
    pub first_replaced: i32,
    /// Whether the turn goes on without surge in all its parts.
    pub is_without_surge: bool,
    /// Whether surge pods of an older template stay while they serve.
    pub holds_old_surge: bool,
    /// Indexes of a standalone clique that the turn holds vacant, as stored.
    pub vacant: Vec<i32>,
    /// How long a new pod has to be Ready before it counts for the update.
    pub min_ready: SignedDuration,
    /// Condition `UpdateInProgress` of its scaling group, which a clique of a group follows.
    pub group: Option<Condition>,
}

/// Reads the facts from the set.
pub(super) fn facts_of_set(
    set: &Arc<PodCliqueSet>,
    podclique: &PodClique,
    pods: &[Arc<Pod>],
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> SetFacts {
    // The end of a job does not end PodCliques that an earlier set of this name left behind.
    let is_own = caches.is_in_hands_of(set, &podclique.metadata);
    let template = &set.spec.template;
    let (set_name, name) = (
        ownership::name(&set.metadata),
        ownership::name(&podclique.metadata),
    );
    let part = layout::find(set_name, template, name);
    let mut cliques = template.cliques.iter();
    let clique = part
        .as_ref()
        .and_then(|p| cliques.find(|c| c.name == p.clique));
    let group = part.as_ref().and_then(|p| p.group);
    SetFacts {
        name: set_name.to_owned(),
        is_terminating: ownership::is_terminating(&set.metadata),
        is_orphaned: !is_own,
        priority_class_name: priority_class(set, podclique, clique, pods, caches, rules),
        pods_before: group.zip(clique).map(|(g, c)| count_pods_before(set, g, c)),
        preferred_domains: if rules.ignores_preferred_domains {
            Vec::new()
        } else {
            preferred_domains::observe(template, clique, group, caches)
        },
        generation_hash: set
            .status
            .as_ref()
            .and_then(|s| s.current_generation_hash.clone()),
        template_hash: clique.and_then(|c| rules.validator.template_hash(set, &c.name)),
        uid: ownership::uid(&set.metadata).to_owned(),
        is_over: is_own && training::is_over(set.status.as_ref()),
        is_suspended: is_own && suspension::is_suspended(set.status.as_ref()),
        is_over_limits: limits::says_over_limits(set),
        awaits_success: is_own
            && part
                .as_ref()
                .is_some_and(|part| awaits_success(set, part, (podclique, pods), caches)),
        unnoted_failures: if is_own {
            unnoted_failures(set, pods)
        } else {
            BTreeSet::new()
        },
        has_ended: training::is_terminal(set.status.as_ref().and_then(|s| s.phase)),
        training_delay: termination::delay_of_job(set, group),
        breach_memory: termination::memory(
            set,
            group,
            rules.validator.defaults().termination_delay.as_ref(),
        ),
        update: update_facts(set, podclique, clique, caches, rules),
    }
}

/// The priority class of new pods: the set's, or, if the PodClique keeps an older template, that of
/// then. Read only where a pod may be missing.
fn priority_class(
    set: &Arc<PodCliqueSet>,
    podclique: &PodClique,
    clique: Option<&PodCliqueTemplateSpec>,
    pods: &[Arc<Pod>],
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> String {
    let own = || {
        let wanted = usize::try_from(podclique.spec.replicas).ok()?;
        let have = pods.iter().filter(|pod| !pod.is_terminating()).count();
        let clique = clique.filter(|_| have < wanted)?;
        let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH)?;
        let newest = rules.validator.template_hash(set, &clique.name);
        let is_older = newest.as_deref() != Some(hash);
        let replica = ownership::replica_in(ownership::name(&set.metadata), &podclique.metadata)?;
        let generation = rules.validator.generation_hash(set);
        let slot = (clique, replica);
        is_older.then(|| find_priority(set, slot, hash, &generation, caches))?
    };
    own().unwrap_or_else(|| set.spec.template.priority_class_name.clone())
}

fn count_pods_before(
    set: &PodCliqueSet,
    group: &PodCliqueScalingGroupConfig,
    clique: &PodCliqueTemplateSpec,
) -> i32 {
    let cliques = &set.spec.template.cliques;
    group
        .clique_names
        .iter()
        .take_while(|name| **name != clique.name)
        .filter_map(|name| cliques.iter().find(|c| c.name == *name))
        .map(|c| c.spec.replicas)
        .fold(0, i32::saturating_add)
}

/// The failed pods that a set has yet to keep. A set that is over its limits keeps none.
fn unnoted_failures(set: &PodCliqueSet, pods: &[Arc<Pod>]) -> BTreeSet<String> {
    let is_job = set.spec.workload_type == Some(WorkloadType::Training);
    if !is_job || limits::says_over_limits(set) {
        return BTreeSet::new();
    }
    let kept = set.status.as_ref();
    let kept = kept.map_or(&[][..], |s| s.last_failures.as_slice());
    pods.iter()
        .filter(|p| p.is_failed() && !failure::is_noted(p, kept))
        .map(|p| p.uid().to_owned())
        .collect()
}

/// Whether the PodClique is of the present attempt of a job that goes on, its work is done by its
/// own status or its pods, and the job has not stored that yet.
fn awaits_success(
    set: &PodCliqueSet,
    part: &LayoutSlot<'_>,
    (podclique, pods): (&PodClique, &[Arc<Pod>]),
    caches: &Caches,
) -> bool {
    let completed = training::completed(podclique, pods.iter().map(AsRef::as_ref));
    (training::has_succeeded(podclique) || training::is_done(podclique, &completed))
        && !ownership::is_terminating(&set.metadata)
        && !training::is_over(set.status.as_ref())
        && dependencies::classify(set, part, (), &podclique.metadata, caches)
            .present()
            .is_some()
        && !fence::is_stored_as_succeeded(fence::attempts_of_set(set), part.replica, &part.name)
}

fn update_facts(
    set: &Arc<PodCliqueSet>,
    podclique: &PodClique,
    clique: Option<&PodCliqueTemplateSpec>,
    caches: &Caches,
    rules: &PodCliqueReconciler,
) -> UpdateFacts {
    let meta = &podclique.metadata;
    let replica = ownership::replica_in(ownership::name(&set.metadata), meta);
    let owner = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
    let group = owner.and_then(|owner| caches.group_of(meta, owner));
    let status = group.as_ref().and_then(|g| g.status.as_ref());
    let turn = update::turn(set).filter(|turn| replica == Some(turn.replica_index));
    let generation = rules.validator.generation_hash(set);
    let given = clique.and_then(|c| c.rolling_update.as_ref());
    let spec = &podclique.spec;
    let minimum = spec.min_available.unwrap_or(spec.replicas);
    let standalone = clique.filter(|_| owner.is_none());
    UpdateFacts {
        is_updating: turn.is_some(),
        is_held: update::is_held(set, &generation),
        rests: update::rests(set, &generation),
        keeps_records: update::keeps_records(set, &generation),
        must_return: turn
            .zip(standalone)
            .is_some_and(|(turn, clique)| update::must_return(turn, &clique.name)),
        vacant: turn.zip(standalone).map_or(Vec::new(), |(turn, clique)| {
            update::listed_vacant(turn, &clique.name).to_vec()
        }),
        is_recreated: owner.is_none() && turn.is_some_and(|turn| update::is_recreated(turn, meta)),
        turn_started_at: turn.map(|turn| turn.update_started_at.clone()),
        is_on_delete: update::is_on_delete(set),
        first_replaced: clique.map_or(0, |c| update::first_replaced(set, &c.name, given)),
        is_without_surge: turn.is_some_and(|turn| turn.without_surge.is_some()),
        holds_old_surge: turn.is_some_and(|turn| update::holds_old_surge(set, turn)),
        rolling: update::rolling_in_force(set, given, minimum).map(Cow::into_owned),
        min_ready: update::min_ready(given, clique),
        group: status.and_then(|s| {
            conditions::find(&s.conditions, ConditionType::UpdateInProgress).cloned()
        }),
    }
}
