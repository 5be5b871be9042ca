//! Sets that name a queue of Kueue.

use api::PodCliqueSet;
use api::kueue::{POD_SETS, keys};
use domain::object::text::cut_text;
use domain::scheduling::quota;
use domain::workload::claims;

use super::Warning;
use crate::clique_paths::{cliques, template};
use crate::field::{MAX_SHOWN_CHARS, Path};
use crate::rules::{Rules, queue_of, scheduler_name};

/// Parts of the set that some versions of Kueue refuse, or that it does not count; a queue for whose
/// quota nobody waits, and one that is missing.
pub(super) fn check(pcs: &PodCliqueSet, rules: &Rules) -> Vec<Warning> {
    if queue_of(pcs, rules).is_some() {
        return of_queued(pcs);
    }
    let found = without_effect(pcs, rules).or_else(|| required(pcs, rules));
    found.into_iter().collect()
}

fn queue_label() -> Path {
    Path::new("metadata.labels").key(keys::QUEUE)
}

fn without_effect(pcs: &PodCliqueSet, rules: &Rules) -> Option<Warning> {
    let profiles = rules.profiles.as_ref()?;
    quota::local_queue(&pcs.metadata)?;
    let text = "has no effect: the gangs start without quota; set queueing.kueue.enabled: true in the \
                operator's configuration";
    (!profiles.is_queueing()).then(|| Warning::new(&queue_label(), text))
}

/// The profile of the set's scheduler lets no gang start without a queue.
fn required(pcs: &PodCliqueSet, rules: &Rules) -> Option<Warning> {
    let profiles = rules.profiles.as_ref()?;
    let is_missing = quota::local_queue(&pcs.metadata).is_none();
    let mut named = cliques(pcs).map(|(_, clique)| scheduler_name(&clique.spec.pod_spec, rules));
    let name = named.find(|name| is_missing && profiles.requires_queue(Some(*name)))?;
    let name = cut_text(name, MAX_SHOWN_CHARS);
    let text =
        format!("nothing starts without it: the profile of scheduler {name} requires a queue");
    Some(Warning::new(&queue_label(), text))
}

fn of_queued(pcs: &PodCliqueSet) -> Vec<Warning> {
    let count = pcs.spec.template.cliques.len();
    let many = (count > POD_SETS).then(|| {
        let text = format!(
            "a gang with {count} cliques is refused by versions of Kueue that let a Workload have \
             {POD_SETS} kinds of pods"
        );
        Warning::new(&template().field("cliques"), text)
    });
    let claimed = uses_claims(pcs).then(|| {
        let text = "Kueue reserves no quota for resource claims: limit them by a ResourceQuota";
        Warning::new(&queue_label(), text)
    });
    many.into_iter().chain(claimed).collect()
}

fn uses_claims(pcs: &PodCliqueSet) -> bool {
    let mut own = cliques(pcs).filter_map(|(_, c)| c.spec.pod_spec.resource_claims.as_ref());
    claims::has_sharing(&pcs.spec.template) || own.any(|claims| !claims.is_empty())
}
