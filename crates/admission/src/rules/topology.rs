//! Topology constraints, as far as one set shows them, and the places that have one. Only a cluster
//! shows whether the topology and its levels exist (`cluster`).

mod cluster;
mod hierarchy;

use std::fmt;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::topology::TopologyConstraint;
use domain::object::text::cut_text;
use domain::topology::{Pack, pack_of};

use crate::clique_paths::{cliques, group_of, scaling_groups, template};
use crate::field::{FieldError, MAX_SHOWN_CHARS, Path};

pub(super) use cluster::{check_change, check_new};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let constraints = constraints(pcs);
    let mut errors: Vec<_> = constraints.iter().filter_map(unnamed).collect();
    errors.extend(constraints.iter().filter_map(deprecated));
    let mut named = constraints
        .iter()
        .filter(|c| !c.constraint.topology_name.is_empty());
    if let Some(first) = named.next() {
        errors.extend(named.filter_map(|other| other.differs_from(first)));
    }
    errors
}

/// A constraint in its place.
pub(crate) struct Placed<'a> {
    pub(crate) at: Path,
    pub(crate) constraint: &'a TopologyConstraint,
    scope: Scope<'a>,
    /// The topology of the parent.
    inherited: Option<&'a str>,
}

/// The pods that a constraint applies to.
#[derive(Clone, Copy, Debug)]
enum Scope<'a> {
    Set,
    AllReplicas(&'a str),
    Group(&'a str),
    Clique {
        name: &'a str,
        group: Option<&'a str>,
    },
}

/// All constraints of the set, outermost first.
pub(crate) fn constraints(pcs: &PodCliqueSet) -> Vec<Placed<'_>> {
    let own = pcs.spec.template.topology_constraint.as_ref();
    let of_set = own.and_then(topology_name);
    let set = own.map(|own| place(own_field(&template()), own, Scope::Set, None));
    let groups = scaling_groups(pcs).flat_map(|(at, group)| constraints_of(&at, group, of_set));
    let members = cliques(pcs).filter_map(|(at, clique)| {
        let constraint = clique.topology_constraint.as_ref()?;
        let group = group_of(pcs, &clique.name);
        let of_group = group.and_then(name_of_group);
        let scope = Scope::Clique {
            name: &clique.name,
            group: group.map(|group| group.name.as_str()),
        };
        Some(place(
            own_field(&at),
            constraint,
            scope,
            of_group.or(of_set),
        ))
    });
    set.into_iter().chain(groups).chain(members).collect()
}

/// Those of a scaling group, outermost first.
fn constraints_of<'a>(
    at: &Path,
    group: &'a PodCliqueScalingGroupConfig,
    of_set: Option<&'a str>,
) -> impl Iterator<Item = Placed<'a>> + use<'a> {
    let of_all = group.all_replicas_topology_constraint.as_ref();
    let inherited = of_all.and_then(topology_name).or(of_set);
    let of_all = of_all.map(|constraint| {
        let at = at.field("allReplicasTopologyConstraint");
        place(at, constraint, Scope::AllReplicas(&group.name), of_set)
    });
    let own = group.topology_constraint.as_ref();
    let own = own.map(|own| place(own_field(at), own, Scope::Group(&group.name), inherited));
    of_all.into_iter().chain(own)
}

/// The topology that a group names for its cliques.
fn name_of_group(group: &PodCliqueScalingGroupConfig) -> Option<&str> {
    let own = group.topology_constraint.as_ref();
    let of_all = group.all_replicas_topology_constraint.as_ref();
    own.and_then(topology_name)
        .or_else(|| topology_name(of_all?))
}

fn own_field(parent: &Path) -> Path {
    parent.field("topologyConstraint")
}

fn place<'a>(
    at: Path,
    constraint: &'a TopologyConstraint,
    scope: Scope<'a>,
    inherited: Option<&'a str>,
) -> Placed<'a> {
    Placed {
        at,
        constraint,
        scope,
        inherited,
    }
}

fn topology_name(constraint: &TopologyConstraint) -> Option<&str> {
    Some(constraint.topology_name.as_str()).filter(|name| !name.is_empty())
}

fn unnamed(placed: &Placed<'_>) -> Option<FieldError> {
    let problem = "the name of a ClusterTopologyBinding is needed here or further out";
    let remedy = "set it, or set spec.template.topologyConstraint.topologyName for all";
    let at = placed.at.field("topologyName");
    placed
        .topology()
        .is_none()
        .then(|| at.missing(problem, remedy))
}

/// A field that Grove does not have was never used with `packDomain`.
fn deprecated(placed: &Placed<'_>) -> Option<FieldError> {
    let domain = &placed.constraint.pack_domain;
    let is_used = matches!(placed.scope, Scope::AllReplicas(_)) && !domain.is_empty();
    let problem = "is deprecated and cannot be used here";
    let remedy = "use pack.required";
    is_used.then(|| placed.at.field("packDomain").wrong(domain, problem, remedy))
}

impl<'a> Placed<'a> {
    /// The topology that it names or inherits.
    fn topology(&self) -> Option<&'a str> {
        topology_name(self.constraint).or(self.inherited)
    }

    /// The levels that it names.
    fn pack(&self) -> Pack<'a> {
        pack_of(Some(self.constraint))
    }

    /// Whether it is that of all replicas of this group.
    fn is_of_all_replicas(&self, group: &str) -> bool {
        matches!(self.scope, Scope::AllReplicas(own) if own == group)
    }

    /// Where it names the level that it requires.
    fn at_required(&self) -> Path {
        let pack = self.constraint.pack.as_ref();
        if pack.is_some_and(|pack| !pack.required.is_empty()) {
            return self.at.field("pack.required");
        }
        self.at.field("packDomain")
    }

    /// Where it names the level that it prefers.
    fn at_preferred(&self) -> Path {
        self.at.field("pack.preferred")
    }

    /// All constraints of a set name one topology.
    fn differs_from(&self, first: &Self) -> Option<FieldError> {
        let (own, other) = (
            &self.constraint.topology_name,
            &first.constraint.topology_name,
        );
        if own == other {
            return None;
        }
        // It may be a megabyte, and differ from that of 500 cliques.
        let other = cut_text(other, MAX_SHOWN_CHARS);
        let problem = format!(
            "all constraints name one topology, and {} names {other:?}",
            first.at
        );
        let at = self.at.field("topologyName");
        Some(at.wrong(own, problem, "use the same name, or omit it to inherit"))
    }
}

impl Scope<'_> {
    /// Whether the pods of the other one are some of the pods of this one.
    fn holds(self, other: Scope<'_>) -> bool {
        match (self, other) {
            (Self::Set, Scope::Set) => false,
            (Self::Set, _) => true,
            (Self::AllReplicas(own), Scope::Group(group)) => group == own,
            (Self::AllReplicas(own) | Self::Group(own), Scope::Clique { group, .. }) => {
                group == Some(own)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |name: &str| cut_text(name, MAX_SHOWN_CHARS);
        match self {
            Self::Set => f.write_str("the PodCliqueSet"),
            Self::AllReplicas(name) => write!(f, "all replicas of group {:?}", short(name)),
            Self::Group(name) => write!(f, "scaling group {:?}", short(name)),
            Self::Clique { name, .. } => write!(f, "clique {:?}", short(name)),
        }
    }
}
