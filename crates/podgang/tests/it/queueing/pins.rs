//! Requests for pods that have to join others in a topology domain.

use domain::scheduling::Profiles;
use domain::topology::Selector;
use podgang::queueing::workload::pod_sets;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::scattered::{self, clique, cluster};

const SCALED: &str = "demo-0-g-1-a";

fn zone(name: &str) -> Selector {
    Selector::from([("zone".to_owned(), name.to_owned())])
}

/// The pods of the base gang, which has to share a zone, run on these nodes; those of a scaled gang have none.
#[rstest]
#[case::one_zone(&["a", "b"], Some(zone("z0")))]
#[case::two_zones(&["a", "c"], None)]
#[case::a_node_that_is_not_known_yet(&["a", "new"], None)]
#[case::nothing_runs(&[], None)]
fn a_scaled_gang_asks_for_nodes_of_the_domain_of_its_base_gang(
    #[case] nodes: &[&str],
    #[case] expected: Option<Selector>,
) {
    let caches = cluster();
    let worker = scattered::part(&caches, &clique("demo-0-w", "demo-0", None), nodes);
    let base = scattered::gang("demo-0", "zone", vec![worker]);
    caches.of::<PodGang>().apply(base);
    let second = clique(SCALED, "demo-0-g-0", Some("demo-0-g"));
    let group = scattered::part(&caches, &second, &[]);
    caches
        .of::<Pod>()
        .apply(Pod::clone(&pod(&second, 0).build()));
    let mut scaled = scattered::gang("demo-0-g-0", "", vec![group]);
    let all = scaled.metadata.labels.get_or_insert_default();
    all.insert(keys::QUEUE.into(), "team-a".into());
    let profiles = Profiles::default().with_queueing(true);
    let snapshot = podgang::observe::observe(&Arc::new(scaled), &caches, &profiles);
    let pins = snapshot.queueing.unwrap().pins;
    assert_eq!(pins.get(SCALED), expected.as_ref());
}

/// Its PodCliques may be in several domains.
#[rstest]
#[case::both_in_one(Some("z0"), Some("z0"), None, json!({"zone": "z0"}))]
#[case::in_two(Some("z0"), Some("z1"), None, Value::Null)]
#[case::one_may_go_anywhere(Some("z0"), None, None, Value::Null)]
#[case::beside_the_users(Some("z0"), Some("z0"), Some("h100"), json!({"gpu": "h100", "zone": "z0"}))]
#[case::only_the_users(None, None, Some("h100"), json!({"gpu": "h100"}))]
fn a_pod_set_names_the_nodes_that_all_of_its_pods_have_to_join(
    #[case] first: Option<&str>,
    #[case] second: Option<&str>,
    #[case] gpu: Option<&str>,
    #[case] expected: Value,
) {
    let mut facts = QueueingFacts::default();
    let (mut parts, mut asked) = (Vec::new(), PodCounts::new());
    for (name, pin) in [("demo-0-g-0-a", first), ("demo-0-g-1-a", second)] {
        asked.insert(name.to_owned(), 1);
        facts.cliques.insert(name.to_owned(), "a".to_owned());
        facts
            .pins
            .extend(pin.map(|pin| (name.to_owned(), zone(pin))));
        let podclique = podclique(name).with(|clique| {
            let selector = gpu.map(|gpu| Selector::from([("gpu".to_owned(), gpu.to_owned())]));
            clique.spec.pod_spec.node_selector = selector;
        });
        parts.push(GangPart {
            name: name.to_owned(),
            podclique: Some(podclique.build()),
            ..GangPart::default()
        });
    }
    let sets = pod_sets(&parts, &facts, &asked, true);
    assert_eq!(sets.len(), 1);
    assert_eq!(sets[0].template["spec"]["nodeSelector"], expected);
}

/// The pods that it has to join may come to run elsewhere.
#[test]
fn a_request_that_waits_follows_the_domain() {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    for name in ["z0", "z1"] {
        facts(&mut snapshot).pins = BTreeMap::from([(WORKER.to_owned(), zone(name))]);
        let changed = store_status(&mut snapshot);
        assert_eq!(words(&changed), ["replace Workload demo-0"], "{name}");
        carry_out(&mut snapshot, &changed);
        assert!(store_status(&mut snapshot).is_empty(), "once");
    }
}
