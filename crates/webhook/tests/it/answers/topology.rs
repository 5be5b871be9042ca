//! Sets in a cluster whose topologies are known, or are not, and their schedulers.

use std::collections::BTreeMap;

use admission::Rules;
use domain::scheduling::{Backend, Profiles};
use domain::topology::Levels;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, edited, good};
use webhook::answers::{Hook, Judge};

use super::{BINDINGS, verdict};
use crate::made_up::{MadeUp, judge};
use crate::questions::{SETS, ask, create, update};

const OWN: &str = "/spec/template/topologyConstraint";
const NAME: &str = "422 spec.template.topologyConstraint.topologyName";
const REQUIRED: &str = "422 spec.template.topologyConstraint.pack.required";

/// A judge for one scheduler of Kubernetes, with these topologies.
fn in_cluster(topologies: Option<BTreeMap<String, Levels>>) -> Judge {
    let stored = MadeUp {
        topologies,
        ..MadeUp::default()
    };
    let profile = ("default-scheduler".to_owned(), Backend::Kubernetes);
    Judge {
        rules: Rules {
            profiles: Some(Profiles::of([profile])),
            ..Rules::default()
        },
        ..judge(stored, None)
    }
}

fn fabric() -> BTreeMap<String, Levels> {
    let level = |domain: &str| json!({"domain": domain, "key": format!("example.com/{domain}")});
    let levels = Value::from(["zone", "rack"].map(level).to_vec());
    let levels = Levels::from_text(&levels.to_string()).unwrap();
    BTreeMap::from([("fabric".to_owned(), levels)])
}

fn packed(pack: &Value) -> Value {
    edited(&[(OWN, json!({"topologyName": "fabric", "pack": pack}))])
}

#[rstest]
#[case::existing(Some(fabric()), json!({"required": "rack"}), "allowed")]
#[case::no_such_level(Some(fabric()), json!({"required": "host"}), REQUIRED)]
#[case::no_topology(Some(BTreeMap::new()), json!({"required": "rack"}), NAME)]
#[case::not_known(None, json!({"required": "host"}), "allowed")]
#[case::redundant(Some(fabric()), json!({"required": "rack", "preferred": "zone"}), "warned")]
fn a_new_set_is_judged_by_the_topologies_of_the_cluster(
    #[case] topologies: Option<BTreeMap<String, Levels>>,
    #[case] pack: Value,
    #[case] expected: &str,
) {
    let question = create(SETS, &packed(&pack));
    let answer = ask(&in_cluster(topologies), Hook::ValidateSet, &question);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}

/// Its topology may be deleted while it runs.
#[test]
fn a_stored_set_is_not_judged_again() {
    let stored = packed(&json!({"required": "rack"}));
    let mut scaled = stored.clone();
    scaled["spec"]["replicas"] = json!(2);
    let question = update(SETS, &stored, &scaled);
    let judge = in_cluster(Some(BTreeMap::new()));
    let answer = ask(&judge, Hook::ValidateSet, &question);
    assert_eq!(verdict(&answer), "allowed", "{answer:?}");
}

#[test]
fn constraints_that_the_configuration_disables_are_refused() {
    let mut judge = in_cluster(Some(fabric()));
    judge.rules.allows_topology = false;
    let asked = |set: &Value| verdict(&ask(&judge, Hook::ValidateSet, &create(SETS, set)));
    let constraint = "422 spec.template.topologyConstraint";
    assert_eq!(asked(&packed(&json!({"required": "rack"}))), constraint);
    assert_eq!(asked(&good()), "allowed");
}

#[test]
fn a_scheduler_without_a_profile_is_a_warning() {
    let mut set = good();
    for clique in set.pointer_mut(CLIQUES).unwrap().as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!("mine");
    }
    let answer = ask(&in_cluster(None), Hook::ValidateSet, &create(SETS, &set));
    assert_eq!(verdict(&answer), "warned", "{answer:?}");
}

#[rstest]
#[case::of_a_profile("default-scheduler", "allowed")]
#[case::without_a_profile("kai-scheduler", "422 spec.schedulerTopologyBindings[0].schedulerName")]
fn a_topology_names_schedulers_of_the_configuration(
    #[case] scheduler: &str,
    #[case] expected: &str,
) {
    let binding = json!({"metadata": {"name": "t"}, "spec": {
        "levels": [{"domain": "zone", "key": "example.com/zone"}],
        "schedulerTopologyBindings": [{"schedulerName": scheduler, "topologyReference": "t"}],
    }});
    let question = create(BINDINGS, &binding);
    let answer = ask(&in_cluster(None), Hook::ValidateTopology, &question);
    assert_eq!(verdict(&answer), expected, "{answer:?}");
}
