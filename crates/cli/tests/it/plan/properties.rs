//! Properties of any set.

use cli::plan::Planned;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::live::change;
use super::{clique, group, planned, set};

/// Some standalone cliques, and a group of one clique.
fn sets() -> impl Strategy<Value = Value> {
    let pods = || (0_u32..4, 0_u32..4);
    let cliques = prop::collection::vec(pods(), 1..4);
    (
        cliques,
        (1_u32..3, 0_u32..4, 1_u32..4),
        0_u32..3,
        any::<bool>(),
    )
        .prop_map(build)
}

type Shape = (Vec<(u32, u32)>, (u32, u32, u32), u32, bool);

fn build((cliques, (pods, replicas, minimum), copies, is_ordered): Shape) -> Value {
    let standalone = cliques.into_iter().enumerate().map(|(i, (pods, minimum))| {
        let mut clique = clique(&format!("c{i}"), pods);
        if minimum > 0 {
            clique["spec"]["minAvailable"] = json!(minimum);
        }
        clique
    });
    let mut all: Vec<Value> = standalone.collect();
    all.push(clique("work", pods));
    let mut set = set(&all, &[group("work", replicas, minimum)]);
    set["spec"]["replicas"] = json!(copies);
    if is_ordered {
        set["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    }
    set
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn planning_twice_is_equal(set in sets()) {
        prop_assert_eq!(planned(&set), planned(&set));
    }

    #[test]
    fn a_cluster_that_is_as_planned_stays_as_it_is(set in sets()) {
        if matches!(planned(&set), Planned::New(_)) {
            let change = change(&set, &Cluster::of(&set).found());
            prop_assert!(!change.is_changed, "{:?}", change.differences);
            prop_assert_eq!(change.steps, []);
        }
    }

    /// Every pod of a plan is in exactly one gang.
    #[test]
    fn each_pod_is_in_one_gang(set in sets()) {
        if let Planned::New(outline) = planned(&set) {
            let gangs = outline.gangs.iter();
            let listed: usize = gangs.flat_map(|gang| &gang.podgroups).map(|part| part.pods).sum();
            prop_assert_eq!(listed, outline.pods());
        }
    }
}
