//! A gang whose pods have to share a topology domain, and find none.

use api::conditions::{Reason, set as set_condition};
use api::labels;
use api::podgang::{GangTopologyConstraint, PackConstraint};
use api::topology::{TopologyConstraint, TopologyPack};
use cli::capacity::{ClusterSnapshot, read_dump};
use cli::explain::search;
use cli::workload::Workload;
use domain::health::readiness::ready_condition;
use serde_json::{Value, json};
use testkit::builders::after;

use super::{draw, explain};
use crate::read::{demo_with, judge, now, unschedulable};

const RACK: &str = "example.com/rack";
const TOLD: &str = "no rack can hold 2 pods: the largest, r0, holds 1 when it is empty, 1 too few: use a \
                    broader level, or fewer or smaller pods";
const MESSAGE: &str = "pod group is unschedulable, 0/2 placements are available, first placement status: \
                       minCount (2) cannot be satisfied: 0 scheduled, 1 remaining";

/// Set `demo`, whose two pods have to share a rack. Its PodGang has told why they find none.
fn workload() -> Workload {
    let refused = || unschedulable(MESSAGE);
    let mut workload = demo_with(&[refused(), refused()], &[]);
    workload.set.spec.template.topology_constraint = Some(TopologyConstraint {
        topology_name: "fabric".to_owned(),
        pack: Some(TopologyPack {
            required: "rack".to_owned(),
            ..TopologyPack::default()
        }),
        ..TopologyConstraint::default()
    });
    workload.gangs[0].spec.topology_constraint = Some(GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: Some(RACK.to_owned()),
            preferred: None,
        }),
    });
    tell(&mut workload);
    judge(&mut workload);
    tell(&mut workload);
    workload
}

fn tell(workload: &mut Workload) {
    let status = workload.gangs[0].status.get_or_insert_default();
    let verdict = ready_condition(false, Reason::TopologyNoDomain, TOLD.to_owned());
    set_condition(&mut status.conditions, verdict, Some(1), after(5));
}

/// Two racks with room for one pod each.
fn snapshot() -> ClusterSnapshot {
    let node = |rack: &str| {
        json!({
            "kind": "Node",
            "metadata": {"name": format!("node-{rack}"), "labels": {RACK: rack}},
            "status": {"allocatable": {"pods": "1"}},
        })
    };
    let binding = json!({
        "kind": "ClusterTopologyBinding", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"name": "fabric"}, "spec": {"levels": [{"domain": "rack", "key": RACK}]},
    });
    let items: Vec<Value> = vec![node("r0"), node("r1"), binding];
    read_dump(&json!({"kind": "List", "items": items}).to_string(), "dump").unwrap()
}

#[test]
fn the_words_of_its_podgang_are_the_cause() {
    let answer = explain(&workload(), &[]);
    assert_eq!(answer.reason, "TopologyNoDomain");
    let expected = format!("replica 0: clique worker 0/2 pods scheduled: {TOLD}");
    assert_eq!(answer.cause, expected);
    assert!(answer.remedy.is_some() && answer.domains.is_empty());
}

#[test]
fn its_domains_are_listed_by_room() {
    let workload = workload();
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, None, now()).unwrap();
    assert!(found.lacks_domain());
    let told = found.find_domains(&snapshot()).unwrap();
    let mut answer = found.explain(&[]);
    answer.domains = told.domains;
    answer.domain_notes = told.notes;
    let text = draw(&answer);
    let (_, rest) = text.split_once("\nDomains\n").unwrap();
    let (domains, _) = rest.split_once("\n\n").unwrap();
    let expected = "  rack r0: 1 of 2 pods, short 1 pods\n  rack r1: 1 of 2 pods, short 1 pods\n  without \
                    the constraint it would fit";
    assert_eq!(domains, expected);
    let json = serde_json::to_value(&answer).unwrap();
    let first = json!({
        "level": "rack", "domain": "r0", "fits": 1, "need": 2, "missing": {"pods": "1"},
    });
    assert_eq!(json["domains"][0], first);
}

/// A selector of the template is no pin.
#[test]
fn the_labels_to_which_a_pod_is_pinned_are_evidence() {
    let mut workload = workload();
    let pin = r#"{"example.com/rack":"r0","example.com/zone":"z0"}"#.to_owned();
    let pod = &mut workload.pods[0];
    pod.metadata.annotations = Some([(labels::PINNED.to_owned(), pin)].into());
    let answer = explain(&workload, &[]);
    let text = draw(&answer);
    let line = "  pin        pod/demo-0-worker-bcdf0 only on nodes with\n";
    assert!(text.contains(line), "{text}");
    let json = serde_json::to_value(&answer).unwrap();
    let evidence = json["evidence"].as_array().unwrap();
    let pins: Vec<&Value> = evidence.iter().filter(|e| e["what"] == "pin").collect();
    let expected = json!({
        "what": "pin",
        "object": "pod/demo-0-worker-bcdf0",
        "nodeSelector": {"example.com/rack": "r0", "example.com/zone": "z0"},
    });
    assert_eq!(pins, [&expected]);
}

/// Nodes and pods of the whole cluster are read for no other cause.
#[test]
fn other_causes_need_no_nodes() {
    let refused = unschedulable("0/2 nodes are available: 2 Insufficient cpu.");
    let workload = demo_with(&[refused.clone(), refused], &[]);
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, None, now()).unwrap();
    assert!(!found.lacks_domain());
}
