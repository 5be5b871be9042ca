//! One HorizontalPodAutoscaler for each standalone clique and scaling group of a replica whose
//! template configures one (docs/semantics.md §9.4).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroup};
use domain::object::ownership;
use domain::plan::{Action, Purpose, first_portion};
use domain::roster::Roster;
use domain::workload::layout::{self, Layout};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;

use super::completed;
use crate::desired::autoscaler::{self, Ready};
use crate::observe::{Snapshot, is_owned};

/// Deletes the autoscalers of targets that are scaled in, or whose template configures none any
/// more.
pub(super) fn plan_deletions(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let mut owned = snapshot.children.autoscalers.iter();
    if !owned.any(|a| is_owned(&a.metadata)) {
        return Vec::new();
    }
    let asked = Asked::of(snapshot);
    let wanted: HashSet<&str> = asked.in_all(&roster.layout).map(|(name, _)| name).collect();
    let surplus = snapshot
        .children
        .autoscalers
        .iter()
        .map(|a| &a.metadata)
        .filter(|meta| {
            let is_wanted = wanted.contains(ownership::name(meta));
            !is_wanted && is_owned(meta) && !ownership::is_terminating(meta)
        });
    let delete = |meta| {
        let replica = ownership::replica_in(snapshot.name(), meta);
        let purpose = match replica {
            Some(i) if i >= snapshot.replicas() => Purpose::ScaleInReplica,
            _ => Purpose::RemoveAutoscaler,
        };
        Action::delete::<HorizontalPodAutoscaler>(meta, purpose)
    };
    surplus.map(delete).collect()
}

/// Creates missing autoscalers and corrects the others.
pub(super) fn plan_autoscalers(snapshot: &Snapshot, roster: &Roster<'_>) -> Vec<Action> {
    let existing: HashMap<&str, &Arc<HorizontalPodAutoscaler>> = snapshot
        .children
        .autoscalers
        .iter()
        .map(|a| (ownership::name(&a.metadata), a))
        .collect();
    let set = &snapshot.validated.set;
    let asked = Asked::of(snapshot);
    first_portion(asked.in_all(&roster.layout).filter_map(|(name, ready)| {
        let found = existing.get(name).copied();
        let desired = autoscaler::build(set, name, ready);
        if found.is_some_and(|found| autoscaler::is_right(found, &desired, ready)) {
            return None;
        }
        let known = found.map(AsRef::as_ref);
        completed::keep_object(found, autoscaler::with_metrics(desired, ready, known))
    }))
}

/// The autoscalers that the template configures in each replica, in its order.
struct Asked<'a> {
    /// Those of standalone cliques. Members of a scaling group are scaled with it.
    cliques: Vec<Option<Ready<'a>>>,
    groups: Vec<Option<Ready<'a>>>,
}

impl<'a> Asked<'a> {
    fn of(snapshot: &'a Snapshot) -> Self {
        let template = &snapshot.validated.set.spec.template;
        let of_clique = |clique: &'a PodCliqueTemplateSpec| {
            let config = clique.spec.auto_scaling_config.as_ref();
            config.map(Ready::of::<PodClique>)
        };
        let of_group = |group: &'a PodCliqueScalingGroupConfig| {
            let config = group.scale_config.as_ref();
            config.map(Ready::of::<PodCliqueScalingGroup>)
        };
        Self {
            cliques: layout::standalone_cliques(template)
                .map(of_clique)
                .collect(),
            groups: template.scaling_groups.iter().map(of_group).collect(),
        }
    }

    /// Pairs them with the names of their targets.
    fn in_all<'b>(
        &'b self,
        layout: &'b Layout<'_>,
    ) -> impl Iterator<Item = (&'b str, &'b Ready<'a>)> {
        layout.replicas.iter().flat_map(|replica| {
            let cliques = replica.standalone.iter().map(|part| part.name.as_str());
            let groups = replica.groups.iter().map(|group| group.name.as_str());
            let cliques = cliques.zip(&self.cliques);
            cliques
                .chain(groups.zip(&self.groups))
                .filter_map(|(name, ready)| Some((name, ready.as_ref()?)))
        })
    }
}
