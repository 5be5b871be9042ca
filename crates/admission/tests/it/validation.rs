//! Every rule with its words: the snapshots are meant to be read.

use admission::Rules;
use api::PodCliqueSet;
use serde_json::json;
use testkit::good_set::{CLIQUES, FRONTEND, GROUP, GROUPS, LONG, at};

use crate::cases::{cases, describe_errors, set, words};

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
        "set that starts with a digit and has a dot": "/metadata/name" => "0.5b-llm";
        "clique without a name": at(FRONTEND, "name") => "";
        "clique in upper case": at(FRONTEND, "name") => "Front_End";
        "clique of hyphens": at(FRONTEND, "name") => "---";
        "clique too long for DNS": at(FRONTEND, "name") => (LONG.repeat(2));
        "group with a dot": at(GROUP, "name") => "pre.fill";
        "two cliques of one name": at(FRONTEND, "name") => "leader";
        "two groups of one name": at(GROUPS, "-") => {"name": "prefill", "cliqueNames": ["frontend"]};
        "two cliques of one role": at(FRONTEND, "spec/roleName") => "leader";
        "two cliques without a role":
            at(FRONTEND, "spec/roleName") => "", at(CLIQUES, "1/spec/roleName") => "";
        "long name": at(FRONTEND, "name") => LONG;
        "long names in a group": at(GROUP, "name") => LONG;
        "long generated name": "/metadata/name" => null, "/metadata/generateName" => (format!("{LONG}-"));
    });
}

#[test]
fn an_error_of_a_generated_name_concerns_its_prefix() {
    let set = set(&[
        ("/metadata/name", json!("3d-x7k2p")),
        ("/metadata/generateName", json!("3d-")),
    ]);
    let words = words(&set, &Rules::default());
    assert!(
        words.starts_with("  metadata.generateName: \"3d-\": "),
        "{words}"
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

/// The clique may be the one that the group means.
#[test]
fn a_group_with_an_unknown_clique_is_the_only_error() {
    let frontend = at(FRONTEND, "name");
    let group = at(GROUPS, "-");
    let set = set(&[
        (frontend.as_str(), json!("decode")),
        (
            group.as_str(),
            json!({"name": "decode", "cliqueNames": ["decoder"]}),
        ),
    ]);
    let words = words(&set, &Rules::default());
    assert!(words.contains("there is no such clique"), "{words}");
    assert!(!words.contains("would both be named"), "{words}");
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
            at(FRONTEND, "annotations") => {"grove.io/mnnvl-group": "none", "ACME.com/y": "{any: value}"};
    });
}

#[test]
fn what_only_the_operator_says() {
    insta::assert_snapshot!(cases! {
        "of a deletion": "/metadata/annotations" => {"grove.io/orphan-asked": "some-uid"};
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
        "idle, with any minimum":
            at(FRONTEND, "spec/replicas") => 0, at(FRONTEND, "spec/minAvailable") => 5;
        "idle, with a minimum of none":
            at(FRONTEND, "spec/replicas") => 0, at(FRONTEND, "spec/minAvailable") => 0;
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
fn budgets_and_deadlines_of_updates() {
    let clique = at(FRONTEND, "rollingUpdate");
    let member = format!("{CLIQUES}/1/rollingUpdate");
    let group = at(GROUP, "rollingUpdate");
    insta::assert_snapshot!(cases! {
        "none may be missing": &clique => {"maxUnavailable": 0}, &group => {"maxUnavailable": -1};
        "more than there are": &clique => {"maxUnavailable": 9}, &group => {"maxUnavailable": 9};
        "none may be missing beside surge":
            &clique => {"maxUnavailable": 0, "maxSurge": 1},
            &group => {"maxUnavailable": -1, "maxSurge": -1};
        "more surge than there are": &clique => {"maxSurge": 9}, &group => {"maxSurge": 9};
        "surge beyond all indexes":
            at(GROUP, "replicas") => 6000, &group => {"maxSurge": 5000};
        "any of what is idle":
            at(FRONTEND, "spec/replicas") => 0, &clique => {"maxUnavailable": 9};
        "on a member of a group": &member => {"maxUnavailable": 1};
        "with OnDelete":
            "/spec/updateStrategy" => {"type": "OnDelete"},
            &clique => {"maxUnavailable": 1}, &group => {"progressDeadline": "10m"};
        "partition of no replica": "/spec/updateStrategy" => {"partition": -1};
        "partition of no member": &clique => {"partition": -1}, &group => {"partition": -2};
        "less than a coherent version":
            "/spec/updateStrategy" => {"type": "Coherent"},
            at(GROUP, "replicas") => 4, at(GROUP, "minAvailable") => 3,
            &group => {"maxUnavailable": 2};
        "no whole version of every part may surge":
            "/spec/updateStrategy" => {"type": "Coherent"},
            &group => {"maxUnavailable": 0, "maxSurge": 1};
        "partition with OnDelete":
            "/spec/updateStrategy" => {"type": "OnDelete", "partition": 1};
        "no deadline": &clique => {"progressDeadline": "soon"};
        "none left": &clique => {"progressDeadline": "0s"}, &group => {"progressDeadline": "-5m"};
        "good ones":
            &clique => {"maxUnavailable": 1, "progressDeadline": "90s"},
            &group => {"progressDeadline": "1h30m"};
    });
}

#[test]
fn what_pods_that_start_in_an_order_need() {
    let type_ = "/spec/template/cliqueStartupType";
    let pod = |field: &str| at(FRONTEND, &format!("spec/podSpec/{field}"));
    insta::assert_snapshot!(cases! {
        "its container":
            type_ => "CliqueStartupTypeInOrder",
            pod("containers/0/name") => "grove-initc";
        "its init container and volume":
            type_ => "CliqueStartupTypeExplicit",
            pod("initContainers") => [{"name": "a"}, {"name": "grove-initc"}],
            pod("volumes") => [{"name": "grove-start-order"}, {"name": "data"}];
        "no order, no need":
            pod("initContainers") => [{"name": "grove-initc"}];
    });
}

/// All of them are in one list, and in an annotation of each pod.
#[test]
fn too_many_to_wait_for() {
    let type_ = "/spec/template/cliqueStartupType";
    let group =
        json!([{"name": "g", "cliqueNames": ["frontend"], "replicas": 501, "minAvailable": 501}]);
    let fewer =
        json!([{"name": "g", "cliqueNames": ["frontend"], "replicas": 501, "minAvailable": 500}]);
    insta::assert_snapshot!(cases! {
        "in order": type_ => "CliqueStartupTypeInOrder", GROUPS => group;
        "at the limit": type_ => "CliqueStartupTypeInOrder", GROUPS => fewer;
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
        ..Rules::default()
    };
    let name = "/spec/template/cliques/0/spec/podSpec/schedulerName";
    assert_eq!(words(&set(&[]), &rules), "");
    insta::assert_snapshot!(words(&set(&[(name, json!("kai-scheduler"))]), &rules));
}

#[test]
fn scaling_groups() {
    insta::assert_snapshot!(cases! {
        "idle, with any minimum": at(GROUP, "replicas") => 0, at(GROUP, "minAvailable") => 3;
        "negative": at(GROUP, "replicas") => (-1);
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
        "parts that are idle":
            type_ => "Training", at(FRONTEND, "spec/replicas") => 0, at(GROUP, "replicas") => 0;
        "restarts by the kubelet":
            type_ => "Training", at(FRONTEND, "spec/podSpec/restartPolicy") => "Always";
        "restarts of a container by the kubelet":
            type_ => "Training",
            at(FRONTEND, "spec/podSpec/containers/0/restartPolicy") => "Always";
        "a container that restarts and a pod that does not":
            type_ => "Training", at(FRONTEND, "spec/podSpec/restartPolicy") => "Never",
            at(FRONTEND, "spec/podSpec/containers/0/restartPolicy") => "OnFailure";
        "autoscaling":
            type_ => "Training",
            at(FRONTEND, "spec/autoScalingConfig") => {"maxReplicas": 3},
            at(GROUP, "scaleConfig") => {"maxReplicas": 3};
        "limits": type_ => "Training", limits => {"maxRestarts": (-1), "maxRuntime": "0s"};
        "run time": type_ => "Training", limits => {"maxRuntime": "3 days"};
        "good one":
            type_ => "Training",
            limits => {"maxRestarts": 3, "maxRuntime": "72h"},
            at(FRONTEND, "spec/podSpec/restartPolicy") => "OnFailure",
            at(FRONTEND, "spec/podSpec/containers/0/restartPolicy") => "OnFailure";
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
