//! The objects from the set down to the pod.

use api::conditions::{self, ConditionType, Reason};
use api::{labels, names};
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};

use super::answer::Link;
use super::find::Finding;
use crate::workload::View;
use crate::workload::pod_state;

/// The chain from the set to the finding.
pub fn find_chain(view: &View<'_>, finding: &Finding<'_>) -> Vec<Link> {
    let set = &view.workload.set;
    let conditions = set.status.as_ref().map(|s| &*s.conditions);
    let set = link("PodCliqueSet", &set.metadata, conditions);
    let links = [
        Some(set),
        group_link(view, finding),
        gang_link(view, finding),
        podclique_link(finding),
        pod_link(finding),
    ];
    links.into_iter().flatten().collect()
}

fn group_link(view: &View<'_>, finding: &Finding<'_>) -> Option<Link> {
    let part = finding.part.as_ref()?;
    let config = part.group?;
    let found = view.roster.group_of(part);
    let absent = || {
        let name = names::scaling_group(view.set_name(), part.replica, &config.name);
        missing("PodCliqueScalingGroup", name)
    };
    Some(found.map_or_else(absent, |group| {
        let status = group.status.as_ref();
        let conditions = status.map(|s| &*s.conditions);
        link("PodCliqueScalingGroup", &group.metadata, conditions)
    }))
}

fn gang_link(view: &View<'_>, finding: &Finding<'_>) -> Option<Link> {
    let name = finding.gang_name(view)?;
    let found = view.roster.gang(&name);
    let conditions = found.and_then(|g| Some(&*g.status.as_ref()?.conditions));
    Some(match found {
        Some(gang) => link("PodGang", &gang.metadata, conditions),
        None => missing("PodGang", name),
    })
}

impl Finding<'_> {
    /// Name of the PodGang that the PodClique is, or will be, in.
    pub fn gang_name(&self, view: &View<'_>) -> Option<String> {
        let label = |meta: &ObjectMeta| ownership::label(meta, labels::POD_GANG).map(str::to_owned);
        let labelled = self.podclique.and_then(|c| label(&c.podclique.metadata));
        let planned = || {
            let part = self.part.as_ref()?;
            let gangs = view.roster.layout.replica(part.replica)?;
            let own = gangs
                .groups
                .iter()
                .flat_map(|g| &g.replicas)
                .find(|r| r.cliques.iter().any(|c| c.name == part.name));
            Some(own.map_or(&gangs.base_gang, |r| &r.gang).clone())
        };
        labelled.or_else(planned)
    }
}

fn podclique_link(finding: &Finding<'_>) -> Option<Link> {
    let name = finding.part.as_ref().map(|part| part.name.clone());
    let Some(found) = finding.podclique else {
        return name.map(|name| missing("PodClique", name));
    };
    let found = &found.podclique;
    let conditions = found.status.as_ref().map(|s| &*s.conditions);
    let mut link = link("PodClique", &found.metadata, conditions);
    let of_earlier = finding.cause.as_ref().map(|cause| cause.reason);
    let is_going = of_earlier == Some(Reason::ReplicaTerminating);
    if is_going || ownership::is_terminating(&found.metadata) {
        "Terminating".clone_into(&mut link.state);
        link.is_good = None;
    }
    Some(link)
}

fn pod_link(finding: &Finding<'_>) -> Option<Link> {
    let pod = finding.pod?;
    let mut link = link("Pod", &pod.metadata, None);
    link.state = pod_state::word(pod);
    let cause = finding.cause.as_ref();
    let is_known = cause.is_none_or(|cause| cause.reason.is_blocking());
    link.is_good = is_known.then_some(cause.is_none());
    Some(link)
}

fn link(kind: &'static str, meta: &ObjectMeta, conditions: Option<&[Condition]>) -> Link {
    let ready = conditions.and_then(|all| conditions::find(all, ConditionType::Ready));
    let reason: Option<Reason> = ready.and_then(|c| c.reason.parse().ok());
    let is_ready = ready.is_some_and(|c| c.status == "True");
    let is_blocking = reason.is_some_and(Reason::is_blocking);
    let is_stuck = reason.is_some_and(Reason::is_stuck_update);
    let is_good = is_ready && !is_stuck && !is_blocking;
    Link {
        kind,
        name: ownership::name(meta).to_owned(),
        state: ready.map_or_else(|| "Unknown".to_owned(), |c| c.reason.clone()),
        is_good: (is_ready || is_blocking).then_some(is_good),
        uid: meta.uid.clone(),
    }
}

fn missing(kind: &'static str, name: String) -> Link {
    Link {
        kind,
        name,
        state: "Missing".to_owned(),
        is_good: None,
        uid: None,
    }
}
