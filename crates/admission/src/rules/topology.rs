//! Topology constraints, as far as one set shows them. Only a check in a cluster shows whether the
//! topology and its levels exist.

use api::PodCliqueSet;
use api::topology::TopologyConstraint;
use domain::object::text::cut_text;

use crate::clique_paths::{cliques, group_of, scaling_groups, template};
use crate::field::{FieldError, MAX_SHOWN_CHARS, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let constraints = constraints(pcs);
    let mut errors: Vec<_> = constraints.iter().filter_map(unnamed).collect();
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
    /// The topology of the parent.
    inherited: Option<&'a str>,
}

/// All constraints of the set, outermost first.
pub(crate) fn constraints(pcs: &PodCliqueSet) -> Vec<Placed<'_>> {
    let own = pcs.spec.template.topology_constraint.as_ref();
    let of_set = own.and_then(topology_name);
    let placed = |at: Path, constraint, inherited| {
        Some(Placed {
            at: at.field("topologyConstraint"),
            constraint: Option::as_ref(constraint)?,
            inherited,
        })
    };
    let set = placed(template(), &pcs.spec.template.topology_constraint, None);
    let groups = scaling_groups(pcs)
        .filter_map(|(at, group)| placed(at, &group.topology_constraint, of_set));
    let members = cliques(pcs).filter_map(|(at, clique)| {
        let group = group_of(pcs, &clique.name).and_then(|g| g.topology_constraint.as_ref());
        placed(
            at,
            &clique.topology_constraint,
            group.and_then(topology_name).or(of_set),
        )
    });
    set.into_iter().chain(groups).chain(members).collect()
}

fn topology_name(constraint: &TopologyConstraint) -> Option<&str> {
    Some(constraint.topology_name.as_str()).filter(|name| !name.is_empty())
}

fn unnamed(placed: &Placed<'_>) -> Option<FieldError> {
    let is_named = topology_name(placed.constraint)
        .or(placed.inherited)
        .is_some();
    let problem = "the name of a ClusterTopologyBinding is needed here or further out";
    let remedy = "set it, or set spec.template.topologyConstraint.topologyName for all";
    let at = placed.at.field("topologyName");
    (!is_named).then(|| at.missing(problem, remedy))
}

impl Placed<'_> {
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
