//! A file, or a cluster, with texts that would act on a terminal.

use cli::plan::{Plan, StoredWorkload, Surroundings, draw_plan, plan_change};
use serde_json::{Value, json};
use testkit::builders::after;

use super::cluster::Cluster;
use super::{clique, group, rules, set};
use crate::legible::{assert_legible, hostile_variants};

fn file() -> Value {
    let mut file = set(&[clique("a", 2), clique("b", 2)], &[group("b", 2, 1)]);
    let container = &mut file["spec"]["template"]["cliques"][0]["spec"]["podSpec"]["containers"][0];
    container["args"] = json!(["serve", "--model=x"]);
    container["env"] = json!([{"name": "A", "value": "b"}]);
    let topology = json!({"topologyName": "fabric", "pack": {"required": "zone"}});
    file["spec"]["template"]["topologyConstraint"] = topology;
    file["metadata"]["labels"] = json!({"team": "ml"});
    file
}

fn draw(file: &Value, found: Option<&StoredWorkload>, about: &str) -> usize {
    let around = Surroundings::default();
    let Ok(planned) = plan_change(file, "default", found, &rules(), &around, after(0)) else {
        return 0;
    };
    let sets = vec![planned];
    let plan = Plan { sets };
    assert_legible(&draw_plan(&plan, true), about);
    assert_legible(&draw_plan(&plan, false), about);
    1
}

#[test]
fn no_text_of_a_file_acts_on_a_terminal() {
    let file = file();
    let found = Cluster::of(&file).found();
    let mut drawn = 0;
    for (place, changed) in hostile_variants(&file) {
        drawn += draw(&changed, None, &place);
        drawn += draw(&changed, Some(&found), &place);
    }
    assert!(drawn > 20, "{drawn}");
}

#[test]
fn no_text_of_a_set_in_the_cluster_acts_on_a_terminal() {
    let file = file();
    for (place, changed) in hostile_variants(&file) {
        if place.starts_with("/spec") || place.starts_with("/metadata/labels") {
            let cluster = Cluster::of(&file).edit("PodCliqueSet", "svc", |set| {
                let value = changed.pointer(&place).unwrap().clone();
                *set.pointer_mut(&place).unwrap() = value;
            });
            draw(&file, Some(&cluster.found()), &place);
        }
    }
}
