//! The effect of the chart's values on its objects.

use std::fs;

use super::rendered;
use crate::harness::Namespace;
use crate::harness::control_plane::CHECKOUT;

const DIGEST: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const SPREAD_BY_RACK: &str = "topologySpreadConstraints[0].topologyKey=rack,\
    topologySpreadConstraints[0].maxSkew=2,\
    topologySpreadConstraints[0].whenUnsatisfiable=DoNotSchedule";

#[test]
fn values_that_add_to_the_rendered_objects() {
    let ns = Namespace::new("chart-values");
    let has = |values: &[&str], text: &str| rendered(&ns, values).contains(text);
    for (value, kind) in [
        (
            "admissionPolicy.enabled=true",
            format!("policyName: {}\n", ns.name).as_str(),
        ),
        (
            "metrics.serviceMonitor.enabled=true",
            "kind: ServiceMonitor",
        ),
        (
            "metrics.prometheusRule.enabled=true",
            "alert: GroveOperatorAbsent",
        ),
        ("metrics.serviceMonitor.enabled=true", "honorLabels: true"),
        (
            "metrics.prometheusRule.enabled=true,metrics.prometheusRule.runbookUrl=https://example.com/alerts",
            "runbook_url: https://example.com/alerts#groveoperatorabsent",
        ),
        ("metrics.dashboard.enabled=true", "grafana_dashboard: \"1\""),
        ("watchNamespaces={a}", "\n  namespace: \"a\"\n"),
        (
            &format!("image.digest={DIGEST}"),
            &format!("image: grove-operator@{DIGEST}"),
        ),
        (
            &format!("initContainer.image.digest={DIGEST}"),
            &format!("value: grove-initc@{DIGEST}"),
        ),
        (
            "initContainer.image.registry=registry.example.com/team",
            "value: registry.example.com/team/grove-initc:",
        ),
        (
            "networkPolicy.enabled=true,networkPolicy.dnsPorts={5353}",
            "port: 5353",
        ),
    ] {
        assert!(has(&[value], kind), "{value} makes no {kind}");
        assert!(!has(&[], kind), "{kind} is there without {value}");
    }
}

/// Alertmanager and chats show `runbook_url` as a link: the name of a file leads nowhere.
#[test]
fn alerts_have_no_runbook_without_its_address() {
    let ns = Namespace::new("chart-runbook");
    let printed = rendered(&ns, &["metrics.prometheusRule.enabled=true"]);
    assert!(!printed.contains("runbook_url"), "{printed}");
    let written = fs::read_to_string(CHECKOUT.join("charts/grove/alerts/grove.yaml")).unwrap();
    for part in ["alert: Grove", "summary: ", "severity: "] {
        assert_eq!(printed.matches(part).count(), written.matches(part).count());
    }
}

#[test]
fn values_choose_how_the_operator_runs() {
    let ns = Namespace::new("chart-values-run");
    let has = |values: &[&str], text: &str| rendered(&ns, values).contains(text);
    for (value, kind) in [
        ("revisionHistoryLimit=3", "revisionHistoryLimit: 3"),
        (
            "terminationGracePeriodSeconds=7",
            "terminationGracePeriodSeconds: 7",
        ),
        (
            "extraVolumes[0].name=ca,extraVolumeMounts[0].name=ca,extraVolumeMounts[0].mountPath=/ca",
            "mountPath: /ca",
        ),
        ("deploymentAnnotations.reload=me", "reload: me"),
        (
            "config.stuckPodTimeoutOnReadyNode=never",
            "stuckPodTimeoutOnReadyNode: never",
        ),
        (
            "config.admission.coherentScaleLock=true",
            "coherentScaleLock: true",
        ),
        (
            "config.resourceSharing.templatesOfOtherNamespaces=Deny",
            "templatesOfOtherNamespaces: Deny",
        ),
        (
            "config.topologyAwareScheduling.enabled=false",
            "topologyAwareScheduling:\n      enabled: false",
        ),
        (
            "config.network.autoMNNVLEnabled=true",
            "resources: [computedomains]\n",
        ),
        (
            "tolerations[0].key=gpu,tolerations[0].operator=Exists",
            "key: gpu\n",
        ),
        (
            "tolerations[0].key=node.kubernetes.io/unreachable,tolerations[0].tolerationSeconds=99",
            "tolerationSeconds: 99",
        ),
        (SPREAD_BY_RACK, "topologyKey: rack"),
        ("replicaCount=0", "replicas: 0"),
    ] {
        assert!(has(&[value], kind), "{value} makes no {kind}");
        assert!(!has(&[], kind), "{kind} is there without {value}");
    }
}

#[test]
fn values_that_leave_objects_out() {
    let ns = Namespace::new("chart-values-out");
    let has = |values: &[&str], text: &str| rendered(&ns, values).contains(text);
    for (value, kind) in [
        ("crds.install=false", "kind: CustomResourceDefinition"),
        ("crds.keep=false", "helm.sh/resource-policy: keep"),
        (
            "serviceAccount.create=false,serviceAccount.name=mine",
            "kind: ServiceAccount\nmetadata",
        ),
        ("rbac.aggregateRoles=false", "aggregate-to-edit"),
        (
            "watchNamespaces={a},webhooks.enabled=false",
            "kind: ClusterRoleBinding",
        ),
        (
            "webhooks.enabled=false",
            "kind: ValidatingWebhookConfiguration",
        ),
        ("webhooks.enabled=false", "kind: Secret"),
        ("webhooks.certificates.mode=manual", "kind: Secret"),
        (SPREAD_BY_RACK, "whenUnsatisfiable: ScheduleAnyway"),
        (
            "affinity.nodeAffinity.x=1",
            "podAntiAffinity:\n          preferredDuringScheduling",
        ),
    ] {
        assert!(!has(&[value], kind), "{value} leaves {kind}");
        assert!(has(&[], kind), "{kind} is not there without {value}");
    }
}
