//! Errors of a topology, with their words.

use admission::{Rules, validate_binding};
use api::topology::ClusterTopologyBinding;
use domain::scheduling::{Backend, Profiles};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};
use testkit::builders::EPOCH;

use crate::cases::{lines, verdict};

fn binding(levels: &Value, schedulers: &[&str]) -> ClusterTopologyBinding {
    let bindings = schedulers
        .iter()
        .map(|name| json!({"schedulerName": name, "topologyReference": "theirs"}));
    let bindings: Vec<_> = bindings.collect();
    serde_json::from_value(json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": "c"},
        "spec": {"levels": levels, "schedulerTopologyBindings": bindings}
    }))
    .unwrap()
}

fn level(domain: &str, key: &str) -> Value {
    json!({"domain": domain, "key": key})
}

fn two_levels() -> Value {
    json!([
        level("zone", "example.com/zone"),
        level("rack", "example.com/rack")
    ])
}

fn configured() -> Rules {
    let profiles = [
        ("kai-scheduler", Backend::KaiScheduler),
        ("volcano", Backend::Volcano),
    ];
    let profiles = profiles.map(|(name, backend)| (name.to_owned(), backend));
    Rules {
        profiles: Some(Profiles::of(profiles)),
        ..Rules::default()
    }
}

#[test]
fn what_is_wrong_with_a_topology() {
    let twice = json!([level("rack", "a"), level("zone", "b"), level("rack", "b")]);
    let empty = json!([level("", "a")]);
    let cases = [
        ("good", two_levels(), vec!["kai-scheduler"]),
        ("no levels", json!([]), vec![]),
        ("domain and key twice", twice, vec![]),
        ("domain without a name", empty, vec![]),
        ("scheduler twice", two_levels(), vec!["kai-scheduler"; 2]),
        (
            "unknown scheduler",
            two_levels(),
            vec!["kai-scheduler", "lpx-scheduler"],
        ),
        (
            "schedulers that know no topology",
            two_levels(),
            vec!["volcano", "default-scheduler"],
        ),
        ("scheduler without a name", two_levels(), vec![""]),
    ];
    let lines = cases.map(|(case, levels, schedulers)| {
        let errors = validate_binding(None, &binding(&levels, &schedulers), &configured());
        verdict(case, &lines(&errors))
    });
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn any_scheduler_passes_where_the_configuration_is_not_known() {
    let binding = binding(&two_levels(), &["volcano"]);
    assert_eq!(validate_binding(None, &binding, &Rules::default()), []);
}

#[test]
fn errors_of_the_stored_version_do_not_block_a_change() {
    let old = binding(&two_levels(), &["volcano"]);
    let mut new = old.clone();
    new.spec.levels.pop();
    assert_eq!(validate_binding(Some(&old), &new, &configured()), []);
    new.spec.scheduler_topology_bindings[0].scheduler_name = "other".into();
    assert_eq!(validate_binding(Some(&old), &new, &configured()).len(), 1);
}

#[test]
fn a_topology_that_is_being_deleted_may_be_anything() {
    let mut new = binding(&json!([]), &["", ""]);
    new.metadata.deletion_timestamp = Some(Time(*EPOCH));
    assert_eq!(validate_binding(None, &new, &configured()), []);
}
