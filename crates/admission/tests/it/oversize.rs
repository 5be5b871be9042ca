//! Limits on the size of a set.

use admission::defaults::{DefaultsConfig, apply};
use admission::oversize::{of_change_in_namespace, of_live, of_namespace, of_sent, of_text};
use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, WorkloadType, names};
use domain::object::ownership;
use domain::object::size::bytes;
use domain::workload::limits::MAX_NAMESPACE_BYTES;
use k8s_openapi::api::core::v1::EnvVar;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{SetBuilder, after, podclique, set, stored};

/// A frontend of 2 pods, and a group of a leader and two workers, 3 replicas of which 2 are
/// required.
fn demo() -> SetBuilder {
    set("demo")
        .clique("frontend", |c| c.replicas(2))
        .clique("leader", |c| c)
        .clique("worker", |c| c.replicas(2))
        .group("g", ["leader", "worker"], |g| g.replicas(3).min(2))
}

fn defaulted(set: SetBuilder) -> PodCliqueSet {
    apply(&set.build(), &DefaultsConfig::default())
}

fn describe_errors(set: SetBuilder) -> String {
    let errors = of_sent(&defaulted(set));
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn job(set: SetBuilder) -> SetBuilder {
    set.with(|s| s.spec.workload_type = Some(WorkloadType::Training))
}

fn with_env(bytes: usize) -> impl FnOnce(&mut PodCliqueSet) {
    move |s| {
        let variable = EnvVar {
            name: "LONG".into(),
            value: Some("x".repeat(bytes)),
            value_from: None,
        };
        s.spec.template.cliques[0].spec.pod_spec.containers[0].env = Some(vec![variable]);
    }
}

fn with_variables(count: usize) -> impl FnOnce(&mut PodCliqueSet) {
    move |s| {
        let variables = vec![EnvVar::default(); count];
        s.spec.template.cliques[0].spec.pod_spec.containers[0].env = Some(variables);
    }
}

#[test]
fn a_set_within_its_limits() {
    assert_eq!(describe_errors(demo().replicas(2_000)), "");
}

fn too_large() -> Vec<(&'static str, SetBuilder)> {
    let many = |n: usize| (0..n).fold(set("many"), |s, i| s.clique(&format!("c{i}"), |c| c));
    vec![
        ("replicas", demo().replicas(10_001)),
        (
            "pods of a clique",
            demo().clique("big", |c| c.replicas(i32::MAX)),
        ),
        ("minAvailable", demo().clique("big", |c| c.min(10_001))),
        (
            "group replicas",
            demo().group("h", ["frontend"], |g| g.replicas(2_000_000_000)),
        ),
        ("cliques", many(501)),
        ("podcliques in all", demo().replicas(10_000)),
        (
            "ten thousand squared",
            demo().replicas(10_000).with(|s| {
                s.spec.template.scaling_groups[0].replicas = Some(10_000);
            }),
        ),
        (
            "pods in all",
            set("pods").replicas(101).clique("c", |c| c.replicas(1_000)),
        ),
        ("entries in all", demo().with(with_variables(20_000))),
        (
            "bytes in all",
            demo().replicas(200).with(with_env(1_000_000)),
        ),
        (
            "what is done of a job",
            job(set("job")
                .replicas(9_000)
                .clique("a", |c| c)
                .clique("b", |c| c)),
        ),
        (
            "pods of a gang",
            set("gang").clique("c", |c| c.replicas(5_001)),
        ),
        (
            "names",
            demo().with(|s| {
                s.spec.template.scaling_groups[0].clique_names = vec!["leader".into(); 501];
            }),
        ),
        (
            "names of all groups",
            (0..3).fold(demo(), |s, i| {
                let s = s.group(&format!("h{i}"), ["leader"], |g| g);
                s.with(|s| {
                    let group = s.spec.template.scaling_groups.last_mut().unwrap();
                    group.clique_names = vec!["leader".into(); 250];
                })
            }),
        ),
    ]
}

#[test]
fn what_makes_a_set_too_large_by_itself() {
    let lines = too_large()
        .into_iter()
        .map(|(case, set)| format!("{case}\n  {}", describe_errors(set)));
    let lines: Vec<String> = lines.collect();
    insta::assert_snapshot!(lines.join("\n"));
}

fn group(i: i32, replicas: i32) -> PodCliqueScalingGroup {
    let mut group = PodCliqueScalingGroup {
        metadata: stored(&names::scaling_group("demo", i, "g")),
        ..PodCliqueScalingGroup::default()
    };
    group.spec.replicas = replicas;
    group.spec.clique_names = vec!["leader".into(), "worker".into()];
    group
}

fn member(group: &PodCliqueScalingGroup, j: i32, clique: &str, pods: i32) -> PodClique {
    let name = names::grouped_clique(ownership::name(&group.metadata), j, clique);
    let owner = ownership::controller_reference(group);
    let podclique = podclique(&name).size(pods, 1);
    let controlled = podclique.with(|c| c.metadata.owner_references = Some(vec![owner]));
    (*controlled.build()).clone()
}

fn alone(name: &str, pods: i32) -> PodClique {
    (*podclique(name).size(pods, 1).build()).clone()
}

fn live(groups: &[PodCliqueScalingGroup], cliques: &[PodClique]) -> String {
    let errors = of_live(
        &defaulted(demo().replicas(2)),
        groups.iter(),
        cliques.iter(),
    );
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn what_was_scaled_beyond_the_limits_is_named() {
    let g = group(0, 3);
    let cases = [
        ("one group", live(&[group(0, i32::MAX)], &[])),
        (
            "groups together",
            live(&[group(0, 9_000), group(1, 9_990)], &[]),
        ),
        ("one clique", live(&[], &[alone("demo-0-frontend", 10_001)])),
        (
            "pods of the base gang",
            live(&[], &[alone("demo-1-frontend", 4_995)]),
        ),
        (
            "pods of a scaled gang",
            live(&[group(0, 3)], &[member(&g, 2, "worker", 5_000)]),
        ),
        (
            "pods of a member of the base gang",
            live(&[group(0, 3)], &[member(&g, 1, "worker", 4_999)]),
        ),
    ];
    let lines = cases.map(|(case, errors)| format!("{case}\n  {errors}"));
    insta::assert_snapshot!(lines.join("\n"));
}

#[rstest]
#[case::of_a_replica_that_is_scaled_in(live(&[group(2, i32::MAX)], &[alone("demo-2-frontend", i32::MAX)]))]
#[case::of_a_group_replica_that_is_scaled_in(live(&[group(0, 1)], &[member(&group(0, 1), 1, "worker", i32::MAX)]))]
#[case::of_a_clique_that_is_no_more(live(&[], &[alone("demo-0-old", i32::MAX)]))]
#[case::of_another_set(live(&[], &[alone("demo2-0-frontend", i32::MAX)]))]
#[case::scaled_down(live(&[group(0, 0), group(1, -5)], &[alone("demo-0-frontend", 0)]))]
fn does_not_count(#[case] errors: String) {
    assert_eq!(errors, "");
}

#[test]
fn as_much_as_is_allowed_is_allowed() {
    assert_eq!(live(&[group(0, 9_990)], &[]), "");
    assert_eq!(live(&[], &[alone("demo-0-frontend", 4_994)]), "");
    assert_eq!(
        describe_errors(set("gang").clique("c", |c| c.replicas(5_000))),
        ""
    );
    assert_eq!(
        describe_errors(demo().replicas(100).with(with_env(1_000_000))),
        ""
    );
    assert_eq!(describe_errors(job(demo().replicas(2_000))), "");
}

#[test]
fn a_text_of_too_many_entries_is_refused_like_the_set() {
    for count in [19_000, 20_000] {
        let set = defaulted(demo().with(with_variables(count)));
        let text = serde_json::to_vec(&set).unwrap();
        let is_refused = !of_sent(&set).is_empty();
        assert_eq!(of_text(&text).is_some(), is_refused, "{count}");
    }
}

/// A text with that many cliques and groups, too large to decode.
fn parts(cliques: usize, groups: usize) -> Vec<u8> {
    let list = |count: usize| vec!["7"; count].join(",");
    let (cliques, groups) = (list(cliques), list(groups));
    format!(
        "{{\"spec\":{{\"template\":{{\"cliques\":[{cliques}],\
         \"podCliqueScalingGroups\":[{groups}]}}}}}}"
    )
    .into_bytes()
}

#[rstest]
#[case(500, 500, "")]
#[case(
    501,
    0,
    "spec.template.cliques: 501: entries are too many, at most 500 are allowed; split the \
     workload into several sets"
)]
#[case(
    30_000,
    0,
    "spec.template.cliques: 30000: entries are too many, at most 500 are allowed; split the \
     workload into several sets"
)]
#[case(
    1,
    501,
    "spec.template.podCliqueScalingGroups: 501: entries are too many, at most 500 are allowed; \
     split the workload into several sets"
)]
fn a_text_of_too_many_parts_is_not_decoded(
    #[case] cliques: usize,
    #[case] groups: usize,
    #[case] told: &str,
) {
    let error = of_text(&parts(cliques, groups));
    assert_eq!(error.map_or(String::new(), |e| e.to_string()), told);
}

#[test]
fn a_list_that_is_called_like_the_cliques_elsewhere_is_none_of_ours() {
    let list = vec!["7"; 501].join(",");
    let text =
        format!("{{\"cliques\":[{list}],\"status\":{{\"template\":{{\"cliques\":[{list}]}}}}}}");
    assert_eq!(of_text(text.as_bytes()), None);
}

/// The longest entry of a replica of `job` with these cliques.
fn longest(replica: i32, cliques: &[&str]) -> ReplicaAttempt {
    ReplicaAttempt {
        replica,
        attempt: i32::MAX,
        time: Time(after(0)),
        reason: ReplicaAttempt::BREACHED.into(),
        message: String::new(),
        cause: None,
        succeeded: cliques
            .iter()
            .map(|c| names::standalone_clique("job", replica, c))
            .collect(),
        recovered: None,
        complete: Some(false),
    }
}

/// etcd accepts 1.5 MiB for one object.
#[test]
fn the_largest_job_can_store_that_all_of_it_is_done() {
    const CLIQUES: [&str; 2] = ["driver", "worker"];
    let sized = |replicas| {
        let set = CLIQUES
            .iter()
            .fold(set("job"), |s, name| s.clique(name, |c| c));
        job(set.replicas(replicas))
    };
    let is_refused = |replicas| !describe_errors(sized(replicas)).is_empty();
    let (mut most, mut refused) = (1, 10_000);
    assert!(is_refused(refused));
    while refused - most > 1 {
        let middle = i32::midpoint(most, refused);
        if is_refused(middle) {
            refused = middle;
        } else {
            most = middle;
        }
    }
    let stored: Vec<ReplicaAttempt> = (10_000 - most..10_000)
        .map(|i| longest(i, &CLIQUES))
        .collect();
    let bytes = serde_json::to_vec(&stored).unwrap().len();
    assert!(bytes < 1024 * 1024, "{bytes} of {most} replicas");
}

#[test]
fn all_sets_of_a_namespace_are_bounded() {
    let small = demo().build();
    let large = demo().with(with_env(2_000)).build();
    let rest = MAX_NAMESPACE_BYTES - bytes(&small.spec);
    assert_eq!(of_namespace(&small, rest), None);
    let error = of_namespace(&small, rest + 1).unwrap().to_string();
    assert!(error.starts_with("spec: "), "{error}");
    for part in [
        "67108864 are allowed",
        "kubectl get podcliquesets -n",
        "ConfigMaps",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // A change is refused if it makes the set longer.
    let full = MAX_NAMESPACE_BYTES;
    assert_eq!(of_change_in_namespace(&small, &small, full), None);
    assert_eq!(of_change_in_namespace(&large, &small, full), None);
    assert!(of_change_in_namespace(&small, &large, full).is_some());
}
