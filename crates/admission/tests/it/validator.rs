//! The stored result of a validation equals a new one.

use std::sync::Arc;

use admission::Validator;
use admission::defaults::DefaultsConfig;
use admission::validated_set::{ValidatedSet, validate_set};
use api::{PodCliqueSet, WorkloadType};
use domain::workload::hash::pod_template_hash;
use serde_json::Value;
use testkit::admission_cases;
use testkit::builders::set;

fn same_uid(object: &Value) -> Option<Arc<PodCliqueSet>> {
    let mut set: PodCliqueSet = serde_json::from_value(object.clone()).ok()?;
    set.metadata.uid = Some("u".into());
    Some(Arc::new(set))
}

fn expect_same(found: &ValidatedSet, stored: &PodCliqueSet, what: &str) {
    let anew = validate_set(stored, &DefaultsConfig::default());
    assert_eq!(format!("{found:?}"), format!("{anew:?}"), "{what}");
}

/// One set that becomes each case of the table, one after the other.
#[test]
fn a_changed_set_is_validated_again() {
    let validator = Validator::default();
    for case in admission_cases::all() {
        let versions = [case.before.as_ref(), Some(&case.object)];
        for stored in versions.into_iter().flatten().filter_map(same_uid) {
            expect_same(&validator.validate_set(&stored), &stored, case.name);
            // A newer version with the same spec, and then the same version again.
            let mut newer = (*stored).clone();
            newer.metadata.resource_version = Some("2".into());
            let newer = Arc::new(newer);
            for version in [&newer, &newer, &stored] {
                expect_same(&validator.validate_set(version), version, case.name);
            }
        }
    }
}

/// The label of a PodClique has the hash of the template with its defaults.
#[test]
fn the_hash_of_a_clique_is_that_of_its_template_with_defaults() {
    let validator = Validator::default();
    let job = set("demo").with(|s| s.spec.workload_type = Some(WorkloadType::Training));
    let stored = Arc::new(job.clique("a", |c| c).clique("b", |c| c).build());
    let set = validate_set(&stored, &DefaultsConfig::default()).set;
    let template = &set.spec.template;
    for clique in &template.cliques {
        let hash = pod_template_hash(clique, &template.priority_class_name);
        assert_eq!(validator.template_hash(&stored, &clique.name), Some(hash));
    }
    assert_eq!(validator.template_hash(&stored, "c"), None);
}

/// Otherwise a thousand deleted sets would stay in memory as a thousand specs.
#[test]
fn versions_that_are_replaced_and_sets_that_are_gone_are_not_kept() {
    let validator = Validator::default();
    let stored = |uid: &str| {
        let set = set("demo").with(|s| s.metadata.uid = Some(uid.into()));
        Arc::new(set.clique("a", |c| c).build())
    };
    let (old, newer) = (stored("u"), stored("u"));
    let (of_old, of_newer) = (Arc::downgrade(&old), Arc::downgrade(&newer));
    validator.validate_set(&old);
    validator.validate_set(&newer);
    drop(old);
    assert!(of_old.upgrade().is_none());
    drop(newer);
    validator.validate_set(&stored("other"));
    assert!(of_newer.upgrade().is_none());
}
