//! The chart, checked by an API server.

mod beside;
mod confined;
mod life;
mod migration;
mod namespaces;
mod notes;
mod toggles;
mod values;
mod webhooks;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::control_plane::{CHECKOUT, folder, printed};
use crate::harness::installation::chart;
use crate::harness::{Namespace, same};

#[test]
fn values_choose_standby_replicas_and_webhooks() {
    let ns = Namespace::new("chart-webhook");
    let has = |values: &[&str], text: &str| rendered(&ns, values).contains(text);
    for (value, kind) in [
        ("rbac.create=false", "kind: ClusterRole\n"),
        ("replicaCount=1", "kind: PodDisruptionBudget"),
        (
            "webhooks.enabled=false",
            "kind: ValidatingWebhookConfiguration",
        ),
        ("webhooks.enabled=false", "kind: Secret"),
        ("webhooks.certificates.mode=manual", "kind: Secret"),
        (
            "webhooks.enabled=false,watchNamespaces={a}",
            "kind: ClusterRoleBinding",
        ),
        (
            "webhooks.certificates.mode=manual",
            "resources: [validatingwebhookconfigurations]",
        ),
        (
            "webhooks.certificates.mode=manual",
            "kind: ValidatingAdmissionPolicyBinding",
        ),
    ] {
        assert!(!has(&[value], kind), "{value} leaves {kind}");
        assert!(has(&[], kind), "{kind} is not there without {value}");
    }
    assert!(has(
        &["config.authorizer.enabled=true"],
        "authorizer-webhook"
    ));
    let alone = ["config.leaderElection.enabled=false", "replicaCount=1"];
    assert!(has(&alone, "maxSurge: 0") && !has(&[], "maxSurge: 0"));
    for (value, words) in [
        (
            "config.leaderElection.enabled=false",
            "they would work against each other",
        ),
        (
            "webhooks.enabled=false,config.authorizer.enabled=true",
            "only the webhook can refuse changes",
        ),
        (
            "webhooks.enabled=false,config.admission.coherentScaleLock=true",
            "config.admission.coherentScaleLock is true and webhooks.enabled is false",
        ),
        ("webhooks.url=http://x", "'/webhooks/url'"),
        (
            "config.server.webhooks.port=2752",
            "config.server.webhooks.port is 2752, the port of config.server.metrics",
        ),
    ] {
        let refusal = refused(&ns, &[value]);
        assert!(refusal.contains(words), "{value}: {refusal}");
    }
}

#[test]
fn values_that_mean_nothing_are_refused_by_their_names() {
    let ns = Namespace::new("chart-refused");
    for (value, words) in [
        ("replicas=2", "'replicas' not allowed"),
        ("image.name=x", "'name' not allowed"),
        ("image.digest=sha256:0a", "'/image/digest'"),
        (
            "initContainer.pullPolicy=Always",
            "'pullPolicy' not allowed",
        ),
        (
            "config.leaderElection.resourceName=x",
            "'resourceName' not allowed",
        ),
        ("config.controllers.podClique.qps=1", "'qps' not allowed"),
        ("securityContext.runAsRoot=true", "'runAsRoot' not allowed"),
        (
            "replicaCount=two",
            "'/replicaCount': got string, want integer",
        ),
        (
            "config.server.metrics.port=70000",
            "'/config/server/metrics/port'",
        ),
        ("config.stuckPodTimeout=soon", "'/config/stuckPodTimeout'"),
        (
            "watchNamespaces=team-a",
            "'/watchNamespaces': got string, want array",
        ),
        (
            "watchNamespaces={a,a}",
            "'/watchNamespaces': items at 0 and 1 are equal",
        ),
        (
            "admissionPolicy.enabled=true,watchNamespaces={kube-system}",
            "watchNamespaces has kube-system, where admissionPolicy.enabled lets the operator do",
        ),
        (
            "serviceAccount.create=false",
            "serviceAccount.name is empty and serviceAccount.create is false: name the account",
        ),
        (
            "serviceAccount.name=default",
            "serviceAccount.name is default, the account of every pod",
        ),
        (
            "service.port=2751",
            "service.port is 2751, the port of the probes",
        ),
        (
            "service.port=443",
            "service.port is 443, the port at which the Service offers the webhook",
        ),
        (
            "config.server.healthProbes.port=443",
            "config.server.healthProbes.port is 443, the port at which the Service offers",
        ),
    ] {
        let refusal = refused(&ns, &[value]);
        assert!(refusal.contains(words), "{value}: {refusal}");
    }
}

#[test]
fn the_manifest_for_use_without_helm_is_the_rendered_chart() {
    let ns = Namespace::new("chart-manifest");
    let path = CHECKOUT.join("config/install.yaml");
    let script = CHECKOUT.join("hack/install-manifest.sh");
    let printed = printed(Command::new(script).arg(ns.control_plane.bin().join("helm")));
    let is_same = printed == fs::read_to_string(&path).unwrap();
    assert!(
        is_same,
        "config/install.yaml is out of date: run `make generate`"
    );
    dry_run(&ns, path.to_str().unwrap());
}

/// As a base of a user's kustomization, which names the registry.
#[test]
fn the_manifest_is_a_base_for_kustomize() {
    let ns = Namespace::new("chart-kustomize");
    let built = |folder: &Path| ns.kubectl(&["kustomize", folder.to_str().unwrap()]);
    let base = CHECKOUT.join("config");
    let file = folder("kustomized").join("built.yaml");
    fs::write(&file, built(&base)).unwrap();
    dry_run(&ns, file.to_str().unwrap());
    let definitions = built(&base.join("crd"));
    let count = definitions
        .matches("\nkind: CustomResourceDefinition\n")
        .count();
    assert_eq!(count, fs::read_dir(base.join("crd")).unwrap().count() - 1);

    let overlay = folder("overlay").canonicalize().unwrap();
    let documented = fs::read_to_string(CHECKOUT.join("docs/operations.md")).unwrap();
    let example = documented
        .split("```yaml\n")
        .find(|text| text.contains("newName:"));
    let example = example.unwrap().split("```").next().unwrap();
    // kustomize does not accept absolute paths.
    let base = pathdiff(&overlay, &base.canonicalize().unwrap());
    let text = example.replace("../grove/config", &base);
    fs::write(overlay.join("kustomization.yaml"), text).unwrap();
    let text = built(&overlay);
    let images = text
        .lines()
        .filter(|l| l.contains("registry.example.com/team/grove-"));
    assert_eq!(images.count(), 2, "the operator's and the init container's");
}

/// The account in CEL expressions would keep its namespace.
#[test]
fn kustomize_refuses_another_namespace_for_the_manifest() {
    let ns = Namespace::new("chart-kustomize-namespace");
    let overlay = folder("overlay-namespace").canonicalize().unwrap();
    let base = pathdiff(&overlay, &CHECKOUT.join("config").canonicalize().unwrap());
    let text = format!("resources: [{base}]\nnamespace: infra\n");
    fs::write(overlay.join("kustomization.yaml"), text).unwrap();
    let build = ["kustomize", overlay.to_str().unwrap()];
    let output = ns.control_plane.tool("kubectl", build).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "it was accepted");
    let remedy = "leave `namespace` out: config/install.yaml works in grove-system only";
    assert!(error.contains(remedy), "{error}");
}

/// `to`, as seen from `from`.
fn pathdiff(from: &Path, to: &Path) -> String {
    let up = from.components().skip(1).map(|_| "..");
    let up: Vec<&str> = up.collect();
    format!("{}{}", up.join("/"), to.display())
}

#[test]
fn the_chart_installs_and_leaves_nothing_behind() {
    let ns = Namespace::new("chart-install");
    // Otherwise its webhook would be called for the sets of all tests, and other releases for all
    // namespaces would be refused meanwhile.
    let beside = "crds.install=false,webhooks.enabled=false";
    let own = format!("watchNamespaces={{{}}}", ns.name);
    let options = ["--set", beside, "--set", &own, "--set", &own_name(&ns)];
    helm(
        &ns,
        &[&["install", &ns.name, &chart()][..], &options].concat(),
    );
    for kind in ["deployment", "service", "serviceaccount"] {
        ns.kubectl(&["get", kind, &ns.name]);
    }
    is_tested(&ns);

    helm(&ns, &["uninstall", &ns.name]);
    let kinds =
        "deployments,services,configmaps,serviceaccounts,roles,rolebindings,clusterroles,pods";
    let of_release = format!("app.kubernetes.io/instance={}", ns.name);
    ns.until("nothing of it is left", |_| {
        let left = ns.kubectl(&["get", kinds, "--selector", &of_release, "--output=name"]);
        left.is_empty().then_some(()).ok_or(left)
    });
}

/// `helm test` creates a pod, and succeeds when the pod does.
fn is_tested(ns: &Namespace<'_>) {
    let pod = format!("{}-test-ready", ns.name);
    let found = ["get", "pod", &pod, "--ignore-not-found", "--output=name"];
    assert_eq!(ns.kubectl(&found), "", "before anybody asked for it");
    let mut test = ns
        .control_plane
        .tool("helm", ["test", &ns.name, "--timeout=180s"]);
    let mut test = test.args(["--namespace", &ns.name]).spawn().unwrap();
    let phase = [
        "get",
        "pod",
        &pod,
        "--ignore-not-found",
        "--output=jsonpath={.status.phase}",
    ];
    ns.until("its pod runs", |_| {
        same(&pod, &ns.kubectl(&phase).as_str(), &"Running")
    });
    // With real containers it succeeds by itself, once it has read /readyz.
    let succeeded = r#"--patch={"status":{"phase":"Succeeded"}}"#;
    ns.kubectl(&["patch", "pod", &pod, "--subresource=status", succeeded]);
    assert!(test.wait().unwrap().success());
}

/// The output of helm, which must succeed.
fn helm(ns: &Namespace<'_>, args: &[&str]) -> String {
    let mut helm = ns.control_plane.tool("helm", args);
    printed(helm.args(["--namespace", &ns.name]))
}

/// The chart with these values and names of this namespace.
fn rendered(ns: &Namespace<'_>, values: &[&str]) -> String {
    let (chart, name) = (chart(), own_name(ns));
    let mut args = vec!["template", &ns.name, &chart, "--set", &name];
    args.extend(values.iter().flat_map(|value| ["--set", value]));
    helm(ns, &args)
}

/// The error of helm for these values, which it must refuse.
fn refused(ns: &Namespace<'_>, values: &[&str]) -> String {
    let (chart, name) = (chart(), own_name(ns));
    let mut args = vec!["install", &ns.name, &chart, "--set", &name];
    args.extend(["--set", "crds.install=false"]);
    args.extend(values.iter().flat_map(|value| ["--set", value]));
    let mut helm = ns.control_plane.tool("helm", args);
    let output = helm.args(["--namespace", &ns.name]).output().unwrap();
    assert!(!output.status.success(), "{values:?} was accepted");
    String::from_utf8(output.stderr).unwrap()
}

/// Applies the file, which must be accepted, without effect.
fn dry_run(ns: &Namespace<'_>, file: &str) {
    let apply = [
        "apply",
        "--dry-run=server",
        "--server-side",
        "--force-conflicts",
    ];
    ns.control_plane
        .kubectl([&apply[..], &["-f", file]].concat());
}

/// Its cluster-wide objects must not be those of another installation.
fn own_name(ns: &Namespace<'_>) -> String {
    format!("fullnameOverride={}", ns.name)
}
