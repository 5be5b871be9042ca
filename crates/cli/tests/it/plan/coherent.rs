//! The steps of a coherent update.

mod base_gang;
mod in_turn;

use cli::plan::{Change, Planned};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::examples::example;
use super::live::change;
use super::{clique, set, text, with};

fn coherent(set: Value) -> Value {
    with(set, "/spec/updateStrategy", json!({"type": "Coherent"}))
}

/// Standalone cliques of these names, pods and minimums.
fn cliques(sizes: &[(&str, u32, u32)]) -> Value {
    let cliques = sizes.iter().map(|(name, pods, minimum)| {
        let mut clique = clique(name, *pods);
        clique["spec"]["minAvailable"] = json!(minimum);
        clique
    });
    coherent(set(&cliques.collect::<Vec<_>>(), &[]))
}

/// Prefill and decode, each a group of one pod a replica.
fn engines() -> Value {
    let group = |name: &str, replicas: u32, max_unavailable: u32| {
        json!({
            "name": name, "cliqueNames": [format!("{name}-node")], "replicas": replicas,
            "minAvailable": 3, "rollingUpdate": {"maxUnavailable": max_unavailable},
        })
    };
    let cliques = [clique("prefill-node", 1), clique("decode-node", 1)];
    let groups = [group("prefill", 10, 3), group("decode", 20, 4)];
    coherent(set(&cliques, &groups))
}

/// The change of the image of all cliques.
fn update(file: &Value) -> Change {
    change(&with_new_image(file.clone()), &Cluster::of(file).found())
}

fn with_new_image(mut file: Value) -> Value {
    let cliques = file.pointer_mut("/spec/template/cliques").unwrap();
    for clique in cliques.as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["containers"][0]["image"] = json!("example/main:2");
    }
    file
}

/// The text from the update on.
fn told(change: Change) -> String {
    let text = text(Planned::Changed(Box::new(change)));
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let (_, told) = text.split_once("\nupdate by ").unwrap();
    format!("update by {told}")
}

#[test]
fn each_step_has_a_line() {
    insta::assert_snapshot!(told(update(&engines())), @r"
    update by Coherent: scope prefill, decode; 3 steps in replica 0
      step 1: prefill 9-7, decode 19-17 | prefill 6, decode 16-13
              prefill >= 7 of 10, decode >= 16 of 20
      step 2: decode 12-9 | prefill 5-3, decode 8-6
              prefill >= 7 of 10, decode >= 16 of 20
      step 3: decode 5-3 | prefill 2-0, decode 2-0 (base gang)
              prefill >= 7 of 10, decode >= 16 of 20
    A batch (|) begins once the one before is available; replicas of the set are
    updated one after the other.
    ");
}

/// Each batch counts as available at once, however long it has to stay Ready.
#[test]
fn a_long_wait_for_new_pods_cuts_no_step_off() {
    let mut patient = engines();
    let groups = patient.pointer_mut("/spec/template/podCliqueScalingGroups");
    for group in groups.unwrap().as_array_mut().unwrap() {
        group["rollingUpdate"]["minReadySeconds"] = json!(300);
    }
    assert_eq!(told(update(&patient)), told(update(&engines())));
}

/// One part is ahead of the other in the first step, and skips none.
#[test]
fn units_that_the_edit_adds_are_new_from_the_start() {
    let before = cliques(&[("a", 10, 3), ("b", 10, 3)]);
    let after = with_new_image(cliques(&[("a", 14, 3), ("b", 10, 3)]));
    let told = told(change(&after, &Cluster::of(&before).found()));
    let begin = "update by Coherent: scope a, b; 3 steps in replica 0\n";
    assert!(told.starts_with(begin), "{told}");
}

/// The table in docs/updates.md, where `web` is `frontend`.
#[test]
fn steps_are_those_of_the_documentation() {
    let file = cliques(&[("web", 10, 2), ("prefill", 10, 3), ("decode", 20, 3)]);
    insta::assert_snapshot!(told(update(&file)), @r"
    update by Coherent: scope web, prefill, decode; 3 steps in replica 0
      step 1: web 9-8, prefill 9-7, decode 19-17 | web 7-6, prefill 6, decode 16-14
              | decode 13
              web >= 8 of 10, prefill >= 7 of 10, decode >= 17 of 20
      step 2: web 5, decode 12-10 | decode 9 | web 4-3, prefill 5-3, decode 8-6
              web >= 8 of 10, prefill >= 7 of 10, decode >= 17 of 20
      step 3: web 2, decode 5-3 | web 1-0, prefill 2-0, decode 2-0 (base gang)
              web >= 8 of 10, prefill >= 7 of 10, decode >= 17 of 20
    A batch (|) begins once the one before is available; replicas of the set are
    updated one after the other.
    ");
}

/// Two of each come first; the router, which has another number of steps, does not change.
#[test]
fn with_surge_as_many_stay_available_as_ran() {
    let file = example("coherent.yaml");
    let cluster = Cluster::of(&file);
    let newer = || json!({"example.com/version": "2"});
    let next = with(file, "/spec/template/cliques/1/annotations", newer());
    let next = with(next, "/spec/template/cliques/2/annotations", newer());
    insta::assert_snapshot!(told(change(&next, &cluster.found())), @r"
    update by Coherent: scope prefill, decode; 2 steps in replica 0
      step 1: prefill 3-2, decode 5-4 | decode 3
              prefill >= 4 of 4, decode >= 6 of 6
      step 2: decode 2 | prefill 1-0, decode 1-0 (base gang without router)
              prefill >= 4 of 4, decode >= 6 of 6
    A batch (|) begins once the one before is available; replicas of the set are
    updated one after the other.
    ");
}

/// Less than twice the minimum of one of them: the old version is not whole while it goes.
#[test]
fn few_pods_go_in_one_step() {
    let file = cliques(&[("a", 2, 2), ("b", 5, 3)]);
    insta::assert_snapshot!(told(update(&file)), @r"
    update by Coherent: scope a, b; 1 step in replica 0
      step 1: a 1-0, b 4-2 | b 1-0
              a >= 0 of 2, b >= 3 of 5
    A batch (|) begins once the one before is available; replicas of the set are
    updated one after the other.
    ");
}

#[test]
fn replicas_with_the_same_steps_share_them() {
    let file = cliques(&[("a", 4, 2), ("b", 6, 3)]);
    let change = update(&with(file, "/spec/replicas", json!(3)));
    insta::assert_snapshot!(told(change), @r"
    update by Coherent: scope a, b; 2 steps in replica 0
      step 1: a 3-2, b 5-3
              a >= 2 of 4, b >= 3 of 6
      step 2: a 1-0, b 2-0 (base gang)
              a >= 2 of 4, b >= 3 of 6
      replicas 1, 2: the same
    A batch (|) begins once the one before is available; replicas of the set are
    updated one after the other.
    ");
}

#[test]
fn steps_are_in_the_json() {
    let change = update(&cliques(&[("a", 4, 2), ("b", 5, 2)]));
    let mut planned = serde_json::to_value(change).unwrap();
    let update = planned["update"].as_object_mut().unwrap();
    update.remove("revision");
    let share = |batch: u32, component: &str, indexes: &[i32]| {
        let (floor, replicas) = if component == "a" { (2, 4) } else { (3, 5) };
        json!({
            "batch": batch, "component": component, "indexes": indexes,
            "floor": floor, "replicas": replicas,
        })
    };
    let of_base_gang = |component: &str| {
        let mut share = share(1, component, &[1, 0]);
        share["isBaseGang"] = json!(true);
        share
    };
    let first = [
        share(1, "a", &[3, 2]),
        share(1, "b", &[4, 3]),
        share(2, "b", &[2]),
    ];
    let last = [of_base_gang("a"), of_base_gang("b")];
    let expected = json!({
        "strategy": "Coherent",
        "scope": ["a", "b"],
        "steps": [{"replica": 0, "batches": first}, {"replica": 0, "batches": last}],
    });
    assert_eq!(planned["update"], expected);
}

#[test]
fn other_changes_have_no_such_steps() {
    let file = cliques(&[("a", 4, 2), ("b", 6, 3)]);
    let found = Cluster::of(&file).found();
    assert_eq!(change(&file, &found).update, None);
    let strategy = json!({"type": "RollingRecreate"});
    let rolling = with(file.clone(), "/spec/updateStrategy", strategy);
    assert_eq!(update(&rolling).update, None);
    let scaled = with(file, "/spec/template/cliques/0/spec/replicas", json!(5));
    assert_eq!(change(&scaled, &found).update, None);
}
