//! Sets that name a queue of Kueue.

use api::kueue::keys;
use cli::plan::{Planned, Rules, Surroundings, plan_new};
use serde_json::{Value, json};
use testkit::builders::after;

use super::{clique, group, outline, rules, set, text, with};

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

/// A leader beside workers, of which two suffice, and two group replicas, one of them in the base gang.
#[test]
fn each_gang_names_the_quota_that_it_asks_for() {
    let worker = with(clique("worker", 4), "/spec/minAvailable", json!(2));
    let cliques = [clique("leader", 1), worker, clique("member", 3)];
    let mut set = set(&cliques, &[group("member", 2, 1)]);
    set["metadata"]["labels"] = json!({(keys::QUEUE): "team-a"});
    let asks = |planned: Planned| {
        let text = text(planned);
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("  quota: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [
        "asks queue team-a for leader 1, worker 4 (at least 2), member 3",
        "asks queue team-a for member 3",
    ];
    assert_eq!(asks(planned(&set, true)), expected);
    assert!(asks(planned(&set, false)).is_empty());
}

/// By default the label has no effect, and nobody would write it.
#[test]
fn without_the_configuration_the_quota_is_assumed_too() {
    let outline = outline(&queued());
    let quota = serde_json::to_value(&outline.gangs[0]).unwrap()["quota"].clone();
    let expected = json!({"queue": "team-a", "podSets": [{"name": "worker", "count": 2}]});
    assert_eq!(quota, expected);
    let assumed = outline.assumptions.join("\n");
    assert!(
        assumed.contains("queueing.kueue.enabled is true"),
        "{assumed}"
    );
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
