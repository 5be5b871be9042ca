//! A Topology of KAI Scheduler triggers the ClusterTopologyBindings that are about it.

use api::ClusterTopologyBinding;
use api::kai::KaiTopology;
use api::topology::SchedulerTopologyBinding;

use super::*;

const TOPOLOGIES: ControllerName = ControllerName("clustertopology");

fn of_cluster(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        uid: Some(format!("uid-{name}")),
        ..ObjectMeta::default()
    }
}

/// A binding with an entry for each of these Topologies.
fn binding(name: &str, entries: &[&str]) -> ClusterTopologyBinding {
    let entry = |topology: &&str| SchedulerTopologyBinding {
        scheduler_name: "kai-scheduler".into(),
        topology_reference: (*topology).into(),
    };
    let mut binding = ClusterTopologyBinding {
        metadata: of_cluster(name),
        ..ClusterTopologyBinding::default()
    };
    binding.spec.scheduler_topology_bindings = entries.iter().map(entry).collect();
    binding
}

fn topology(name: &str) -> Arc<KaiTopology> {
    Arc::new(KaiTopology {
        metadata: of_cluster(name),
        ..KaiTopology::default()
    })
}

/// Names of the triggered bindings.
fn triggered<K: Watched>(change: &Change<K>, caches: &Caches) -> String {
    let routes = triggered_by(change, caches).into_iter();
    let of_topologies = routes.filter(|(controller, _)| *controller == TOPOLOGIES);
    let names = of_topologies.map(|(_, key)| {
        assert_eq!(key.namespace, "");
        key.name
    });
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect::<Vec<String>>().join(" ")
}

/// Also one that somebody else created, and that is in the way.
#[test]
fn triggers_the_binding_of_its_name_and_those_with_an_entry_for_it() {
    let caches = Caches::default();
    for bound in [
        binding("fabric", &[]),
        binding("named", &["other", "fabric"]),
        binding("stranger", &["other"]),
    ] {
        caches.of::<ClusterTopologyBinding>().apply(bound);
    }
    for (old, new) in [
        (None, Some(topology("fabric"))),
        (Some(topology("fabric")), None),
        (Some(topology("fabric")), Some(topology("fabric"))),
    ] {
        let found = triggered(&Change { old, new }, &caches);
        assert_eq!(found, "fabric named");
    }
    let unknown = Change {
        old: None,
        new: Some(topology("unknown")),
    };
    assert_eq!(triggered(&unknown, &caches), "");
}

#[test]
fn a_binding_triggers_itself() {
    let change = Change {
        old: None,
        new: Some(Arc::new(binding("fabric", &[]))),
    };
    assert_eq!(triggered(&change, &Caches::default()), "fabric");
}
