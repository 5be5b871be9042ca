//! The topology domains that a new pod prefers.

use api::topology::{TopologyConstraint, TopologyLevel, TopologyPack};
use api::{ClusterTopologyBinding, PodClique, PodCliqueSet, labels};
use domain::plan::Action;
use domain::scheduling::Backend;
use engine::Caches;
use k8s_openapi::api::core::v1::{
    Affinity, NodeAffinity, Pod as FullPod, PodAffinity, WeightedPodAffinityTerm,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use podclique::PodCliqueReconciler;
use podclique::observe::observe;
use podclique::preferred_domains::{PreferredDomain, Scope};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::builders::{podclique, set, stored};

use crate::situation::{plan, situation};

fn constraint(required: &str, preferred: &str) -> TopologyConstraint {
    TopologyConstraint {
        topology_name: "fabric".into(),
        pack: Some(TopologyPack {
            required: required.into(),
            preferred: preferred.into(),
        }),
        ..TopologyConstraint::default()
    }
}

fn add_binding(caches: &Caches, levels: &[(&str, &str)]) {
    let mut binding = ClusterTopologyBinding {
        metadata: ObjectMeta {
            namespace: None,
            ..stored("fabric")
        },
        ..ClusterTopologyBinding::default()
    };
    let level = |(domain, key): &(&str, &str)| TopologyLevel {
        domain: (*domain).to_owned(),
        key: (*key).to_owned(),
    };
    binding.spec.levels = levels.iter().map(level).collect();
    caches.of::<ClusterTopologyBinding>().apply(binding);
}

/// Leaders and workers of group `g`; the set prefers a rack, the group a host, and the workers
/// require a host.
fn demo() -> PodCliqueSet {
    let set = set("demo")
        .clique("worker", |c| {
            c.with(|c| c.topology_constraint = Some(constraint("host", "")))
        })
        .clique("router", |c| {
            c.with(|c| c.topology_constraint = Some(constraint("", "slot")))
        })
        .group("g", ["worker"], |g| g);
    let set = set.with(|s| {
        let template = &mut s.spec.template;
        template.topology_constraint = Some(constraint("zone", "rack"));
        template.scaling_groups[0].topology_constraint = Some(constraint("", "host"));
    });
    set.build()
}

fn seen(clique: &str, caches: &Caches) -> Vec<PreferredDomain> {
    caches.of::<PodCliqueSet>().apply(demo());
    let clique = podclique(clique).build();
    let seen = observe(&clique, caches, &PodCliqueReconciler::default());
    seen.set.unwrap().preferred_domains
}

fn domain(scope: Scope, key: &str) -> PreferredDomain {
    PreferredDomain {
        scope,
        key: key.to_owned(),
    }
}

#[test]
fn levels_are_read_as_keys_from_the_narrowest_scope_out() {
    let caches = Caches::default();
    assert_eq!(seen("demo-0-g-1-worker", &caches), [], "no binding yet");
    add_binding(&caches, &[("zone", "z"), ("rack", "r"), ("host", "h")]);
    let of_group = domain(Scope::GroupReplica, "h");
    let of_set = domain(Scope::Replica, "r");
    let expected = [of_group, of_set.clone()];
    assert_eq!(seen("demo-0-g-1-worker", &caches), expected);
    // The binding has no level `slot`.
    assert_eq!(seen("demo-0-router", &caches), [of_set]);
}

/// With thousands of pods affinity costs the scheduler time.
#[test]
fn the_configuration_may_leave_preferred_levels_out() {
    let caches = Caches::default();
    add_binding(&caches, &[("zone", "z"), ("rack", "r"), ("host", "h")]);
    caches.of::<PodCliqueSet>().apply(demo());
    let clique = podclique("demo-0-g-1-worker").build();
    let rules = PodCliqueReconciler {
        ignores_preferred_domains: true,
        ..PodCliqueReconciler::default()
    };
    let seen = observe(&clique, &caches, &rules);
    assert_eq!(seen.set.unwrap().preferred_domains, []);
}

/// PodClique `demo-1-g-2-worker`, which prefers a domain of each scope.
fn worker(attempt: &str, group_attempt: &str) -> PodClique {
    let clique = podclique("demo-1-g-2-worker").with(|c| {
        let owner = &mut c.metadata.owner_references.as_mut().unwrap()[0];
        owner.kind = "PodCliqueScalingGroup".into();
        owner.name = "demo-1-g".into();
        let all = c.metadata.labels.as_mut().unwrap();
        all.insert(labels::SCALING_GROUP.into(), "demo-1-g".into());
        let noted = c.metadata.annotations.as_mut().unwrap();
        noted.insert(labels::ATTEMPT.into(), attempt.into());
        noted.insert(labels::GROUP_ATTEMPT.into(), group_attempt.into());
    });
    PodClique::clone(&clique.build())
}

/// The affinity of its new pod.
fn affinity(clique: PodClique, backend: Backend) -> Option<Affinity> {
    let mut snapshot = situation(&clique.into(), vec![]);
    snapshot.scheduler.backend = backend;
    let set = snapshot.set.as_mut().unwrap();
    set.preferred_domains = vec![
        domain(Scope::PodClique, "host"),
        domain(Scope::GroupReplica, "rack"),
        domain(Scope::ScalingGroup, "row"),
        domain(Scope::Replica, "zone"),
    ];
    let actions = plan(&snapshot).waves.into_iter().flatten();
    let mut pods = actions.filter_map(|action: Action| action.written::<FullPod>().cloned());
    pods.next().unwrap().spec.unwrap().affinity
}

fn term(weight: i32, key: &str, labels: &Value, expressions: &Value) -> Value {
    json!({
        "weight": weight,
        "podAffinityTerm": {
            "topologyKey": key,
            "labelSelector": {"matchLabels": labels, "matchExpressions": expressions},
        },
    })
}

#[test]
fn pods_of_a_scope_attract_each_other_within_their_attempt() {
    let found = affinity(worker("3", "0"), Backend::Kubernetes);
    let attempt = json!({"key": "grove.io/attempt", "operator": "In", "values": ["3"]});
    let first = json!({"key": "grove.io/group-attempt", "operator": "DoesNotExist"});
    let both = json!([attempt, first]);
    let of_clique = json!({"grove.io/podclique": "demo-1-g-2-worker"});
    let of_group = json!({
        "grove.io/podcliquescalinggroup": "demo-1-g",
        "grove.io/podcliquescalinggroup-replica-index": "2",
    });
    let of_all = json!({"grove.io/podcliquescalinggroup": "demo-1-g"});
    let of_set = json!({
        "app.kubernetes.io/part-of": "demo",
        "grove.io/podcliqueset-replica-index": "1",
    });
    let expected = json!({"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        term(100, "host", &of_clique, &both),
        term(90, "rack", &of_group, &both),
        term(80, "row", &of_all, &json!([attempt])),
        term(70, "zone", &of_set, &json!([attempt])),
    ]}});
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
}

#[rstest]
#[case::default_scheduler(Backend::DefaultScheduler, 4)]
#[case::volcano(Backend::Volcano, 4)]
#[case::kubernetes(Backend::Kubernetes, 4)]
#[case::kubernetes_tree(Backend::KubernetesTree, 4)]
#[case::kai(Backend::KaiScheduler, 0)]
#[case::kai_tree(Backend::KaiTree, 0)]
#[case::kai_pod_grouper(Backend::KaiPodGrouper, 0)]
fn only_schedulers_without_preferred_domains_need_it(
    #[case] backend: Backend,
    #[case] expected: usize,
) {
    let found = affinity(worker("0", "0"), backend);
    let terms = found.and_then(|found| {
        found
            .pod_affinity?
            .preferred_during_scheduling_ignored_during_execution
    });
    assert_eq!(terms.unwrap_or_default().len(), expected);
}

/// A user edited the label away; the pod has no group that others could be found by.
#[test]
fn a_scope_whose_label_is_missing_is_left_out() {
    let mut clique = worker("0", "0");
    let all = clique.metadata.labels.as_mut().unwrap();
    all.remove(labels::SCALING_GROUP);
    let found = affinity(clique, Backend::Kubernetes).unwrap();
    let terms = found
        .pod_affinity
        .unwrap()
        .preferred_during_scheduling_ignored_during_execution
        .unwrap();
    let keys = terms
        .iter()
        .map(|t| (t.weight, &*t.pod_affinity_term.topology_key));
    assert_eq!(keys.collect::<Vec<_>>(), [(100, "host"), (90, "zone")]);
}

#[test]
fn affinities_of_the_template_stay() {
    let mut clique = worker("0", "0");
    let own = WeightedPodAffinityTerm {
        weight: 7,
        ..WeightedPodAffinityTerm::default()
    };
    let mut spec = (*clique.spec.pod_spec).clone();
    spec.affinity = Some(Affinity {
        node_affinity: Some(NodeAffinity::default()),
        pod_affinity: Some(PodAffinity {
            preferred_during_scheduling_ignored_during_execution: Some(vec![own.clone()]),
            ..PodAffinity::default()
        }),
        ..Affinity::default()
    });
    clique.spec.pod_spec = spec.into();
    let found = affinity(clique, Backend::Kubernetes).unwrap();
    assert!(found.node_affinity.is_some());
    let terms = found
        .pod_affinity
        .unwrap()
        .preferred_during_scheduling_ignored_during_execution
        .unwrap();
    assert_eq!((terms.len(), &terms[0]), (5, &own));
}
