//! Every switch of the chart in its other position, tested by the API server's dry run.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::{chart, dry_run, helm, rendered};
use crate::harness::Namespace;
use crate::harness::control_plane::{CHECKOUT, folder};

/// Values that are set together. None needs a permission in the release's own namespace.
const SETS: [&[&str]; 5] = [
    &[],
    &[
        "watchNamespaces={default}",
        "config.stuckPodTimeout=never,config.stuckPodTimeoutOnReadyNode=never",
        "admissionPolicy.enabled=true",
        "networkPolicy.enabled=true",
        "metrics.dashboard.enabled=true",
        "metrics.serviceMonitor.enabled=true",
        "metrics.prometheusRule.enabled=true",
        "image.registry=registry.example.com/team/",
        "extraEnv[0].name=RUST_LOG,extraEnv[0].value=debug",
        "commonLabels.team=ai,commonAnnotations.note=mine",
        "crds.keep=false",
    ],
    &[
        "crds.install=false",
        "serviceAccount.create=false,serviceAccount.name=mine",
        "rbac.create=false,rbac.aggregateRoles=false",
        "webhooks.enabled=false",
        "podDisruptionBudget.enabled=false",
        "config.leaderElection.enabled=false,replicaCount=1",
    ],
    &[
        "crds.install=false",
        "config.authorizer.enabled=true,config.admission.coherentScaleLock=true",
        "config.topologyAwareScheduling.enabled=false",
        "config.topologyAwareScheduling.preferredAffinity=false",
        "config.resourceSharing.templatesOfOtherNamespaces=Deny",
        "config.network.autoMNNVLEnabled=true",
        "config.queueing.kueue.enabled=true",
        "webhooks.certificates.mode=manual,webhooks.url=https://10.0.0.7:2750",
        "webhooks.clientCA=pem",
        "networkPolicy.enabled=true,networkPolicy.dnsPorts={53,5353}",
        "networkPolicy.webhooksFrom[0].ipBlock.cidr=10.0.0.0/28",
        "extraVolumes[0].name=ca,extraVolumes[0].configMap.name=ca",
        "extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca",
        "priorityClassName=system-cluster-critical",
        "nodeSelector.pool=system",
        "tolerations[0].key=gpu,tolerations[0].operator=Exists",
        "deploymentAnnotations.reload=me",
    ],
    &["crds.install=false", "replicaCount=0"],
];

/// The Prometheus operator's API, which is not served here.
const NOT_SERVED: &str = "apiVersion: monitoring.coreos.com/v1";

#[test]
fn the_api_server_accepts_the_chart_with_every_switch() {
    let ns = Namespace::new("chart-template");
    helm(&ns, &["lint", "--strict", &chart()]);
    for values in SETS {
        let rendered = rendered(&ns, values);
        assert_eq!(rendered, super::rendered(&ns, values), "rendered again");
        let objects = rendered.split("\n---\n");
        let served: Vec<&str> = objects.filter(|o| !o.contains(NOT_SERVED)).collect();
        let file = folder("chart").join("rendered.yaml");
        fs::write(&file, served.join("\n---\n")).unwrap();
        dry_run(&ns, file.to_str().unwrap());
    }
}

#[test]
fn helm_test_runs_where_the_operator_may() {
    let ns = Namespace::new("chart-test-pod");
    let values = [
        "image.registry=registry.example.com/team/",
        "nodeSelector.pool=system,priorityClassName=high",
        "tolerations[0].key=gpu,tolerations[0].operator=Exists",
    ];
    let rendered = rendered(&ns, &values);
    let objects = rendered.split("\n---\n");
    let objects: Vec<Value> = objects
        .map(|object| serde_saphyr::from_str(object).unwrap())
        .collect();
    let pod_of = |kind: &str, pod: &str| {
        let object = objects.iter().find(|object| object["kind"] == kind);
        object.and_then(|object| object.pointer(pod)).unwrap()
    };
    let operator = pod_of("Deployment", "/spec/template/spec");
    let test = pod_of("Pod", "/spec");
    let fields = [
        "/nodeSelector",
        "/tolerations",
        "/priorityClassName",
        "/containers/0/resources",
        "/containers/0/image",
    ];
    for field in fields {
        assert!(test.pointer(field).is_some(), "{field}");
        assert_eq!(test.pointer(field), operator.pointer(field), "{field}");
    }
    let image = test["containers"][0]["image"].as_str().unwrap();
    assert!(
        image.starts_with("registry.example.com/team/grove-operator:"),
        "{image}"
    );
}

/// The values that are true or false, except the pod's security settings.
#[test]
fn every_switch_is_among_them() {
    let file = CHECKOUT.join("charts/grove/values.yaml");
    let values: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut switches = BTreeSet::new();
    find_switches(&values, "", &mut switches);
    assert!(switches.len() > 10, "{switches:?}");
    let given = SETS.iter().copied().flatten();
    let given: BTreeSet<String> = given
        .flat_map(|values| values.split(','))
        .map(str::to_owned)
        .collect();
    let missing: Vec<_> = switches.difference(&given).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

fn find_switches(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    if path.to_lowercase().ends_with("securitycontext.") {
        return;
    }
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Bool(is) => {
                found.insert(format!("{path}{key}={}", !is));
            }
            other => find_switches(other, &format!("{path}{key}."), found),
        }
    }
}
