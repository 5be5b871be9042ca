//! Dynamo writes another revision while a coherent update runs.

use serde_json::{Value, json};
use sim::dynamo::{Moment, Verdict, expect_ready_at_the_end};

use super::{PODS, coherent, expect_one_way_to_ready, is_updated, write, write_version};
use crate::dynamo::watching::Watching;
use crate::dynamo::{expect_all_ready, is_of_version};
use crate::harness::{Namespace, Seen, same};

/// Pods of the first unit: one of the frontend, and a group replica of three.
const PODS_OF_UNIT: usize = 4;

/// With `is_placed` false its pods find no node, so the update is held at its first unit.
fn write_revision(set: &mut Value, version: &str, is_placed: bool) {
    write_version(set, version);
    let selector = if is_placed {
        json!({})
    } else {
        json!({"example.com/nowhere": "true"})
    };
    let cliques = set["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["nodeSelector"] = selector.clone();
    }
}

/// The first unit is of version 2, and the rest of version 1.
fn is_in_the_middle(seen: &Seen) -> Result<(), String> {
    let pods = seen.all("Pod");
    let of = |version: &str| {
        pods.iter()
            .filter(|pod| is_of_version(pod, version))
            .count()
    };
    let expected = (PODS - PODS_OF_UNIT, PODS_OF_UNIT);
    same("pods of 1 and 2", &(of("1"), of("2")), &expected)
}

/// The graph is not ready with the first revision, nor with a part of the second one.
#[test]
fn a_second_revision_in_the_middle_is_ready_once_when_it_is_whole() {
    let ns = Namespace::new("dynamo-second");
    let mut reader = Watching::of(&ns);
    ns.apply(&coherent());
    ns.until("it is ready", expect_all_ready);
    let before = reader.catch_up(&ns);
    expect_one_way_to_ready(&before);
    let first = before.last().unwrap().generation;

    write(&ns, |set| write_revision(set, "2", false));
    ns.until("the first unit is replaced", is_in_the_middle);
    write(&ns, |set| write_revision(set, "3", true));
    ns.until("the second revision is whole", |seen| is_updated(seen, "3"));
    let moments = reader.catch_up(&ns);
    expect_one_way_to_ready(&moments);
    let of_both: Vec<Moment> = moments
        .into_iter()
        .filter(|moment| moment.generation > first)
        .collect();
    expect_ready_at_the_end(&of_both).unwrap();
    let was_updating = of_both.iter().any(|m| m.verdict == Verdict::Updating);
    assert!(was_updating, "{of_both:#?}");
    let mut scaled = of_both.iter().filter(|moment| moment.may_scale);
    let early = scaled.find(|moment| !moment.old_pods.is_empty());
    assert!(early.is_none(), "scaling goes on too early: {early:?}");

    let seen = ns.look().unwrap();
    let set = seen.one("PodCliqueSet", "llm").unwrap();
    assert_eq!(set["spec"]["updateStrategy"]["type"], "Coherent");
    assert_eq!(
        set["metadata"]["generation"],
        of_both.last().unwrap().generation
    );
}
