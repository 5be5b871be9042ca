//! MNNVL groups: the group of a clique, the cliques that are enrolled, the domains of a set, and the claim
//! of a new PodClique.

use api::labels::MNNVL_GROUP;
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodClique, PodCliqueSet};
use domain::workload::clique::{domain_of, join_domain, with_older_template};
use domain::workload::nvlink::{domains, effective_group, enrolled_groups};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{podclique, set};

/// A router without a group, and a worker in group `sgx`; all containers of the worker use a GPU.
fn demo(of_set: Option<&str>, of_group: Option<&str>, of_clique: Option<&str>) -> PodCliqueSet {
    let pair = |group: Option<&str>| group.map(|g| (MNNVL_GROUP.to_owned(), g.to_owned()));
    let mut demo = set("demo")
        .clique("router", |c| c)
        .clique("worker", |c| c.with(|c| use_gpus(c, "8")))
        .group("sgx", ["worker"], |g| g)
        .build();
    demo.metadata.annotations = Some(pair(of_set).into_iter().collect());
    let template = &mut demo.spec.template;
    template.scaling_groups[0]
        .annotations
        .extend(pair(of_group));
    template.cliques[1].annotations.extend(pair(of_clique));
    demo
}

fn use_gpus(clique: &mut PodCliqueTemplateSpec, amount: &str) {
    let resources = json!({"limits": {"nvidia.com/gpu": amount}});
    let spec: &mut PodSpec = &mut clique.spec.pod_spec;
    for container in &mut spec.containers {
        container.resources = serde_json::from_value(resources.clone()).unwrap();
    }
}

/// The narrowest layer that has the annotation counts.
#[rstest]
#[case::nowhere((None, None, None), None)]
#[case::of_the_set((Some("a"), None, None), Some("a"))]
#[case::of_the_group((Some("a"), Some("b"), None), Some("b"))]
#[case::of_the_clique((Some("a"), Some("b"), Some("c")), Some("c"))]
#[case::group_alone((None, Some("b"), None), Some("b"))]
#[case::clique_alone((None, None, Some("c")), Some("c"))]
#[case::left_by_the_set((Some("none"), None, None), None)]
#[case::left_by_the_group((Some("a"), Some("none"), None), None)]
#[case::left_by_the_clique((Some("a"), Some("b"), Some("none")), None)]
#[case::joined_below((Some("none"), Some("none"), Some("c")), Some("c"))]
fn the_group_of_a_clique(
    #[case] layers: (Option<&str>, Option<&str>, Option<&str>),
    #[case] expected: Option<&str>,
) {
    let (of_set, of_group, of_clique) = layers;
    let demo = demo(of_set, of_group, of_clique);
    let worker = &demo.spec.template.cliques[1];
    assert_eq!(effective_group(&demo, worker), expected);
    let groups: Vec<&str> = enrolled_groups(&demo).into_iter().collect();
    assert_eq!(groups, expected.into_iter().collect::<Vec<_>>());
}

/// A claim counts as a GPU if the annotation is the clique's own.
#[rstest]
#[case::none(json!({}), false, false)]
#[case::limits(json!({"limits": {"nvidia.com/gpu": "1"}}), true, true)]
#[case::requests(json!({"requests": {"nvidia.com/gpu": "2"}}), true, true)]
#[case::zero(json!({"limits": {"nvidia.com/gpu": "0"}}), false, false)]
#[case::zero_with_exponent(json!({"limits": {"nvidia.com/gpu": "0e5"}}), false, false)]
#[case::thousands(json!({"limits": {"nvidia.com/gpu": "1k"}}), true, true)]
#[case::another_resource(json!({"limits": {"amd.com/gpu": "1"}}), false, false)]
#[case::claim(json!({"claims": [{"name": "gpu"}]}), false, true)]
#[case::our_own_claim(json!({"claims": [{"name": "mnnvl-claim"}]}), false, false)]
fn cliques_that_use_gpus_are_enrolled(
    #[case] resources: Value,
    #[case] by_set: bool,
    #[case] by_clique: bool,
) {
    for (of_clique, expected) in [(None, by_set), (Some("rack"), by_clique)] {
        let mut demo = demo(Some("rack"), None, of_clique);
        let spec: &mut PodSpec = &mut demo.spec.template.cliques[1].spec.pod_spec;
        spec.containers[0].resources = serde_json::from_value(resources.clone()).unwrap();
        assert_eq!(!enrolled_groups(&demo).is_empty(), expected, "{resources}");
    }
}

/// Each container of the pods uses the claims that they share. A filter may leave the clique out.
#[rstest]
#[case::nobody("", json!({}), false)]
#[case::of_the_clique("/cliques/1", json!({}), true)]
#[case::of_another_clique("/cliques/0", json!({}), false)]
#[case::of_its_group("/podCliqueScalingGroups/0", json!({}), true)]
#[case::of_its_group_for_others(
    "/podCliqueScalingGroups/0", json!({"filter": {"childCliqueNames": ["other"]}}), false
)]
#[case::of_the_set("/", json!({}), true)]
#[case::of_the_set_for_the_group("/", json!({"filter": {"childScalingGroupNames": ["sgx"]}}), true)]
#[case::of_the_set_for_the_router("/", json!({"filter": {"childCliqueNames": ["router"]}}), false)]
fn shared_claims_count_as_gpus_where_the_clique_has_the_annotation(
    #[case] place: &str,
    #[case] filter: Value,
    #[case] expected: bool,
) {
    for (of_clique, expected) in [(None, false), (Some("rack"), expected)] {
        let mut demo = demo(Some("rack"), None, of_clique);
        for container in &mut demo.spec.template.cliques[1].spec.pod_spec.containers {
            container.resources = None;
        }
        share(&mut demo, place, &filter);
        let clique = &demo.spec.template.cliques[1];
        let mut made = worker(&demo);
        join_domain(&mut made, &demo, clique, 1);
        assert_eq!(!enrolled_groups(&demo).is_empty(), expected);
        let using = made.spec.pod_spec.containers.iter();
        let using = using.filter(|container| container.resources.is_some());
        assert_eq!(using.count(), if expected { 2 } else { 0 });
    }
}

/// Adds an entry of `resourceSharing` to the place in the template; to none if it is empty.
fn share(demo: &mut PodCliqueSet, place: &str, filter: &Value) {
    if place.is_empty() {
        return;
    }
    let mut entry = json!({"name": "pool", "scope": "AllReplicas"});
    if let Some(filter) = filter.get("filter") {
        entry["filter"] = filter.clone();
    }
    let mut template = serde_json::to_value(&demo.spec.template).unwrap();
    let at = template.pointer_mut(place.trim_end_matches('/')).unwrap();
    at["resourceSharing"] = json!([entry]);
    demo.spec.template = serde_json::from_value(template).unwrap();
}

#[test]
fn an_init_container_may_be_the_one_that_uses_gpus() {
    let mut demo = demo(Some("rack"), None, None);
    let spec: &mut PodSpec = &mut demo.spec.template.cliques[1].spec.pod_spec;
    let using = spec.containers[0].clone();
    spec.containers[0].resources = None;
    assert!(enrolled_groups(&demo).is_empty());
    let spec: &mut PodSpec = &mut demo.spec.template.cliques[1].spec.pod_spec;
    spec.init_containers = Some(vec![Container {
        name: "prepare".into(),
        ..using
    }]);
    assert_eq!(enrolled_groups(&demo).len(), 1);
}

#[test]
fn each_replica_has_a_domain_for_each_group() {
    let mut demo = demo(Some("rack"), Some("fast"), None);
    use_gpus(&mut demo.spec.template.cliques[0], "1");
    let found: Vec<_> = domains(&demo, 2).into_iter().collect();
    let expected = [
        ("demo-0-fast".to_owned(), (0, "fast")),
        ("demo-0-rack".to_owned(), (0, "rack")),
        ("demo-1-fast".to_owned(), (1, "fast")),
        ("demo-1-rack".to_owned(), (1, "rack")),
    ];
    assert_eq!(found, expected);
    assert!(domains(&demo, 0).is_empty());
}

/// A PodClique of the worker in replica 1, with a container that uses no GPU beside the other.
fn worker(demo: &PodCliqueSet) -> PodClique {
    let mut worker = PodClique::clone(&podclique("demo-1-sgx-0-worker").build());
    let mut spec = demo.spec.template.cliques[1].spec.pod_spec.clone();
    let inner: &mut PodSpec = &mut spec;
    inner.containers.push(Container {
        name: "sidecar".into(),
        ..Container::default()
    });
    worker.spec.pod_spec = spec;
    worker
}

#[test]
fn containers_with_gpus_of_a_new_podclique_use_the_claim() {
    let demo = demo(Some("rack"), None, None);
    let clique = &demo.spec.template.cliques[1];
    let mut made = worker(&demo);
    assert_eq!(domain_of("demo", &made.spec.pod_spec), None);
    join_domain(&mut made, &demo, clique, 1);
    let spec = serde_json::to_value(&*made.spec.pod_spec).unwrap();
    assert_eq!(
        spec["resourceClaims"],
        json!([{"name": "mnnvl-claim", "resourceClaimTemplateName": "demo-1-rack"}])
    );
    let using = &spec["containers"][0]["resources"]["claims"];
    assert_eq!(*using, json!([{"name": "mnnvl-claim"}]));
    assert_eq!(spec["containers"][1].get("resources"), None);
    assert_eq!(domain_of("demo", &made.spec.pod_spec), Some("demo-1-rack"));
    assert_eq!(domain_of("other", &made.spec.pod_spec), None);
    let before = made.clone();
    join_domain(&mut made, &demo, clique, 1);
    assert_eq!(made, before, "it joins once");
}

#[test]
fn a_clique_that_is_not_enrolled_joins_nothing() {
    let demo = demo(Some("rack"), None, Some("none"));
    let mut made = worker(&demo);
    let before = made.clone();
    join_domain(&mut made, &demo, &demo.spec.template.cliques[1], 1);
    assert_eq!(made, before);
}

/// A pod that a partition keeps on an older template is of the same domain.
#[test]
fn pods_of_an_older_template_join_the_same_domain() {
    let demo = demo(Some("rack"), None, None);
    let clique = &demo.spec.template.cliques[1];
    let mut made = worker(&demo);
    join_domain(&mut made, &demo, clique, 1);
    let older = with_older_template(&made, &(clique.clone(), "hash".to_owned()));
    assert_eq!(domain_of("demo", &older.spec.pod_spec), Some("demo-1-rack"));
    let used = older.spec.pod_spec.containers[0].resources.as_ref();
    let claims = used.and_then(|resources| resources.claims.as_ref());
    assert_eq!(claims.map(Vec::len), Some(1));
}
