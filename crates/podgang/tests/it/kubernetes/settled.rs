//! Carries out plans, and describes them.

use std::sync::Arc;

use api::PodGang;
use domain::object::ownership;
use domain::plan::Action;
use jiff::Timestamp;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use podgang::Snapshot;
use podgang::backend::SchedulerObjects;
use podgang::backend::kubernetes::Facts;
use podgang::decide::decide;
use testkit::builders::stored;

use crate::actions::gang_of;

fn gang() -> PodGang {
    gang_of("default-scheduler", &[])
}

pub fn plan(facts: &Facts) -> Vec<Vec<Action>> {
    let snapshot = Snapshot {
        gang: Arc::new(gang()),
        scheduler_objects: SchedulerObjects::Kubernetes(Box::new(facts.clone())),
        ..Snapshot::default()
    };
    decide(&snapshot, Timestamp::UNIX_EPOCH).waves
}

pub fn unsupported(facts: &Facts) -> String {
    let snapshot = Snapshot {
        gang: Arc::new(gang()),
        scheduler_objects: SchedulerObjects::Kubernetes(Box::new(facts.clone())),
        ..Snapshot::default()
    };
    let status = decide(&snapshot, Timestamp::UNIX_EPOCH).status.unwrap();
    let mut conditions = status.conditions.into_iter();
    let found = conditions.find(|c| c.type_ == "SchedulingFeatureUnsupported");
    found.map(|c| c.message).unwrap_or_default()
}

/// Carries out plans until one is empty, and describes the writes.
pub fn settle(facts: &mut Facts) -> Vec<String> {
    let mut done = Vec::new();
    for _ in 0..10 {
        let actions = plan(facts).concat();
        if actions.is_empty() {
            return done;
        }
        done.extend(actions.iter().map(|action| carry_out(facts, action)));
    }
    panic!("it never ends: {done:?}");
}

pub fn carry_out(facts: &mut Facts, action: &Action) -> String {
    let name = action.key().name;
    if let Some(group) = action.written::<PodGroup>() {
        let mut group = group.clone();
        group.metadata.uid = stored(&name).uid;
        let text = describe_group(&group);
        facts.groups.insert(name, Arc::new(group));
        return text;
    }
    if let Some(composite) = action.written::<CompositePodGroup>() {
        let text = describe_composite(composite);
        facts.composites.insert(name, Arc::new(composite.clone()));
        return text;
    }
    if let Some(workload) = action.written::<Workload>() {
        let text = format!("create Workload {name}");
        facts.workloads.insert(name, Arc::new(workload.clone()));
        return text;
    }
    match action {
        Action::Merge { patch, .. } => {
            let minimum = &patch["spec"]["schedulingPolicy"]["gang"]["minCount"];
            let group = Arc::make_mut(facts.groups.get_mut(&name).unwrap());
            let policy = group.spec.scheduling_policy.gang.as_mut().unwrap();
            policy.min_count = i32::try_from(minimum.as_i64().unwrap()).unwrap();
            format!("{name} needs {minimum} pods now")
        }
        Action::Delete { .. } if action.kind().name() == "PodGroup" => {
            facts.groups.remove(&name);
            format!("delete PodGroup {name}")
        }
        Action::Delete { .. } => {
            facts.composites.remove(&name);
            format!("delete CompositePodGroup {name}")
        }
        other => panic!("{other:?}"),
    }
}

pub fn describe_group(group: &PodGroup) -> String {
    let spec = &group.spec;
    let minimum = spec.scheduling_policy.gang.as_ref().unwrap().min_count;
    let parent = spec.parent_composite_pod_group_name.as_ref();
    let parent = parent.map(|p| format!(" in {p}")).unwrap_or_default();
    let name = ownership::name(&group.metadata);
    assert_eq!(spec.priority_class_name.as_deref(), Some("inference"));
    assert_eq!(spec.workload_ref.is_some(), !parent.is_empty());
    let constraints = spec.scheduling_constraints.iter();
    let topology = constraints.flat_map(|c| c.topology.iter().flatten());
    let domain = describe_domain(&topology.map(|t| t.key.as_str()).collect::<Vec<_>>());
    format!("PodGroup {name}: {minimum} pods{parent}{domain}")
}

fn describe_domain(keys: &[&str]) -> String {
    match keys {
        [] => String::new(),
        [key] => format!(", one {key}"),
        more => panic!("the API takes one: {more:?}"),
    }
}

pub fn describe_composite(composite: &CompositePodGroup) -> String {
    let spec = &composite.spec;
    let required = spec
        .scheduling_policy
        .gang
        .as_ref()
        .unwrap()
        .min_group_count;
    let parent = spec.parent_composite_pod_group_name.as_ref();
    let parent = parent.map(|p| format!(" in {p}")).unwrap_or_default();
    let name = ownership::name(&composite.metadata);
    let constraints = spec.scheduling_constraints.iter();
    let topology = constraints.flat_map(|c| c.topology.iter().flatten());
    let domain = describe_domain(&topology.map(|t| t.key.as_str()).collect::<Vec<_>>());
    format!("CompositePodGroup {name}: {required} groups{parent}{domain}")
}
