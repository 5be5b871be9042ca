//! Gangs with objects for a scheduler.

use api::podgang::PodGroup;
use api::{PodGang, labels};
use domain::plan::{Action, WritableKind};
use testkit::builders::stored;

/// A gang of this scheduler with these parts and their minimums.
pub fn gang_of(scheduler: &str, parts: &[(&str, i32)]) -> PodGang {
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    let mut all = labels::default_labels("demo");
    all.insert(labels::SCHEDULER_NAME.into(), scheduler.into());
    gang.metadata.labels = Some(all);
    gang.spec.priority_class_name = "inference".into();
    let part = |(name, min_replicas): &(&str, i32)| PodGroup {
        name: format!("demo-0-{name}"),
        min_replicas: *min_replicas,
        ..PodGroup::default()
    };
    gang.spec.pod_groups = parts.iter().map(part).collect();
    gang
}

/// The object that the only action writes.
pub fn only<K: WritableKind + Clone>(actions: &[Action]) -> K {
    let [action] = actions else {
        panic!("not one write: {actions:?}");
    };
    action.written::<K>().unwrap().clone()
}
