//! The inputs of a decision are read from the caches.

use clustertopology::observe::observe;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;

use super::*;

#[test]
fn reads_the_topology_of_its_name_and_those_of_its_entries() {
    let caches = Caches::default();
    for name in ["fabric", "dc", "other"] {
        caches.of::<KaiTopology>().apply(topology(name, &["zone"]));
    }
    let bound = Arc::new(with_entries(
        binding(&["zone"]),
        &[(KAI, "dc"), ("z", "none")],
    ));
    let profiles = [
        ("kai-tree", Backend::KaiTree),
        ("default-scheduler", Backend::Kubernetes),
        ("kai-grouped", Backend::KaiPodGrouper),
        ("kai-scheduler", Backend::KaiScheduler),
        ("volcano", Backend::Volcano),
    ];
    let profiles = Profiles::of(profiles.map(|(name, backend)| (name.to_owned(), backend)));
    let snapshot = observe(&bound, &caches, &profiles);
    assert!(snapshot.is_served);
    assert_eq!(
        snapshot.schedulers,
        ["kai-grouped", "kai-scheduler", "kai-tree"]
    );
    let names: Vec<&String> = snapshot.topologies.keys().collect();
    assert_eq!(names, ["dc", "fabric"]);
}
