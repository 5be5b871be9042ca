//! The members of a gang, by name: a part that its list does not name yet reads the list as well.

use api::{PodClique, PodCliqueSet, PodGang, labels, names};
use domain::Key;
use domain::health::readiness;
use domain::object::ownership;
use domain::workload::gang::group_minimum;
use domain::workload::{layout, limits};
use engine::Caches;
use engine::cache::set_of;

/// The PodCliques of the gang that exist. Its groups may be gone already.
pub(super) fn find_by_gang(gang: &PodGang, caches: &Caches) -> Vec<Key> {
    let set = set_of(&gang.metadata);
    let name = ownership::name(&gang.metadata);
    set.map_or_else(Vec::new, |set| find_by_name(&set, name, caches))
}

/// The PodCliques of scaled gangs that build upon this gang and do not run yet: they report whether
/// it is ready.
pub(super) fn find_by_base(gang: &PodGang, caches: &Caches) -> Vec<Key> {
    let Some(set) = set_of(&gang.metadata) else {
        return Vec::new();
    };
    let name = ownership::name(&gang.metadata);
    let runs = |podclique: &PodClique| {
        let own = ownership::label(&podclique.metadata, labels::POD_GANG);
        let own = own.map(|own| Key::new(set.namespace.clone(), own));
        let own = own.and_then(|own| caches.of::<PodGang>().get(&own));
        own.is_some_and(|own| readiness::runs(&own))
    };
    caches
        .of::<PodClique>()
        .part_of(&set)
        .into_iter()
        .filter(|c| ownership::label(&c.metadata, labels::BASE_POD_GANG) == Some(name))
        .filter(|podclique| !runs(podclique))
        .map(|podclique| Key::of(&podclique.metadata))
        .collect()
}

/// The same as [`find_by_gang`] of a gang that may be gone itself.
pub(super) fn find_by_name(key: &Key, name: &str, caches: &Caches) -> Vec<Key> {
    let Some(set) = caches.of::<PodCliqueSet>().get(key) else {
        return Vec::new();
    };
    let members = match names::replica_of_base_gang(&key.name, name) {
        Some(replica) => members_of_base(&set, &key.name, replica),
        None => members_of_scaled(&set, &key.name, name).unwrap_or_default(),
    };
    let podcliques = caches.of::<PodClique>();
    members
        .into_iter()
        .map(|name| Key::new(key.namespace.clone(), name))
        .filter(|key| podcliques.get(key).is_some())
        .collect()
}

fn members_of_base(set: &PodCliqueSet, set_name: &str, replica: i32) -> Vec<String> {
    let template = &set.spec.template;
    let cliques = template.cliques.iter();
    let mut members: Vec<String> = cliques
        .map(|clique| names::standalone_clique(set_name, replica, &clique.name))
        .collect();
    for config in &template.scaling_groups {
        let group = names::scaling_group(set_name, replica, &config.name);
        let minimum = limits::bounded(group_minimum(config));
        let grouped = layout::enumerate_members(&group, &config.clique_names, 0..minimum);
        members.extend(grouped.flat_map(|r| r.cliques).map(|member| member.name));
    }
    members
}

fn members_of_scaled(set: &PodCliqueSet, set_name: &str, gang: &str) -> Option<Vec<String>> {
    let (replica, _) = names::parts_of_scaling_group(set_name, gang)?;
    set.spec.template.scaling_groups.iter().find_map(|config| {
        let group = names::scaling_group(set_name, replica, &config.name);
        let j = names::replica_of_scaled_gang(&group, gang, group_minimum(config))?;
        let cliques = config.clique_names.iter();
        Some(
            cliques
                .map(|c| names::grouped_clique(&group, j, c))
                .collect(),
        )
    })
}
