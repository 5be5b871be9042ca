//! Every rule with its words: the snapshots are there to be read.

use std::collections::BTreeSet;

use api::{PodCliqueSet, names as generated};
use domain::admission::{FieldError, Rules, validate, validate_update};
use domain::defaults::{DefaultsConfig, apply};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

/// A good set: a standalone clique and a group of two.
fn good() -> Value {
    let clique = |name: &str, replicas: i32| {
        json!({"name": name, "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [{"name": "main", "image": "llm:1"}]}
        }})
    };
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "serve"},
        "spec": {
            "replicas": 1,
            "template": {
                "cliques": [clique("frontend", 2), clique("leader", 1), clique("worker", 3)],
                "podCliqueScalingGroups": [
                    {"name": "prefill", "cliqueNames": ["leader", "worker"], "replicas": 2}
                ]
            }
        }
    })
}

const CLIQUES: &str = "/spec/template/cliques";
const FRONTEND: &str = "/spec/template/cliques/0";
const GROUPS: &str = "/spec/template/podCliqueScalingGroups";
const GROUP: &str = "/spec/template/podCliqueScalingGroups/0";
const LONG: &str = "a-name-that-takes-up-more-room-than-there-is";

type Edit<'a> = (&'a str, Value);

/// The good set with other values in places given as JSON pointers; a place that ends in `-` is
/// the end of a list.
fn set(edits: &[Edit<'_>]) -> PodCliqueSet {
    let mut pcs = good();
    for (pointer, value) in edits {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        match pcs.pointer_mut(parent).unwrap() {
            Value::Object(object) => drop(object.insert(field.into(), value.clone())),
            Value::Array(items) if field == "-" => items.push(value.clone()),
            Value::Array(items) => items[field.parse::<usize>().unwrap()] = value.clone(),
            other => panic!("{parent} is {other}"),
        }
    }
    apply(
        &serde_json::from_value(pcs).unwrap(),
        &DefaultsConfig::default(),
    )
}

fn at(parent: &str, field: &str) -> String {
    format!("{parent}/{field}")
}

fn lines(errors: &[FieldError]) -> String {
    let lines: Vec<_> = errors.iter().map(|error| format!("  {error}")).collect();
    lines.join("\n")
}

fn words(pcs: &PodCliqueSet, rules: &Rules) -> String {
    lines(&validate(pcs, rules))
}

fn verdict(case: &str, words: &str) -> String {
    let words = if words.is_empty() {
        "  accepted"
    } else {
        words
    };
    format!("{case}\n{words}")
}

/// What each case is told, under the name of the case.
fn told(cases: &[(&str, &[Edit<'_>])]) -> String {
    let told = cases
        .iter()
        .map(|(case, edits)| verdict(case, &words(&set(edits), &Rules::default())));
    told.collect::<Vec<_>>().join("\n")
}

macro_rules! cases {
    ($($case:literal: $($pointer:expr => $value:tt),+;)+) => {
        told(&[$(($case, &[$(($pointer.as_ref(), json!($value))),+])),+])
    };
}

#[test]
fn a_good_set_is_accepted() {
    assert_eq!(words(&set(&[]), &Rules::default()), "");
}

#[test]
fn an_empty_object_makes_errors_and_no_panic() {
    insta::assert_snapshot!(words(&PodCliqueSet::default(), &Rules::default()));
}

#[test]
fn names() {
    insta::assert_snapshot!(cases! {
        "set with a dot": "/metadata/name" => "llm.v1";
        "set that starts with a digit": "/metadata/name" => "3d";
        "clique without a name": at(FRONTEND, "name") => "";
        "clique in upper case": at(FRONTEND, "name") => "Front_End";
        "clique of hyphens": at(FRONTEND, "name") => "---";
        "clique too long for DNS": at(FRONTEND, "name") => (LONG.repeat(2));
        "group with a dot": at(GROUP, "name") => "pre.fill";
        "two cliques of one name": at(FRONTEND, "name") => "leader";
        "two groups of one name": at(GROUPS, "-") => {"name": "prefill", "cliqueNames": ["frontend"]};
        "long name": at(FRONTEND, "name") => LONG;
        "long names in a group": at(GROUP, "name") => LONG;
        "long generated name": "/metadata/name" => null, "/metadata/generateName" => (format!("{LONG}-"));
    });
}

#[test]
fn one_role_name_may_be_used_twice() {
    let role = at(FRONTEND, "spec/roleName");
    assert_eq!(
        words(&set(&[(&role, json!("leader"))]), &Rules::default()),
        ""
    );
}

#[test]
fn objects_of_one_name() {
    insta::assert_snapshot!(cases! {
        "clique and group": at(FRONTEND, "name") => "prefill";
        "clique and member of a group": at(FRONTEND, "name") => "prefill-12-worker";
        "members of two groups":
            at(FRONTEND, "name") => "x-7-y",
            at(CLIQUES, "1/name") => "y",
            at(GROUP, "cliqueNames") => ["y", "worker"],
            at(GROUP, "name") => "a-3-x",
            at(GROUPS, "-") => {"name": "a", "cliqueNames": ["x-7-y"]};
        "not an index": at(FRONTEND, "name") => "prefill-01-worker";
    });
}

#[test]
fn labels_and_annotations() {
    insta::assert_snapshot!(cases! {
        "label key": at(FRONTEND, "labels") => {"-tier": "a"};
        "label domain": at(FRONTEND, "labels") => {"Example.com/tier": "a"};
        "label value": at(FRONTEND, "labels") => {"tier": "front end"};
        "annotation key of a clique": at(FRONTEND, "annotations") => {"a/b/c": "any value"};
        "annotation key of a group": at(GROUP, "annotations") => {"": "x"};
        "NVLink group of the set": "/metadata/annotations" => {"grove.io/mnnvl-group": ""};
        "NVLink group of a clique": at(FRONTEND, "annotations") => {"grove.io/mnnvl-group": "A"};
        "good ones":
            at(FRONTEND, "labels") => {"example.com/Tier_1": "", "x": "a.b-c_d"},
            at(FRONTEND, "annotations") => {"grove.io/mnnvl-group": "none", "y": "{any: value}"};
    });
}

#[test]
fn replicas() {
    insta::assert_snapshot!(cases! {
        "set": "/spec/replicas" => (-1);
        "no clique": CLIQUES => [], GROUPS => [];
        "clique": at(FRONTEND, "spec/replicas") => (-2);
        "minimum of none": at(FRONTEND, "spec/minAvailable") => 0;
        "minimum above replicas": at(FRONTEND, "spec/minAvailable") => 5;
        "workload type of a clique": at(FRONTEND, "spec/workloadType") => "Inference";
    });
}

#[test]
fn start_order() {
    let explicit = "/spec/template/cliqueStartupType";
    let after = |clique: i32| format!("{CLIQUES}/{clique}/spec/startsAfter");
    insta::assert_snapshot!(cases! {
        "nothing, itself, twice, unknown":
            explicit => "CliqueStartupTypeExplicit",
            after(0) => ["", "frontend", "leader", "leader", "decode"];
        "circle of two":
            explicit => "CliqueStartupTypeExplicit",
            after(0) => ["leader"], after(1) => ["frontend"];
        "circle of two with one behind":
            explicit => "CliqueStartupTypeExplicit",
            after(0) => ["leader"], after(1) => ["worker"], after(2) => ["leader"];
        "no circle":
            explicit => "CliqueStartupTypeExplicit",
            after(0) => ["leader", "worker"], after(1) => ["worker"];
        "without effect": after(0) => ["frontend", "decode"];
    });
}

#[test]
fn pods() {
    let pod = |field: &str| at(FRONTEND, &format!("spec/podSpec/{field}"));
    let spread = json!([
        {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
    ]);
    let env = json!([
        {"name": ""}, {"name": "A=B"}, {"name": "A"}, {"name": "A"}, {"name": "odd.but-fine 1"}
    ]);
    insta::assert_snapshot!(cases! {
        "no container": pod("containers") => [];
        "node": pod("nodeName") => "node-1";
        "spread": pod("topologySpreadConstraints") => spread;
        "variables": pod("containers/0/env") => env;
        "variables of an init container": pod("initContainers") => [{"name": "i", "env": [{"name": "é"}]}];
        "another scheduler": pod("schedulerName") => "kai-scheduler";
        "the default by name": pod("schedulerName") => "default-scheduler";
    });
}

#[test]
fn schedulers_that_the_operator_knows() {
    let rules = Rules {
        default_scheduler: "volcano".into(),
        schedulers: vec!["volcano".into(), "default-scheduler".into()],
    };
    let name = "/spec/template/cliques/0/spec/podSpec/schedulerName";
    assert_eq!(words(&set(&[]), &rules), "");
    insta::assert_snapshot!(words(&set(&[(name, json!("kai-scheduler"))]), &rules));
}

#[test]
fn scaling_groups() {
    insta::assert_snapshot!(cases! {
        "no replicas": at(GROUP, "replicas") => 0;
        "minimum of none": at(GROUP, "minAvailable") => 0;
        "minimum above replicas": at(GROUP, "minAvailable") => 3;
        "no clique": at(GROUP, "cliqueNames") => [];
        "unknown clique": at(GROUP, "cliqueNames/0") => "decode";
        "clique listed twice": at(GROUP, "cliqueNames") => ["leader", "worker", "leader"];
        "clique in two groups": at(GROUPS, "-") => {"name": "decode", "cliqueNames": ["frontend", "worker"]};
        "clique scaled alone": "/spec/template/cliques/1/spec/autoScalingConfig" => {"maxReplicas": 3};
    });
}

#[test]
fn autoscaling() {
    let own = at(FRONTEND, "spec/autoScalingConfig");
    let group = at(GROUP, "scaleConfig");
    insta::assert_snapshot!(cases! {
        "clique below its minimum": own => {"minReplicas": 1, "maxReplicas": 4};
        "clique with limits in the wrong order": own => {"minReplicas": 3, "maxReplicas": 2};
        "clique with no room for its replicas":
            at(FRONTEND, "spec/minAvailable") => 1,
            own => {"minReplicas": 1, "maxReplicas": 1};
        "group below its minimum":
            at(GROUP, "minAvailable") => 2,
            group => {"minReplicas": 1, "maxReplicas": 4};
        "group with limits in the wrong order": group => {"minReplicas": 3, "maxReplicas": 2};
        "good ones": own => {"maxReplicas": 4}, group => {"maxReplicas": 4};
    });
}

#[test]
fn termination_delays() {
    let own = "/spec/template/terminationDelay";
    let group = at(GROUP, "terminationDelay");
    insta::assert_snapshot!(cases! {
        "none": own => "0s";
        "negative": own => "-1h";
        "not a duration": own => "4 hours";
        "less than a second": own => "900ms";
        "longer than Go can count": own => "9999999h";
        "of a group alone": group => "1h";
        "of a group, none": own => "4h", group => "0s";
        "good ones": own => "4h", group => "1h30m";
        "none of a training job": "/spec/workloadType" => "Training", own => "0s";
    });
}

#[test]
fn training() {
    let type_ = "/spec/workloadType";
    let limits = "/spec/trainingSpec";
    insta::assert_snapshot!(cases! {
        "limits of an inference workload": limits => {"maxRestarts": 1};
        "no replicas": type_ => "Training", "/spec/replicas" => 0;
        "restarts by the kubelet":
            type_ => "Training", at(FRONTEND, "spec/podSpec/restartPolicy") => "Always";
        "autoscaling":
            type_ => "Training",
            at(FRONTEND, "spec/autoScalingConfig") => {"maxReplicas": 3},
            at(GROUP, "scaleConfig") => {"maxReplicas": 3};
        "limits": type_ => "Training", limits => {"maxRestarts": (-1), "maxRuntime": "0s"};
        "run time": type_ => "Training", limits => {"maxRuntime": "3 days"};
        "good one":
            type_ => "Training",
            limits => {"maxRestarts": 3, "maxRuntime": "72h"},
            at(FRONTEND, "spec/podSpec/restartPolicy") => "OnFailure";
    });
}

#[test]
fn topology() {
    let own = "/spec/template/topologyConstraint";
    let clique = |i: i32| format!("{CLIQUES}/{i}/topologyConstraint");
    let group = at(GROUP, "topologyConstraint");
    insta::assert_snapshot!(cases! {
        "no name": own => {"pack": {"required": "rack"}};
        "no name further out": group => {"topologyName": "c", "pack": {"required": "rack"}},
            clique(0) => {"pack": {"required": "host"}};
        "two topologies": own => {"topologyName": "c", "pack": {"required": "zone"}},
            clique(0) => {"topologyName": "d", "pack": {"required": "host"}};
        "inherited": group => {"topologyName": "c", "pack": {"required": "rack"}},
            clique(1) => {"pack": {"required": "host"}};
    });
}

#[test]
fn resource_claims() {
    let templates = "/spec/template/resourceClaimTemplates";
    let sharing = "/spec/template/resourceSharing";
    let request = json!({"spec": {"devices": {"requests": [{"name": "gpu"}]}}});
    let claim = json!([{"name": "claim", "templateSpec": request}]);
    insta::assert_snapshot!(cases! {
        "templates": templates => [
            {"name": "", "templateSpec": request},
            {"name": "a", "templateSpec": request},
            {"name": "a", "templateSpec": {"spec": {}}}
        ];
        "names": sharing => [
            {"name": "", "scope": "AllReplicas"},
            {"name": "a", "scope": "AllReplicas"},
            {"name": "a", "scope": "PerReplica"}
        ];
        "namespace of an internal template": templates => claim,
            at(FRONTEND, "resourceSharing") => [{"name": "claim", "namespace": "x", "scope": "AllReplicas"}];
        "filters": sharing => [
            {"name": "a", "scope": "AllReplicas", "filter": {}},
            {"name": "b", "scope": "AllReplicas", "filter": {
                "childCliqueNames": ["leader", "decode"], "childScalingGroupNames": ["prefill", "x"]
            }}
        ];
        "filters of a group": at(GROUP, "resourceSharing") => [
            {"name": "a", "scope": "AllReplicas", "filter": {}},
            {"name": "b", "scope": "AllReplicas", "filter": {"childCliqueNames": ["frontend"]}}
        ];
    });
}

/// What is told of a change from one set to another.
fn changed(before: &[Edit<'_>], after: &[Edit<'_>]) -> String {
    changes_of(&set(before), &set(after))
}

fn changes_of(before: &PodCliqueSet, after: &PodCliqueSet) -> String {
    lines(&validate_update(before, after, &Rules::default()))
}

fn changes(cases: &[(&str, Edit<'_>)]) -> String {
    let told = cases
        .iter()
        .map(|(case, edit)| verdict(case, &changed(&[], std::slice::from_ref(edit))));
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_cannot_be_changed() {
    let frontend = |field: &str| at(FRONTEND, field);
    let group = |field: &str| at(GROUP, field);
    let mnnvl = json!({"grove.io/mnnvl-group": "fast"});
    let constraint = json!({"topologyName": "c", "pack": {"required": "rack"}});
    let sharing = json!([{"name": "claim", "scope": "AllReplicas"}]);
    let claim = json!([{"name": "claim", "templateSpec": {
        "spec": {"devices": {"requests": [{"name": "gpu"}]}}
    }}]);
    insta::assert_snapshot!(changes(&[
        ("workload type", ("/spec/workloadType", json!("Training"))),
        (
            "start order",
            (
                "/spec/template/cliqueStartupType",
                json!("CliqueStartupTypeInOrder")
            )
        ),
        (
            "claim templates",
            ("/spec/template/resourceClaimTemplates", claim)
        ),
        (
            "sharing of the set",
            ("/spec/template/resourceSharing", sharing.clone())
        ),
        (
            "topology of the set",
            ("/spec/template/topologyConstraint", constraint.clone())
        ),
        ("NVLink group", ("/metadata/annotations", mnnvl.clone())),
        ("name of a clique", (&frontend("name"), json!("backend"))),
        ("role", (&frontend("spec/roleName"), json!("other"))),
        ("minimum", (&frontend("spec/minAvailable"), json!(1))),
        (
            "starts after",
            (&frontend("spec/startsAfter"), json!(["leader"]))
        ),
        (
            "sharing of a clique",
            (&frontend("resourceSharing"), sharing.clone())
        ),
        (
            "NVLink group of a clique",
            (&frontend("annotations"), mnnvl.clone())
        ),
        ("name of a group", (&group("name"), json!("decode"))),
        (
            "cliques of a group",
            (&group("cliqueNames"), json!(["leader"]))
        ),
        ("minimum of a group", (&group("minAvailable"), json!(2))),
        ("sharing of a group", (&group("resourceSharing"), sharing)),
        (
            "topology of a group",
            (&group("topologyConstraint"), constraint)
        ),
        ("NVLink group of a group", (&group("annotations"), mnnvl)),
    ]));
}

#[rstest]
#[case("/spec/replicas", json!(7))]
#[case("/spec/updateStrategy", json!({"type": "OnDelete"}))]
#[case("/spec/template/priorityClassName", json!("high"))]
#[case("/spec/template/terminationDelay", json!("1h"))]
#[case("/spec/template/cliques/0/spec/podSpec/containers/0/image", json!("llm:2"))]
#[case("/spec/template/cliques/1/labels", json!({"a": "b"}))]
#[case("/spec/template/podCliqueScalingGroups/0/replicas", json!(5))]
#[case("/spec/template/podCliqueScalingGroups/0/scaleConfig", json!({"maxReplicas": 5}))]
fn what_can_be_changed(#[case] pointer: &str, #[case] value: Value) {
    assert_eq!(changed(&[], &[(pointer, value)]), "");
}

#[test]
fn the_order_of_cliques_counts_where_they_start_in_it() {
    let type_ = (
        "/spec/template/cliqueStartupType",
        json!("CliqueStartupTypeInOrder"),
    );
    let mut list = good().pointer(CLIQUES).unwrap().as_array().unwrap().clone();
    list.reverse();
    let reversed = (CLIQUES, Value::from(list));
    assert_eq!(changed(&[], std::slice::from_ref(&reversed)), "");
    insta::assert_snapshot!(changed(
        std::slice::from_ref(&type_),
        &[type_.clone(), reversed]
    ));
}

#[test]
fn the_scheduler_cannot_be_changed() {
    let on = |name: &'static str| {
        let at = |i: i32| format!("{CLIQUES}/{i}/spec/podSpec/schedulerName");
        let edits = [0, 1, 2].map(|i| (at(i), json!(name)));
        let edits: Vec<_> = edits
            .iter()
            .map(|(at, name)| (at.as_str(), name.clone()))
            .collect();
        set(&edits)
    };
    assert_eq!(changes_of(&set(&[]), &on("default-scheduler")), "");
    insta::assert_snapshot!(changes_of(&set(&[]), &on("kai-scheduler")));
}

#[test]
fn a_training_job_keeps_its_size_and_pods() {
    let training = ("/spec/workloadType", json!("Training"));
    let image = at(FRONTEND, "spec/podSpec/containers/0/image");
    let group = at(GROUP, "replicas");
    let after = [
        training.clone(),
        ("/spec/replicas", json!(2)),
        (image.as_str(), json!("llm:2")),
        (group.as_str(), json!(3)),
        ("/spec/trainingSpec", json!({"maxRestarts": 5})),
    ];
    insta::assert_snapshot!(changed(&[training], &after));
}

#[rstest]
#[case::moved(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "c", "pack": {"required": "rack"}}), true)]
#[case::moved_elsewhere(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "c", "pack": {"required": "host"}}), false)]
#[case::named(json!({"packDomain": "rack"}), json!({"topologyName": "c", "packDomain": "rack"}), true)]
#[case::renamed(json!({"topologyName": "c", "packDomain": "rack"}), json!({"topologyName": "d", "packDomain": "rack"}), false)]
#[case::removed(json!({"topologyName": "c", "packDomain": "rack"}), Value::Null, false)]
fn an_old_constraint_may_be_modernized(
    #[case] before: Value,
    #[case] after: Value,
    #[case] accepted: bool,
) {
    let at = "/spec/template/topologyConstraint";
    assert_eq!(
        changed(&[(at, before)], &[(at, after)]).is_empty(),
        accepted
    );
}

#[test]
fn what_was_wrong_before_does_not_hold_a_change_up() {
    let dotted = ("/metadata/name", json!("llm.v1"));
    let edits = [dotted.clone(), ("/spec/replicas", json!(3))];
    assert_eq!(changed(&[dotted], &edits), "");
}

#[test]
fn a_set_that_is_being_deleted_may_be_anything() {
    let deleted = ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"));
    assert_eq!(changed(&[], &[deleted, (CLIQUES, json!([]))]), "");
}

/// A set of which only names and start order matter: name, group and parents of each clique.
fn named(cliques: &[(String, Option<String>, Vec<String>)]) -> PodCliqueSet {
    let list = cliques.iter().map(|(name, _, after)| {
        json!({"name": name, "spec": {
            "roleName": "", "replicas": 1, "startsAfter": after,
            "podSpec": {"containers": [{"name": "main"}]}
        }})
    });
    let groups: BTreeSet<_> = cliques
        .iter()
        .filter_map(|(_, group, _)| group.as_ref())
        .collect();
    let groups = groups.into_iter().map(|group| {
        let members = cliques
            .iter()
            .filter(|clique| clique.1.as_ref() == Some(group));
        json!({"name": group, "cliqueNames": members.map(|clique| &clique.0).collect::<Vec<_>>()})
    });
    set(&[
        (CLIQUES, list.collect()),
        (GROUPS, groups.collect()),
        (
            "/spec/template/cliqueStartupType",
            json!("CliqueStartupTypeExplicit"),
        ),
    ])
}

/// Sets in which nothing is wrong but, often, names that clash and cliques in circles.
fn sets_of_likely_names() -> impl Strategy<Value = PodCliqueSet> {
    let names = proptest::collection::btree_set("[ab](-[01]){0,2}(-[ab])?", 1..5);
    let groups = proptest::collection::vec(proptest::option::of("[ab](-[01])?"), 4);
    let parents =
        proptest::collection::vec(proptest::sample::subsequence(vec![0, 1, 2, 3], 0..2), 4);
    (names, groups, parents).prop_map(|(names, groups, parents)| {
        let names = Vec::from_iter(names);
        let known = |own: &String, after: &[usize]| {
            let after = after.iter().filter_map(|i| names.get(*i));
            after.filter(|name| *name != own).cloned().collect()
        };
        let each = names.iter().zip(groups).zip(&parents);
        let cliques = each.map(|((name, group), after)| (name.clone(), group, known(name, after)));
        named(&cliques.collect::<Vec<_>>())
    })
}

/// Sets as no schema would let them in.
fn odd_sets() -> impl Strategy<Value = PodCliqueSet> {
    let name = || "([ab01](-[ab01]){0,3}|-|é|)";
    let parents = proptest::collection::vec(name(), 0..3);
    let clique = (name(), proptest::option::of(name()), parents);
    proptest::collection::vec(clique, 0..5).prop_map(|cliques| named(&cliques))
}

/// Whether two objects that are made of the set have one name.
fn has_equal_names(pcs: &PodCliqueSet) -> bool {
    let template = &pcs.spec.template;
    let groups = template.scaling_groups.iter().map(|group| {
        (
            generated::scaling_group("serve", 0, &group.name),
            &group.clique_names,
        )
    });
    let mut names = Vec::new();
    for (group, members) in groups {
        let of_group = |j| members.iter().map(move |member| (j, member));
        names.extend(
            (0..=1)
                .flat_map(of_group)
                .map(|(j, c)| generated::grouped_clique(&group, j, c)),
        );
        names.push(group);
    }
    let is_grouped = |name| {
        template
            .scaling_groups
            .iter()
            .any(|g| g.clique_names.contains(name))
    };
    let alone = template
        .cliques
        .iter()
        .filter(|clique| !is_grouped(&clique.name));
    names.extend(alone.map(|clique| generated::standalone_clique("serve", 0, &clique.name)));
    names.iter().collect::<BTreeSet<_>>().len() < names.len()
}

/// Whether the cliques can be started one after the other.
fn has_order(pcs: &PodCliqueSet) -> bool {
    let cliques = &pcs.spec.template.cliques;
    let mut started = BTreeSet::new();
    for _ in cliques {
        let ready = |after: &[String]| after.iter().all(|name| started.contains(name));
        let next: Vec<_> = cliques
            .iter()
            .filter(|c| ready(&c.spec.starts_after))
            .collect();
        started.extend(next.into_iter().map(|clique| clique.name.clone()));
    }
    started.len() == cliques.len()
}

proptest! {
    #[test]
    fn names_and_order_are_refused_exactly_when_they_do_not_work(pcs in sets_of_likely_names()) {
        let errors = validate(&pcs, &Rules::default());
        let told = |problem: &str| errors.iter().any(|error| error.problem.starts_with(problem));
        prop_assert_eq!(told("objects of this one"), has_equal_names(&pcs), "{}", lines(&errors));
        prop_assert_eq!(told("these cliques wait"), !has_order(&pcs), "{}", lines(&errors));
    }

    #[test]
    fn an_unchanged_set_is_accepted_whatever_it_is(pcs in odd_sets()) {
        prop_assert_eq!(changes_of(&pcs, &pcs), "");
    }
}
