//! The effect of the chart's values on its objects.

use super::rendered;
use crate::harness::Namespace;

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
            "metrics.prometheusRule.enabled=true",
            "runbook_url: docs/alerts.md#groveoperatorabsent",
        ),
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
