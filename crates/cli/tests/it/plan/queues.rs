//! Sets that name a queue of Kueue.

use api::kueue::keys;
use cli::plan::{Planned, Rules, Surroundings, plan_new};
use serde_json::{Value, json};
use testkit::builders::after;

use super::{clique, rules, set};

fn queued() -> Value {
    let mut set = set(&[clique("worker", 2)], &[]);
    set["metadata"]["labels"] = json!({(keys::QUEUE): "team-a"});
    set
}

fn planned(set: &Value, is_queueing: bool) -> Planned {
    let rules = Rules {
        are_profiles_known: true,
        is_queueing,
        ..rules()
    };
    let around = Surroundings::default();
    plan_new(set, "default", &rules, &around, after(0)).unwrap()
}

fn assumptions(planned: Planned) -> String {
    let Planned::New(outline) = planned else {
        panic!("it is refused");
    };
    assert_eq!(outline.pods(), 2);
    outline.assumptions.join("\n")
}

#[test]
fn the_quota_is_assumed_where_it_is_waited_for() {
    let assumed = "Kueue reserves quota of queue team-a for all pods";
    let waiting = assumptions(planned(&queued(), true));
    assert!(waiting.contains(assumed), "{waiting}");
    let not_waiting = assumptions(planned(&queued(), false));
    assert!(!not_waiting.contains(assumed), "{not_waiting}");
}

#[test]
fn the_rules_of_the_webhook_hold() {
    let mut wrong = queued();
    let labels = json!({(keys::QUEUE): "team-a"});
    wrong["spec"]["template"]["cliques"][0]["labels"] = labels;
    let Planned::Refused(refusal) = planned(&wrong, true) else {
        panic!("it is planned");
    };
    let error = refusal.refused[0].to_string();
    assert!(error.contains("one by one"), "{error}");
}
