//! What a plan says about the batch that replaces the base gang.

use cli::plan::Change;
use rstest::rstest;
use serde_json::{Value, json};

use super::{cliques, told, with_new_image};
use crate::plan::cluster::Cluster;
use crate::plan::live::change;
use crate::plan::{clique, with};

/// An update of two cliques beside a router with this many pods, which it does not change.
fn update_beside_a_router(pods: u32) -> Change {
    const FIRST: &str = "/spec/template/cliques/0";
    let router = clique("router", pods);
    let mut file = cliques(&[("a", 4, 2), ("b", 6, 3)]);
    let all = file.pointer_mut("/spec/template/cliques").unwrap();
    all.as_array_mut().unwrap().insert(0, router.clone());
    let found = Cluster::of(&file).found();
    change(&with(with_new_image(file), FIRST, router), &found)
}

/// A router without pods is in no gang.
#[rstest]
#[case::of_a_router_with_pods(2, "(base gang without router)")]
#[case::of_no_router(0, "(base gang)")]
fn the_part_of_the_base_gang_that_stays_is_named(#[case] pods: u32, #[case] words: &str) {
    let told = told(update_beside_a_router(pods));
    let last = format!("\n  step 2: a 1-0, b 2-0 {words}\n");
    assert!(told.contains(&last), "{told}");
}

#[test]
fn the_json_has_the_part_of_the_base_gang_that_stays() {
    let planned = serde_json::to_value(update_beside_a_router(2)).unwrap();
    let steps = &planned["update"]["steps"];
    for share in steps[1]["batches"].as_array().unwrap() {
        assert_eq!(share["baseGangWithout"], json!(["router"]), "{share}");
        assert_eq!(share["isBaseGang"], Value::Null, "{share}");
    }
    let of_first = &steps[0]["batches"][0]["baseGangWithout"];
    assert_eq!(*of_first, Value::Null);
}
