//! Each case of the table gets the verdict of the webhook.

use std::collections::BTreeSet;

use admission::defaults::{DefaultsConfig, apply, apply_on_update};
use admission::{Rules, validate, validate_update, warnings};
use api::PodCliqueSet;
use serde_json::{Value, json};
use testkit::admission_cases::{Case, all};
use testkit::definition_rules;
use testkit::good_set::edited;

fn decode(object: &Value) -> PodCliqueSet {
    serde_json::from_value(object.clone()).unwrap()
}

fn stored(case: &Case) -> Option<PodCliqueSet> {
    let before = case.before.as_ref()?;
    Some(apply(&decode(before), &DefaultsConfig::default()))
}

/// Paths of errors, and paths of warnings.
fn verdict(case: &Case) -> (Vec<String>, Vec<String>) {
    let (config, rules) = (DefaultsConfig::default(), Rules::default());
    let stored = stored(case);
    let mut sent = decode(&case.object);
    let errors = match &stored {
        None => {
            sent = apply(&sent, &config);
            validate(&sent, &rules)
        }
        Some(stored) => {
            apply_on_update(stored, &mut sent, &config);
            validate_update(stored, &sent, &rules)
        }
    };
    if !errors.is_empty() {
        return (errors.into_iter().map(|e| e.path).collect(), Vec::new());
    }
    let warnings = warnings::of_set(stored.as_ref(), &sent);
    (Vec::new(), warnings.into_iter().map(|w| w.path).collect())
}

#[test]
fn each_case_gets_its_verdict() {
    let wrong = all().into_iter().filter_map(|case| {
        let (errors, warnings) = verdict(&case);
        let is_right = errors == case.refused_at && warnings == case.warned_at;
        (!is_right).then(|| {
            let (refused, warned) = (&case.refused_at, &case.warned_at);
            format!(
                "{}\n  refused at {errors:?}\n  instead of {refused:?}\n  \
                 warned at  {warnings:?}\n  instead of {warned:?}",
                case.name
            )
        })
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_stored_set_is_valid_unless_the_case_marks_it() {
    let is_wrong = |case: &Case| {
        let before = stored(case).map(|set| validate(&set, &Rules::default()));
        !before.unwrap_or_default().is_empty() && !case.before_is_invalid
    };
    let wrong: Vec<_> = all().into_iter().filter(is_wrong).map(|c| c.name).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn there_are_cases_of_each_kind() {
    let all = all();
    let count = |is: &dyn Fn(&Case) -> bool| all.iter().filter(|case| is(case)).count();
    let is_accepted = |case: &Case| case.refused_at.is_empty();
    assert!(all.len() >= 250, "{}", all.len());
    let accepted = count(&is_accepted);
    assert!(accepted >= 120, "{accepted}");
    assert!(all.len() - accepted >= 100, "{accepted}");
    let updates = count(&|case| case.before.is_some());
    assert!(updates >= 90, "{updates}");
    assert!(count(&|case| case.before.is_some() && !is_accepted(case)) >= 40);
}

#[test]
fn cases_and_their_sets_have_names_of_their_own() {
    let all = all();
    let names: BTreeSet<_> = all.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), all.len());
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(names.iter().all(|name| name.chars().all(is_plain)));
    let sets = all
        .iter()
        .filter_map(|case| decode(&case.object).metadata.name);
    let sets: Vec<_> = sets.collect();
    assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), sets.len());
}

/// The rules among these that the definition of a set breaks for a case.
fn broken_rules(case: &Case) -> BTreeSet<String> {
    let broken = definition_rules::broken_rules("PodCliqueSet", case.before.as_ref(), &case.object);
    broken.into_iter().map(|error| error.rule).collect()
}

#[test]
fn the_rules_refuse_all_that_the_definition_refuses() {
    // An API server accepts errors of the stored version; this is not modelled here.
    let cases = all().into_iter().filter(|c| !c.before_is_invalid);
    let accepted = cases.filter(|c| c.refused_at.is_empty());
    let wrong: Vec<_> = accepted
        .map(|case| (case.name, broken_rules(&case)))
        .filter(|(_, broken)| !broken.is_empty())
        .collect();
    assert_eq!(wrong, []);
}

/// Cases that only the definition refuses: without it they are accepted, as Grove accepts them, and
/// acted on.
fn refused_by_the_definition_alone() -> Vec<Value> {
    let own = |constraint: Value| edited(&[("/spec/template/topologyConstraint", constraint)]);
    let keyed = |place: &str| edited(&[(place, json!({"grove.io/x": "y"}))]);
    let job = |place: &str| {
        let type_ = ("/spec/workloadType", json!("Training"));
        edited(&[
            type_,
            (&format!("{place}/terminationDelay"), json!("500ms")),
        ])
    };
    vec![
        job("/spec/template"),
        job("/spec/template/podCliqueScalingGroups/0"),
        own(json!({"topologyName": "c"})),
        own(json!({"topologyName": "c", "pack": {}})),
        own(json!({"topologyName": "c", "packDomain": "rack", "pack": {"required": "rack"}})),
        keyed("/spec/template/cliques/0/labels"),
        keyed("/spec/template/cliques/0/annotations"),
        keyed("/spec/template/podCliqueScalingGroups/0/annotations"),
    ]
}

#[test]
fn each_rule_of_the_definition_refuses_something() {
    let mut broken: BTreeSet<String> = all().iter().flat_map(broken_rules).collect();
    for object in refused_by_the_definition_alone() {
        let more = definition_rules::broken_rules("PodCliqueSet", None, &object);
        assert!(!more.is_empty(), "accepted: {object}");
        broken.extend(more.into_iter().map(|error| error.rule));
    }
    let all = definition_rules::all("PodCliqueSet");
    let never: Vec<_> = all.difference(&broken).collect();
    assert_eq!(never, [""; 0]);
}
