//! The topology constraints of a gang as its PodGang has them, in keys of node labels
//! (docs/topology.md).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::podgang::{GangTopologyConstraint, PackConstraint, PodGangSpec, PodGroup};
use api::{PodClique, PodGang, labels};
use domain::Key;
use domain::object::ownership;
use domain::topology::Levels;
use engine::Caches;

use super::lost_levels::LostLevels;

/// The constraints of a gang, or of all gangs of a replica that are one tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Name of the scheduler's own topology object.
    pub name: String,
    /// The levels from which the keys come, broadest first.
    pub levels: Levels,
    /// That of all pods.
    pub gang: PackConstraint,
    /// Those of all replicas of a scaling group, by the name of the PodCliqueScalingGroup.
    pub scaling_groups: BTreeMap<String, PackConstraint>,
    /// Those of group replicas, by `<group>-<replica>`.
    pub group_replicas: BTreeMap<String, PackConstraint>,
    /// Those of PodCliques, by name.
    pub podcliques: BTreeMap<String, PackConstraint>,
    /// The PodCliques of the group replicas that have one, each with its group replica.
    members: BTreeMap<String, String>,
    /// Those of the scaling groups that have one, each with its scaling group.
    members_of_all: BTreeMap<String, String>,
}

impl Topology {
    /// Those of a PodGang. Without annotation `grove.io/topology-name` they are another writer's,
    /// and nobody knows which topology they mean: they are left out.
    pub fn of(gang: &PodGang) -> Self {
        let noted = |key| ownership::annotation(&gang.metadata, key);
        let Some(name) = noted(labels::TOPOLOGY_NAME) else {
            return Self::default();
        };
        let levels = noted(labels::TOPOLOGY_LEVELS).and_then(Levels::from_text);
        let mut topology = Self {
            name: name.to_owned(),
            levels: levels.unwrap_or_default(),
            gang: pack_of(gang.spec.topology_constraint.as_ref()),
            ..Self::default()
        };
        for part in &gang.spec.pod_groups {
            topology.add_podclique(part);
        }
        for config in &gang.spec.scaling_group_topology_constraints {
            let pack = pack_of(config.topology_constraint.as_ref());
            topology.add_scaling_group(&config.name, pack, &config.pod_group_names);
        }
        for config in &gang.spec.topology_constraint_group_configs {
            let pack = pack_of(config.topology_constraint.as_ref());
            topology.add_group_replica(&config.name, pack, &config.pod_group_names);
        }
        topology
    }

    /// Those of all gangs of the replica that has this base gang. `grouped` are the PodCliques of
    /// its scaling groups, each with its group replica.
    pub(super) fn of_replica<'a>(
        base: &PodGang,
        grouped: impl Iterator<Item = (String, &'a PodClique)>,
        caches: &Caches,
    ) -> Self {
        let mut topology = Self::of(base);
        // One PodClique of each group replica shows its gang.
        let scaled: BTreeMap<String, &PodClique> = grouped
            .filter(|(_, podclique)| {
                ownership::label(&podclique.metadata, labels::BASE_POD_GANG).is_some()
            })
            .collect();
        for (group_replica, podclique) in scaled {
            if let Some(gang) = gang_of(podclique, caches) {
                topology.add_scaled(&group_replica, &gang);
            }
        }
        topology
    }

    /// A scaled gang has the constraint of its group, or else that of the set, which the root of
    /// the tree has already.
    fn add_scaled(&mut self, group_replica: &str, gang: &PodGang) {
        let scaled = Self::of(gang);
        if self.name.is_empty() {
            self.name = scaled.name;
            self.levels = scaled.levels;
        }
        self.podcliques.extend(scaled.podcliques);
        if scaled.gang != self.gang {
            let parts = gang.spec.pod_groups.iter();
            let names: Vec<String> = parts.map(|part| part.name.clone()).collect();
            self.add_group_replica(group_replica, scaled.gang, &names);
        }
    }

    fn add_podclique(&mut self, part: &PodGroup) {
        let pack = pack_of(part.topology_constraint.as_ref());
        if is_constraint(&pack) {
            self.podcliques.insert(part.name.clone(), pack);
        }
    }

    fn add_group_replica(&mut self, name: &str, pack: PackConstraint, podcliques: &[String]) {
        if !is_constraint(&pack) {
            return;
        }
        self.group_replicas.insert(name.to_owned(), pack);
        let podcliques = podcliques.iter();
        self.members
            .extend(podcliques.map(|podclique| (podclique.clone(), name.to_owned())));
    }

    fn add_scaling_group(&mut self, name: &str, pack: PackConstraint, podcliques: &[String]) {
        if !is_constraint(&pack) {
            return;
        }
        self.scaling_groups.insert(name.to_owned(), pack);
        let podcliques = podcliques.iter();
        self.members_of_all
            .extend(podcliques.map(|podclique| (podclique.clone(), name.to_owned())));
    }

    /// Those that the scheduler can honour without the lost levels.
    #[must_use]
    pub(super) fn without(mut self, lost: &LostLevels) -> Self {
        lost.leave_out(&mut self.gang, |_| true);
        for (name, pack) in &mut self.scaling_groups {
            let members = &self.members_of_all;
            lost.leave_out(pack, |podclique| members.get(podclique) == Some(name));
        }
        for (name, pack) in &mut self.group_replicas {
            let members = &self.members;
            lost.leave_out(pack, |podclique| members.get(podclique) == Some(name));
        }
        for (name, pack) in &mut self.podcliques {
            lost.leave_out(pack, |podclique| podclique == name.as_str());
        }
        self.scaling_groups.retain(|_, pack| is_constraint(pack));
        self.group_replicas.retain(|_, pack| is_constraint(pack));
        self.podcliques.retain(|_, pack| is_constraint(pack));
        let kept = &self.group_replicas;
        self.members
            .retain(|_, group_replica| kept.contains_key(group_replica.as_str()));
        self
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        !self.packs().any(is_constraint)
    }

    /// Whether any pods have to share a domain.
    pub(super) fn requires_domain(&self) -> bool {
        self.packs().any(|pack| pack.required.is_some())
    }

    /// The keys of all constraints.
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.packs()
            .flat_map(|pack| pack.required.iter().chain(&pack.preferred))
    }

    fn packs(&self) -> impl Iterator<Item = &PackConstraint> {
        std::iter::once(&self.gang)
            .chain(self.scaling_groups.values())
            .chain(self.group_replicas.values())
            .chain(self.podcliques.values())
    }

    /// The group replica of a PodClique, if that has a constraint.
    pub(super) fn group_replica_of(&self, podclique: &str) -> Option<&str> {
        self.members.get(podclique).map(String::as_str)
    }

    /// Key of the node label whose value all pods have to share.
    pub(super) fn required_of_gang(&self) -> Option<&str> {
        self.gang.required.as_deref()
    }

    /// That of all replicas of a scaling group.
    pub(super) fn required_of_scaling_group(&self, name: &str) -> Option<&str> {
        self.scaling_groups.get(name)?.required.as_deref()
    }

    /// That of a group replica.
    pub(super) fn required_of_group_replica(&self, name: &str) -> Option<&str> {
        self.group_replicas.get(name)?.required.as_deref()
    }

    /// That of a PodClique.
    pub(super) fn required_of_podclique(&self, name: &str) -> Option<&str> {
        self.podcliques.get(name)?.required.as_deref()
    }

    /// The narrowest of those of the gang and, if it is named, of a PodClique and its group replica.
    /// Where the levels do not show the order, the innermost counts.
    pub(super) fn narrowest_for(&self, podclique: Option<&str>) -> Option<&str> {
        let group_replica = podclique.and_then(|name| self.group_replica_of(name));
        let keys = [
            self.required_of_gang(),
            group_replica.and_then(|name| self.required_of_group_replica(name)),
            podclique.and_then(|name| self.required_of_podclique(name)),
        ];
        let levels = self.levels.as_slice();
        let position = |key: &str| levels.iter().position(|level| level.key == key);
        keys.into_iter().flatten().max_by_key(|key| position(key))
    }
}

/// Whether two versions of a PodGang have different constraints, of whatever writer.
pub(crate) fn differs(before: &PodGangSpec, after: &PodGangSpec) -> bool {
    before.topology_constraint != after.topology_constraint
        || before.topology_constraint_group_configs != after.topology_constraint_group_configs
        || before.scaling_group_topology_constraints != after.scaling_group_topology_constraints
        || of_parts(before) != of_parts(after)
}

fn of_parts(spec: &PodGangSpec) -> Vec<(&str, &GangTopologyConstraint)> {
    let parts = spec.pod_groups.iter();
    parts
        .filter_map(|part| Some((part.name.as_str(), part.topology_constraint.as_ref()?)))
        .collect()
}

fn pack_of(constraint: Option<&GangTopologyConstraint>) -> PackConstraint {
    let pack = constraint.and_then(|constraint| constraint.pack_constraint.clone());
    pack.unwrap_or_default()
}

fn is_constraint(pack: &PackConstraint) -> bool {
    *pack != PackConstraint::default()
}

fn gang_of(podclique: &PodClique, caches: &Caches) -> Option<Arc<PodGang>> {
    let meta = &podclique.metadata;
    let name = ownership::label(meta, labels::POD_GANG)?;
    let namespace = meta.namespace.clone().unwrap_or_default();
    caches.of::<PodGang>().get(&Key::new(namespace, name))
}
