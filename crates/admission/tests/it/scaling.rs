//! Allowed changes of a set's objects, and the words of the refusals.

use admission::Rules;
use admission::defaults::DefaultsConfig;
use admission::scaling::{
    ScalingVerdict, check_group_scale, check_group_update, check_podclique_scale,
    check_podclique_update, check_set_scale,
};
use api::podclique::AutoScalingConfig;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, WorkloadType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use testkit::builders::{EPOCH, podclique, set, stored};

use crate::cases::{lines, verdict};

fn group(replicas: i32, own: Option<WorkloadType>) -> PodCliqueScalingGroup {
    let mut group = PodCliqueScalingGroup {
        metadata: stored("demo-0-g"),
        ..PodCliqueScalingGroup::default()
    };
    group.spec.replicas = replicas;
    group.spec.min_available = Some(2);
    group.spec.clique_names = vec!["a".into(), "b".into(), "c".into()];
    group.spec.workload_type = own;
    group
}

fn clique(replicas: i32, own: Option<WorkloadType>) -> PodClique {
    let clique = podclique("demo-0-front").size(replicas, 2);
    let clique = clique.with(|c| c.spec.workload_type = own);
    (*clique.build()).clone()
}

fn parent(type_: WorkloadType) -> PodCliqueSet {
    let set = set("demo").clique("front", |c| c.replicas(3).min(2));
    set.with(|s| s.spec.workload_type = Some(type_)).build()
}

fn told(case: &str, found: &ScalingVerdict) -> String {
    let warnings = found.warnings.iter().map(|w| format!("  warning: {w}"));
    let lines = [lines(&found.errors)].into_iter().chain(warnings);
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    verdict(case, &lines.join("\n"))
}

#[test]
fn scaling_of_groups() {
    let (inference, training) = (
        parent(WorkloadType::Inference),
        parent(WorkloadType::Training),
    );
    let job = Some(WorkloadType::Training);
    let scaled = |old: PodCliqueScalingGroup, to, of| check_group_scale(&old, to, of);
    let lines = [
        told("up", &scaled(group(3, None), 9, Some(&inference))),
        told(
            "below the minimum",
            &scaled(group(3, None), 1, Some(&inference)),
        ),
        told("idle", &scaled(group(3, None), 0, Some(&inference))),
        told("negative", &scaled(group(3, None), -1, Some(&inference))),
        told("too far", &scaled(group(3, None), 10_001, Some(&inference))),
        told("too far together", &scaled(group(3, None), 9_999, None)),
        told("of a job", &scaled(group(3, None), 4, Some(&training))),
        told(
            "of a job, as before",
            &scaled(group(3, job), 3, Some(&training)),
        ),
        told("without a set", &scaled(group(3, None), 4, None)),
        told("of a job without its set", &scaled(group(3, job), 4, None)),
        told(
            "of a job, says the group alone",
            &scaled(group(3, job), 4, Some(&inference)),
        ),
        told(
            "too large before, and down",
            &scaled(group(30_000, None), 5, None),
        ),
        told(
            "too large before, and still",
            &scaled(group(30_000, None), 20_000, None),
        ),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn scaling_of_podcliques() {
    let (inference, training) = (
        parent(WorkloadType::Inference),
        parent(WorkloadType::Training),
    );
    let job = Some(WorkloadType::Training);
    let scaled = |old: PodClique, to, of| check_podclique_scale(&old, to, of);
    let lines = [
        told("up", &scaled(clique(3, None), 9, Some(&inference))),
        told(
            "below the minimum",
            &scaled(clique(3, None), 1, Some(&inference)),
        ),
        told("idle", &scaled(clique(3, None), 0, None)),
        told("negative", &scaled(clique(3, None), -1, None)),
        told("too far", &scaled(clique(3, None), 10_001, None)),
        told("of a job", &scaled(clique(3, None), 4, Some(&training))),
        told("of a job without its set", &scaled(clique(3, job), 4, None)),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_autoscaler_is_not_for_jobs() {
    let old = clique(3, None);
    let mut new = old.clone();
    let scaling = AutoScalingConfig {
        min_replicas: Some(2),
        max_replicas: 5,
        metrics: Vec::new(),
    };
    new.spec.auto_scaling_config = Some(scaling);
    let training = parent(WorkloadType::Training);
    let refused = check_podclique_update(&old, &new, Some(&training));
    insta::assert_snapshot!(lines(&refused.errors));
    let kept = check_podclique_update(&new, &new, Some(&training));
    assert_eq!(kept, ScalingVerdict::default());
    let inference = parent(WorkloadType::Inference);
    let allowed = check_podclique_update(&old, &new, Some(&inference));
    assert_eq!(allowed, ScalingVerdict::default());
}

#[test]
fn other_changes_of_a_too_large_object_are_accepted() {
    let (old_group, old_clique) = (group(30_000, None), clique(30_000, None));
    let (mut new_group, mut new_clique) = (old_group.clone(), old_clique.clone());
    new_group.metadata.finalizers = None;
    new_group.spec.clique_names.push("d".into());
    new_clique.metadata.finalizers = None;
    let groups = check_group_update(&old_group, &new_group, None);
    assert_eq!(groups, ScalingVerdict::default());
    let cliques = check_podclique_update(&old_clique, &new_clique, None);
    assert_eq!(cliques, ScalingVerdict::default());
}

#[test]
fn any_change_of_an_object_that_is_being_deleted_is_accepted() {
    let training = parent(WorkloadType::Training);
    let (mut old_group, mut old_clique) = (group(3, None), clique(3, None));
    old_group.metadata.deletion_timestamp = Some(Time(*EPOCH));
    old_clique.metadata.deletion_timestamp = Some(Time(*EPOCH));
    let groups = check_group_scale(&old_group, -7, Some(&training));
    assert_eq!(groups, ScalingVerdict::default());
    let cliques = check_podclique_scale(&old_clique, -7, Some(&training));
    assert_eq!(cliques, ScalingVerdict::default());
}

#[test]
fn scaling_of_sets() {
    let scaled = |set: &PodCliqueSet, to| {
        lines(&check_set_scale(
            set,
            to,
            &DefaultsConfig::default(),
            &Rules::default(),
        ))
    };
    let inference = parent(WorkloadType::Inference);
    let training = parent(WorkloadType::Training);
    let mut deleted = training.clone();
    deleted.metadata.deletion_timestamp = Some(Time(*EPOCH));
    let mut wrong = inference.clone();
    wrong.spec.template.cliques[0].spec.pod_spec.node_name = Some("node-1".into());
    let cases = [
        ("up", scaled(&inference, 9)),
        ("to nothing", scaled(&inference, 0)),
        ("negative", scaled(&inference, -1)),
        ("too far", scaled(&inference, 10_001)),
        ("too many PodCliques", scaled(&set_of_three(), 6_667)),
        ("of a job", scaled(&training, 2)),
        ("of a job, as before", scaled(&training, 1)),
        ("of a job that is being deleted", scaled(&deleted, 2)),
        ("of a set with another error", scaled(&wrong, 2)),
    ];
    let lines = cases.map(|(case, words)| verdict(case, &words));
    insta::assert_snapshot!(lines.join("\n"));
}

fn set_of_three() -> PodCliqueSet {
    let set = set("demo").clique("a", |c| c).clique("b", |c| c);
    set.clique("c", |c| c).build()
}
