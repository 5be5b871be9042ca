//! The scopes of a gang that require a level, and the domains in which pods around them run.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::podgang::GangTopologyConstraint;
use api::{PodGang, labels, names};
use domain::object::ownership;
use domain::placement::{
    GangScope, PartDemand, PinnedScope, ScopeDemand, ScopeOwner, demands_of, scopes_of,
};
use domain::topology::{Levels, ScopeState, Selector, judge_scope};
use domain::{Key, Node, Pod};
use engine::Caches;
use engine::cache::set_of;

use crate::gang_part::GangPart;
use crate::peers;
use crate::scaling_group::find_shared_level;

/// The inputs of the scopes of a gang.
pub(super) struct Scopes<'a> {
    pub(super) gang: &'a PodGang,
    pub(super) parts: &'a [GangPart],
    pub(super) caches: &'a Caches,
    pub(super) levels: &'a Levels,
}

/// A scope whose bound pods are all in one domain.
struct Anchor<'a> {
    pinned: PinnedScope,
    /// The parts that it holds; all if none are named.
    parts: Option<Vec<&'a str>>,
}

impl Anchor<'_> {
    fn holds(&self, scope: &GangScope<'_>) -> bool {
        let Some(parts) = &self.parts else {
            return true;
        };
        scope.parts.iter().all(|part| parts.contains(part))
    }

    fn depth(&self) -> usize {
        self.pinned.domain.len()
    }
}

impl Scopes<'_> {
    /// The scopes that require a level, each with the domains that it depends on.
    pub(super) fn demands(&self) -> Vec<ScopeDemand> {
        let scopes = scopes_of(self.gang);
        let anchors: Vec<Anchor<'_>> = self
            .anchor_of_replica()
            .into_iter()
            .chain(self.anchor_of_scaling_group())
            .chain(scopes.iter().filter_map(|scope| self.anchor_of(scope)))
            .collect();
        let demands = scopes.iter().filter_map(|scope| {
            let position = self.levels.position_of_key(scope.required?)?;
            let around = || anchors.iter().filter(move |anchor| anchor.holds(scope));
            let broader = around().filter(|anchor| anchor.depth() <= position);
            let own = around().filter(|anchor| anchor.depth() > position);
            let within = broader.max_by_key(|anchor| anchor.depth());
            // Of equal ones the outermost: it names the most pods.
            let pinned = own.rev().max_by_key(|anchor| anchor.depth());
            Some(ScopeDemand {
                owner: describe_owner(scope.owner),
                position,
                demands: demands_of(&self.demands_of_parts(scope)),
                within: within.map_or_else(Selector::new, |a| a.pinned.domain.clone()),
                pinned: pinned.map(|anchor| anchor.pinned.clone()),
            })
        });
        demands.collect()
    }

    fn demands_of_parts(&self, scope: &GangScope<'_>) -> Vec<PartDemand<'_>> {
        let parts = self.parts.iter().filter(|part| is_in(part, scope));
        parts
            .filter_map(|part| {
                Some(PartDemand {
                    template: &part.podclique.as_ref()?.spec.pod_spec,
                    pods: u64::try_from(part.min_replicas).unwrap_or(0),
                })
            })
            .collect()
    }

    /// Where the replica of the set runs, if its set requires a level: in pods of other gangs of it,
    /// too.
    fn anchor_of_replica(&self) -> Option<Anchor<'static>> {
        let base = peers::base_of(self.gang, self.caches);
        let root = base.as_deref().unwrap_or(self.gang);
        let key = required_key(root.spec.topology_constraint.as_ref())?;
        let set = set_of(&self.gang.metadata)?;
        let name = ownership::name(&root.metadata);
        let replica = names::replica_of_base_gang(&set.name, name)?;
        let pods = self.pods_of_replica(&set, replica);
        let pods: Vec<&Pod> = pods.iter().map(AsRef::as_ref).collect();
        Some(Anchor {
            pinned: self.pinned(&pods, key, "its replica")?,
            parts: None,
        })
    }

    /// Where other replicas of the scaling group of a scaled gang run, if all of them have to share a
    /// domain.
    fn anchor_of_scaling_group(&self) -> Option<Anchor<'static>> {
        peers::base_of(self.gang, self.caches)?;
        let part = self.parts.first()?;
        let shared = find_shared_level(self.gang, &part.name, self.levels, self.caches)?;
        let name = Some(shared.group.as_str());
        let mut pods = self
            .caches
            .of::<Pod>()
            .part_of(&set_of(&self.gang.metadata)?);
        pods.retain(|pod| ownership::label(&pod.metadata, labels::SCALING_GROUP) == name);
        let pods: Vec<&Pod> = pods.iter().map(AsRef::as_ref).collect();
        let owner = format!("scaling group {}", shared.group);
        Some(Anchor {
            pinned: self.pinned(&pods, &shared.key, &owner)?,
            parts: None,
        })
    }

    fn pods_of_replica(&self, set: &Key, replica: i32) -> Vec<Arc<Pod>> {
        let mut pods = self.caches.of::<Pod>().part_of(set);
        pods.retain(|pod| {
            let index = ownership::label_index(&pod.metadata, labels::PCS_REPLICA_INDEX);
            index == Some(replica)
        });
        pods
    }

    fn anchor_of<'s>(&self, scope: &GangScope<'s>) -> Option<Anchor<'s>> {
        let parts = self.parts.iter().filter(|part| is_in(part, scope));
        let pods: Vec<&Pod> = parts
            .flat_map(|part| &part.pods)
            .map(AsRef::as_ref)
            .collect();
        let owner = describe_owner(scope.owner);
        let owner = owner.as_deref().unwrap_or("the gang");
        Some(Anchor {
            pinned: self.pinned(&pods, scope.required?, owner)?,
            parts: Some(scope.parts.clone()),
        })
    }

    /// The domain of these pods, if those with a node are all in one.
    fn pinned(&self, pods: &[&Pod], key: &str, owner: &str) -> Option<PinnedScope> {
        let position = self.levels.position_of_key(key)?;
        let nodes = self.caches.of::<Node>();
        let known: BTreeMap<&str, Arc<Node>> = pods
            .iter()
            .filter_map(|pod| pod.spec.node_name.as_deref())
            .filter_map(|name| Some((name, nodes.get(&Key::new("", name))?)))
            .collect();
        let find = |name: &str| known.get(name).map(|node| &**node);
        let ScopeState::In(domain) = judge_scope(pods, self.levels, position, find) else {
            return None;
        };
        let is_bound = |pod: &&&Pod| pod.is_scheduled() && !pod.is_terminating();
        Some(PinnedScope {
            owner: owner.to_owned(),
            domain,
            pods: pods.iter().filter(is_bound).count(),
        })
    }
}

fn is_in(part: &GangPart, scope: &GangScope<'_>) -> bool {
    scope.parts.contains(&part.name.as_str())
}

fn required_key(constraint: Option<&GangTopologyConstraint>) -> Option<&str> {
    constraint?.pack_constraint.as_ref()?.required.as_deref()
}

/// What has the constraint; none for the gang as a whole.
fn describe_owner(owner: ScopeOwner<'_>) -> Option<String> {
    match owner {
        ScopeOwner::Gang => None,
        ScopeOwner::ScalingGroup(name) => Some(format!("scaling group {name}")),
        ScopeOwner::Group(name) => Some(format!("group replica {name}")),
        ScopeOwner::Part(name) => Some(format!("PodClique {name}")),
    }
}
