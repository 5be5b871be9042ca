//! A short loss of readiness of all old pods in mid-update, as of a network that fails for a moment: it
//! deletes nothing, of whatever part (docs/semantics.md §14.3).

use std::time::Duration;

use serde_json::Value;
use sim::{Id, Resource, Store, view};

use super::acts::set_ready;
use crate::rollouts::course::{Course, expect_no_deletion, play};
use crate::rollouts::shape::{self, ENGINES, SHAPES, Shape};
use crate::rollouts::{floor, has_version};

/// Shorter than an old pod may be not Ready before it counts as down.
const BLIP: Duration = Duration::from_secs(10);

async fn survives(course: &mut Course, shape: &Shape, is_killed: bool) -> Result<(), String> {
    course.run(&shape.manifest(), shape.pods).await?;
    let began = course.length();
    course.store(|store| shape::edit(store, "2"));
    if is_killed {
        course.begin_kills();
    }
    course
        .until("the update begins", shape::has_new_pod)
        .await?;
    let old = course.store(|store| old_pods(store));
    if old.is_empty() {
        return Err("no old pod is Ready".to_owned());
    }
    course.store(|store| report(store, &old, false));
    let since = course.length();
    course.pass(BLIP).await?;
    course.store(|store| {
        report(store, &old, true);
        expect_no_deletion(store, since)
    })?;
    course.end("2", shape.pods).await?;
    course.store(|store| floor::check(store, shape, began))
}

fn old_pods(store: &Store) -> Vec<Id> {
    let is_old = |pod: &Value| has_version(pod, "1") && view::is_ready(pod);
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_old(pod));
    pods.map(|(id, _)| id.clone()).collect()
}

fn report(store: &mut Store, pods: &[Id], is_ready: bool) {
    let time = store.stamp();
    for id in pods {
        store.edit("kubelet", id, |pod| set_ready(pod, is_ready, &time));
    }
}

#[test]
fn a_blip_of_all_old_pods_deletes_nothing() {
    let mut failed = Vec::new();
    for shape in SHAPES.iter().chain(&ENGINES) {
        for is_killed in [false, true] {
            let played = play(
                shape.places(0) + shape.surge,
                async |course: &mut Course| survives(course, shape, is_killed).await,
            );
            if let Err(wrong) = played {
                let name = format!("{}, killed: {is_killed}", shape.name);
                eprintln!("{wrong}\n{name}\n");
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
