//! Updates (docs/semantics.md §14): which replica has the turn, and which objects take a changed
//! template.

mod coherent;
mod component;
mod min_ready;
mod progress;
mod record;
mod revision;
mod room;
mod surge;
mod tally;
mod template_component;
mod trouble;
mod unit;
mod vacancies;

use std::cmp::Ordering;

use api::conditions::{self, ConditionType, Reason};
use api::podcliqueset::{
    PodCliqueScalingGroupConfig, PodCliqueTemplateSpec, ReplicaUpdateProgress, RollingUpdate,
    UpdateStrategyType,
};
use api::{PodCliqueSet, PodCliqueSetStatus, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub use self::coherent::{
    OldUnit, Part, Step, find_vacant, is_coherent, next_step, rolling_in_force, scope_of,
};
pub use self::component::{Component, Limits};
pub use self::min_ready::min_ready;
pub use self::progress::{Advance, deadline_at, no_update, resume, stands_at, verdict};
pub use self::record::{Record, is_recreated, must_return};
pub use self::revision::{
    Older, find_older, first_replaced, has_older, revision_in_force, revision_of,
};
pub use self::room::{
    QUOTA, explain_no_room, is_over_quota, is_short, next_wait_of, next_waiting, short_at, waits,
    waits_for_node,
};
pub use self::surge::{
    SurgeUnit, describe_surge, follow_replicas, next_surge_from, surge_of_clique, surge_of_group,
};
pub use self::tally::{Remainder, describe_remainders};
pub use self::template_component::{TemplateComponent, components_of};
pub use self::trouble::explain_trouble;
pub use self::unit::{
    Age, Stage, UnitMember, UnitReplica, counts_from, next_stage_at, next_stage_of_replica_at,
    stage_of_pod, stage_of_replica,
};
pub use self::vacancies::{Others, Vacancies, held_indexes, listed_vacant};

use crate::Pod;
use crate::health::{suspension, training};
use crate::object::ownership;
use crate::workload::{hash, slots};

/// How a changed template reaches pods. A job's template cannot be changed.
pub fn strategy(set: &PodCliqueSet) -> UpdateStrategyType {
    set.spec
        .update_strategy
        .as_ref()
        .map(|s| s.type_)
        .unwrap_or_default()
}

/// Whether pods take a changed template only when a user deletes them.
pub fn is_on_delete(set: &PodCliqueSet) -> bool {
    strategy(set) == UpdateStrategyType::OnDelete
}

/// The replica that has the turn, as stored, in an update that runs.
pub fn turn(set: &PodCliqueSet) -> Option<&ReplicaUpdateProgress> {
    turn_in(set, set.status.as_ref()?)
}

/// The same by a status that is about to be stored. In a suspended set no replica has the turn.
pub fn turn_in<'a>(
    set: &PodCliqueSet,
    status: &'a PodCliqueSetStatus,
) -> Option<&'a ReplicaUpdateProgress> {
    // Most sets are not being updated, and this is asked for each pod and PodClique.
    let progress = status.update_progress.as_ref()?;
    let is_running = progress.update_ended_at.is_none();
    let first = progress.currently_updating.first();
    let turn = first.filter(|turn| is_running && turn.update_ended_at.is_none())?;
    let has_none = is_on_delete(set) || training::is_training(set) || suspension::is_stored(status);
    (!has_none).then_some(turn)
}

/// Whether this replica has the turn: only then its pods are replaced because of the template, and
/// only there gang termination is suspended.
pub fn is_updating(set: &PodCliqueSet, replica: i32) -> bool {
    turn(set).is_some_and(|turn| turn.replica_index == replica)
}

/// Whether an existing standalone PodClique takes a changed template of this generation: on its
/// replica's turn. A PodClique that has to be created takes the newest at any time.
pub fn is_template_due(set: &PodCliqueSet, generation: &str, replica: i32) -> bool {
    let is_turn = is_edited_in_place(set, replica) || is_updating(set, replica);
    is_turn && !is_held(set, generation)
}

/// Whether every existing PodClique of the replica takes a changed template while its pods stay.
/// Otherwise PodCliques of groups are recreated, since a group replica is replaced as a whole.
pub fn is_edited_in_place(set: &PodCliqueSet, replica: i32) -> bool {
    let is_in_place = is_on_delete(set) || takes_all_at_once(set, replica);
    is_in_place && !training::is_training(set)
}

/// Whether all of the replica takes the newest templates without a turn: the set is suspended, so its
/// pods go anyway (docs/semantics.md §15.3). Where a clique or group has a partition, turns that follow
/// the resume keep to it.
pub fn takes_all_at_once(set: &PodCliqueSet, replica: i32) -> bool {
    // Asked for each PodClique: the components of the template are listed last.
    suspension::is_suspended(set.status.as_ref())
        && replica >= partition(set)
        && components_of(&set.spec.template).all(|component| component.partition() <= 0)
}

/// Whether the user paused the update.
pub fn is_paused(set: &PodCliqueSet) -> bool {
    let strategy = set.spec.update_strategy.as_ref();
    strategy.is_some_and(|strategy| strategy.paused)
}

/// Replicas of the set below this index keep their templates.
pub fn partition(set: &PodCliqueSet) -> i32 {
    let strategy = set.spec.update_strategy.as_ref();
    strategy
        .and_then(|strategy| strategy.partition)
        .unwrap_or(0)
}

/// Units of the clique or group below this index keep their templates.
pub fn partition_of(rolling: Option<&RollingUpdate>) -> i32 {
    rolling.and_then(|rolling| rolling.partition).unwrap_or(0)
}

/// Whether the operator accepted this generation of the templates: it checked them, or it found no
/// object that they change. A job has one template. A hash of another implementation proves
/// nothing.
pub fn is_accepted(set: &PodCliqueSet, generation: &str) -> bool {
    let stored = set.status.as_ref();
    let stored = stored.and_then(|status| status.current_generation_hash.as_deref());
    let is_other = stored.is_some_and(|stored| stored != generation && hash::is_ours(stored));
    training::is_training(set) || !is_other
}

/// Whether nothing is replaced for the sake of a template now, also in the replica that has the
/// turn: the update is paused, or this newest generation is not accepted.
pub fn is_held(set: &PodCliqueSet, generation: &str) -> bool {
    is_paused(set) || !is_accepted(set, generation)
}

/// Whether an update runs that gives turns to replicas.
pub fn runs_by_turns(set: &PodCliqueSet) -> bool {
    let status = set.status.as_ref();
    let progress = status.and_then(|status| status.update_progress.as_ref());
    let runs = progress.is_some_and(|progress| progress.update_ended_at.is_none());
    runs && !is_on_delete(set) && !training::is_training(set)
}

/// Whether PodCliques and groups keep the records of an update that runs: it is held, or no replica
/// has the turn. The next turn goes on with their numbers (decision 159).
pub fn keeps_records(set: &PodCliqueSet, generation: &str) -> bool {
    runs_by_turns(set) && (is_held(set, generation) || turn(set).is_none())
}

/// Whether the newest generation waits for the answer to its check.
pub fn is_unchecked(set: &PodCliqueSet, generation: &str) -> bool {
    !is_accepted(set, generation) && !is_paused(set) && !is_refused(set)
}

/// Whether the set reports that the API server refuses its newest templates.
pub fn is_refused(set: &PodCliqueSet) -> bool {
    let conditions = set.status.as_ref().map(|status| &status.conditions);
    let update = conditions.and_then(|all| conditions::find(all, ConditionType::UpdateInProgress));
    let refused: &'static str = Reason::TemplateRefused.into();
    update.is_some_and(|update| {
        update.reason == refused && update.observed_generation == set.metadata.generation
    })
}

/// The limits of the update of a standalone clique, or of the clique's group.
pub fn rolling_update<'a>(
    clique: &'a PodCliqueTemplateSpec,
    group: Option<&'a PodCliqueScalingGroupConfig>,
) -> Option<&'a RollingUpdate> {
    match group {
        Some(group) => group.rolling_update.as_ref(),
        None => clique.rolling_update.as_ref(),
    }
}

/// Whether the pod was created from another template than its PodClique has now. The pod's own
/// label decides, unless all pods are of one template. A hash that another implementation wrote for
/// this very template is replaced by ours in a moment (decision 27), and a missing label proves
/// nothing: a user removed it, and the operator restores it.
pub fn is_outdated(pod: &ObjectMeta, podclique: &ObjectMeta) -> bool {
    let hash = ownership::label(pod, labels::POD_TEMPLATE_HASH);
    let newest = ownership::label(podclique, labels::POD_TEMPLATE_HASH);
    let adopted = || ownership::annotation(podclique, labels::REBASED_FROM);
    let is_other = hash.is_some() && hash != newest && hash != adopted();
    is_other && !is_of_one_template(pod, podclique)
}

/// Whether the PodClique created the pod, and never had another template: then a different label on
/// the pod was edited by hand. A PodClique of a group is replaced for another template, unless it
/// is edited in place.
pub fn is_of_one_template(pod: &ObjectMeta, podclique: &ObjectMeta) -> bool {
    let made_with = ownership::annotation(podclique, labels::MADE_WITH_HASH);
    let has_one =
        made_with.is_some() && made_with == ownership::label(podclique, labels::POD_TEMPLATE_HASH);
    has_one && is_made_by(pod, podclique)
}

/// Whether the PodClique created the pod, and did not adopt it from an earlier one of its name,
/// which may have had another template. Within one second the name decides: the name of the first
/// pod of an index is derived from the PodClique.
fn is_made_by(pod: &ObjectMeta, podclique: &ObjectMeta) -> bool {
    let created = |meta: &ObjectMeta| meta.creation_timestamp.as_ref().map(|at| at.0.as_second());
    match created(pod).cmp(&created(podclique)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => is_first_holder(pod, podclique),
    }
}

fn is_first_holder(pod: &ObjectMeta, podclique: &ObjectMeta) -> bool {
    const PROBES: u32 = 8;
    let index = ownership::label(pod, labels::POD_INDEX).and_then(|k| k.parse().ok());
    let (name, uid) = (ownership::name(podclique), ownership::uid(podclique));
    index.is_some_and(|index| {
        let mut names = (0..PROBES).map(|probe| slots::pod_name(name, uid, index, "", probe));
        names.any(|first| first == ownership::name(pod))
    })
}

/// Whether the PodClique or one of these pods of it has an older template than this. A hash that
/// another implementation wrote, or a missing one, proves nothing until the PodClique has ours
/// (decision 27).
pub fn is_podclique_outdated<'a>(
    podclique: &ObjectMeta,
    newest: Option<&str>,
    mut pods: impl Iterator<Item = &'a Pod>,
) -> bool {
    let label = ownership::label(podclique, labels::POD_TEMPLATE_HASH);
    if label.is_none_or(|hash| !hash::is_ours(hash)) {
        return false;
    }
    label != newest || pods.any(|pod| is_outdated(&pod.metadata, podclique))
}
