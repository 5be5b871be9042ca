//! A node that goes away in mid-update with all its pods, and comes back as another one after a while:
//! what it had counts as lost meanwhile, and the update ends.

use std::time::Duration;

use serde_json::{Value, json};
use sim::{Call, Id, Resource, Store, view};

use crate::rollouts::course::{Course, play};
use crate::rollouts::floor;
use crate::rollouts::shape::{self, SHAPES, Shape};

/// Time until a new node joins.
const REPLACED: Duration = Duration::from_secs(30);

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
    let lost = course.store(lose_node);
    course.offer(|world| world.places -= lost);
    course.pass(REPLACED).await?;
    if course.store(|store| shape::has_ended(store)).is_ok() {
        return Err("the update has ended without the lost pods".to_owned());
    }
    course.offer(|world| world.places += lost);
    course.end("2", shape.pods).await?;
    course.store(|store| floor::check(store, shape, began))
}

/// Every other pod that has a node was on the one that goes. Nobody ends these pods: the controller that
/// collects pods without a node removes them. Returns how many there were.
fn lose_node(store: &mut Store) -> usize {
    let has_node = |pod: &Value| !view::text(pod, "/spec/nodeName").is_empty();
    let bound = store.all(Resource::Pod).filter(|(_, pod)| has_node(pod));
    let lost: Vec<Id> = bound.step_by(2).map(|(id, _)| id.clone()).collect();
    for id in &lost {
        let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
        let at_once = json!({"gracePeriodSeconds": 0});
        store.handle(
            "pod garbage collector",
            &Call::new("DELETE", &path, at_once),
        );
    }
    lost.len()
}

#[test]
fn an_update_ends_though_a_node_is_lost_and_replaced() {
    let mut failed = Vec::new();
    for shape in &SHAPES {
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
