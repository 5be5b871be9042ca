//! A changed template is tried by dry run before anything of its update is stored (docs/semantics.md
//! §14.1).

use std::collections::HashSet;

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, labels};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{Action, Check, CheckAnswer, CheckedTemplate, Object};
use domain::roster::{ObservedClique, Roster};
use domain::scheduling;
use domain::update;
use domain::workload::clique::{self, GroupPosition, LiveCount, PodCliquePosition, Ready};
use domain::workload::hash;
use domain::workload::layout::LayoutSlot;
use domain::workload::pod::quota::count_for_quota;
use domain::workload::pod::start_order::{Dependency, hold_back_pod};
use domain::workload::{pod, slots};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;

use crate::observe::Snapshot;
use crate::rollout::{self, Newest};

/// No real pod gets a name with this probe number.
const PROBE: u32 = u32::MAX;

/// Whether the newest generation may be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes: the API server accepts a pod of each changed template.
    Accepted,
    /// No: it refuses pods of these cliques, in these words.
    Refused(Vec<Refusal>),
    /// It has not answered about these cliques.
    Unanswered(Vec<String>),
}

/// A clique whose new pods the API server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the clique.
    pub clique: String,
    /// The API server's words.
    pub words: String,
}

/// The answers about the cliques with a changed template.
pub fn verdict(snapshot: &Snapshot, roster: &Roster<'_>, newest: &Newest<'_>) -> Verdict {
    let mut refused = Vec::new();
    let mut open = Vec::new();
    for candidate in candidates(snapshot, roster, newest) {
        let known = snapshot.checks.answers.get(&candidate.template.name);
        match known.map(|known| &known.answer) {
            Some(CheckAnswer::Accepted) => {}
            Some(CheckAnswer::Refused(words)) => refused.push(Refusal {
                clique: candidate.template.name.clone(),
                words: words.clone(),
            }),
            None => open.push(candidate.template.name.clone()),
        }
    }
    match (refused.is_empty(), open.is_empty()) {
        (false, _) => Verdict::Refused(refused),
        (true, false) => Verdict::Unanswered(open),
        (true, true) => Verdict::Accepted,
    }
}

/// The questions that are due.
pub fn plan_checks(snapshot: &Snapshot, roster: &Roster<'_>, now: Timestamp) -> Vec<Action> {
    let hashed = rollout::hash_templates(snapshot);
    let newest = &rollout::newest(&hashed);
    let is_due = |candidate: &Candidate<'_>| {
        let known = snapshot.checks.answers.get(&candidate.template.name);
        known.is_none_or(|known| known.repeat_at.is_some_and(|at| at <= now))
    };
    candidates(snapshot, roster, newest)
        .into_iter()
        .filter(is_due)
        .map(|candidate| Action::Check(Box::new(build_check(snapshot, &candidate, now))))
        .collect()
}

/// When a refused template is asked about again.
pub fn next_repeat(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    let repeats = snapshot
        .checks
        .answers
        .values()
        .filter_map(|known| known.repeat_at);
    repeats.filter(|at| *at > now).min()
}

/// A clique with a changed template, and a PodClique that would take it.
struct Candidate<'a> {
    template: &'a PodCliqueTemplateSpec,
    hash: &'a str,
    slot: &'a LayoutSlot<'a>,
    seen: &'a ObservedClique,
}

/// The cliques with pods of another template than the newest one, which is not accepted.
pub fn changed_cliques(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<String> {
    let hashed = rollout::hash_templates(snapshot);
    let newest = &rollout::newest(&hashed);
    changed(snapshot, roster, newest)
        .into_iter()
        .map(|candidate| candidate.template.name.clone())
        .collect()
}

/// The cliques to check. A template of which a pod is Ready is proven.
fn candidates<'a>(
    snapshot: &'a Snapshot,
    roster: &'a Roster<'a>,
    newest: &'a Newest<'a>,
) -> Vec<Candidate<'a>> {
    changed(snapshot, roster, newest)
        .into_iter()
        .filter(|candidate| !is_proven(roster, candidate))
        .collect()
}

/// The cliques with pods of another template; none of a generation that is accepted.
fn changed<'a>(
    snapshot: &'a Snapshot,
    roster: &'a Roster<'a>,
    newest: &'a Newest<'a>,
) -> Vec<Candidate<'a>> {
    let set = &snapshot.validated.set;
    let is_accepted = update::is_accepted(set, &snapshot.validated.generation_hash());
    if is_accepted || !snapshot.validated.may_act() {
        return Vec::new();
    }
    let mut known = HashSet::new();
    roster
        .layout
        .slots()
        .filter_map(|slot| Some((slot, roster.slot(slot).standing()?)))
        .filter_map(|(slot, seen)| {
            let (clique, hash) = newest.get_key_value(slot.clique)?;
            let mut cliques = set.spec.template.cliques.iter();
            let template = cliques.find(|template| template.name == **clique)?;
            let is_changed = is_of_other_template(seen, hash) && !seen.is_scaled_to_zero();
            (is_changed && known.insert(*clique)).then_some(Candidate {
                template,
                hash,
                slot,
                seen,
            })
        })
        .collect()
}

fn is_of_other_template(seen: &ObservedClique, newest: &str) -> bool {
    let label = ownership::label(&seen.podclique.metadata, labels::POD_TEMPLATE_HASH);
    label.is_some_and(|label| hash::is_ours(label) && label != newest)
}

fn is_proven(roster: &Roster<'_>, candidate: &Candidate<'_>) -> bool {
    let is_of_it = |pod: &&std::sync::Arc<domain::Pod>| {
        let label = ownership::label(&pod.metadata, labels::POD_TEMPLATE_HASH);
        label == Some(candidate.hash) && pod.is_ready()
    };
    roster
        .layout
        .slots()
        .filter(|slot| slot.clique == candidate.template.name)
        .filter_map(|slot| roster.slot(slot).standing())
        .any(|seen| seen.staying().any(|pod| is_of_it(&pod)))
}

fn build_check(snapshot: &Snapshot, candidate: &Candidate<'_>, now: Timestamp) -> Check {
    Check {
        pod: Object::of(build_pod(snapshot, candidate, now)),
        template: CheckedTemplate {
            set_uid: ownership::uid(&snapshot.stored.metadata).to_owned(),
            clique: candidate.template.name.clone(),
            hash: candidate.hash.to_owned(),
        },
        frees: count_for_quota(&candidate.seen.podclique.spec.pod_spec),
    }
}

/// The pod that the PodClique would create from the newest template.
fn build_pod(snapshot: &Snapshot, candidate: &Candidate<'_>, now: Timestamp) -> Pod {
    let podclique = build_podclique(snapshot, candidate);
    let (name, uid) = (
        ownership::name(&podclique.metadata),
        ownership::uid(&podclique.metadata),
    );
    let name = slots::pod_name(name, uid, 0, "", PROBE);
    let priority = &snapshot.validated.set.spec.template.priority_class_name;
    let mut new = pod::build_pod(&podclique, snapshot.name(), 0, name, priority, 0);
    if candidate.slot.group.is_some() {
        pod::add_place_in_group(&mut new, 0);
    }
    let dependencies = podclique.spec.starts_after.iter();
    let dependencies: Vec<Dependency> = dependencies
        .map(|name| Dependency {
            name: name.clone(),
            pods: 1,
            is_up: false,
        })
        .collect();
    hold_back_pod(
        &mut new,
        &dependencies,
        &snapshot.checks.init_container_image,
        now,
    );
    let scheduler = scheduling::GangScheduler {
        name_in_pods: snapshot.scheduler.name_in_pods.clone(),
        backend: snapshot.scheduler.backend,
    };
    scheduling::mark_pod(&scheduler, &podclique, &mut new);
    new
}

/// The PodClique as it would be with the newest template.
fn build_podclique(snapshot: &Snapshot, candidate: &Candidate<'_>) -> PodClique {
    let set = &snapshot.validated.set;
    let (slot, seen) = (candidate.slot, &candidate.seen.podclique);
    let label = |key| ownership::label(&seen.metadata, key).map(str::to_owned);
    let hashed = (candidate.template, candidate.hash.to_owned());
    let ready = match slot.group {
        Some(config) => Ready::grouped(hashed, count_pods(snapshot, &config.clique_names)),
        None => Ready::standalone(hashed),
    };
    let group = label(labels::SCALING_GROUP).zip(slot.group_replica);
    let position = PodCliquePosition {
        name: slot.name.clone(),
        replica: slot.replica,
        gang: label(labels::POD_GANG).unwrap_or_default(),
        base_gang: label(labels::BASE_POD_GANG),
        group: group.map(|(name, replica)| GroupPosition { name, replica }),
        owner: ownership::controller(&seen.metadata)
            .cloned()
            .unwrap_or_default(),
        count: LiveCount {
            replicas: seen.spec.replicas,
            stamped: seen.spec.replicas,
        },
        attempt: Attempt::of(&seen.metadata),
        starts_after: seen.spec.starts_after.clone(),
    };
    let mut podclique = clique::build(set, &ready, position);
    podclique.metadata.uid.clone_from(&seen.metadata.uid);
    podclique
}

/// The number of pods of a group replica in the template.
fn count_pods(snapshot: &Snapshot, cliques: &[String]) -> i32 {
    let all = snapshot.validated.set.spec.template.cliques.iter();
    all.filter(|clique| cliques.contains(&clique.name))
        .map(|clique| clique.spec.replicas)
        .fold(0, i32::saturating_add)
}
