//! Whether the operator's pods are ready, one line for each operator.

use domain::object::ownership;
use k8s_openapi::api::apps::v1::Deployment;

use crate::cluster::OPERATOR;
use crate::status::{Check, Observed, Verdict};

const NAME: &str = "operator";
/// Helm writes the name of the release here.
const HELM_RELEASE: &str = "meta.helm.sh/release-name";

pub(super) fn check_each(observed: &Observed) -> Vec<Check> {
    match observed.deployments.as_deref() {
        Err(why) => {
            let check = Check::new(NAME, Verdict::Unknown, why);
            vec![
                check.remedy("name its namespace with --operator-namespace, if you may read there"),
            ]
        }
        Ok([]) => {
            let details = format!("no Deployment has label {OPERATOR}");
            let check = Check::new(NAME, Verdict::Wrong, details);
            vec![check.remedy("`helm list --all-namespaces` shows whether the chart is installed")]
        }
        Ok([one]) => vec![judge(one)],
        Ok(all) => all.iter().map(judge_beside_others).collect(),
    }
}

/// Which namespaces each of them watches is not read.
fn judge_beside_others(deployment: &Deployment) -> Check {
    let check = judge(deployment);
    if check.verdict == Verdict::Wrong {
        return check;
    }
    let details = format!("{}, beside other operators", check.details);
    Check::new(NAME, Verdict::Unknown, details)
        .remedy("make sure that no two operators watch the same namespace")
}

fn judge(deployment: &Deployment) -> Check {
    let wanted = deployment.spec.replicas.unwrap_or(1);
    let status = deployment.status.as_ref();
    let ready = status.and_then(|status| status.ready_replicas).unwrap_or(0);
    let name = name_of(deployment);
    let details = format!("{name}: {ready}/{wanted} pods ready");
    let (namespace, own) = name.split_once('/').unwrap_or_default();
    if wanted == 0 {
        let remedy = describe_start(deployment, namespace, own);
        return Check::new(NAME, Verdict::Wrong, details).remedy(remedy);
    }
    if ready < wanted {
        let remedy = format!(
            "`kubectl -n {namespace} get pods -l {OPERATOR}`, then `kubectl -n {namespace} logs \
             deployment/{own}`"
        );
        return Check::new(NAME, Verdict::Wrong, details).remedy(remedy);
    }
    Check::new(NAME, Verdict::Ok, details)
}

/// The command that starts an operator that was scaled to 0. After `kubectl scale` the next `helm upgrade`
/// of Helm 4 fails: the field has another owner then.
fn describe_start(deployment: &Deployment, namespace: &str, own: &str) -> String {
    let annotations = deployment.metadata.annotations.as_ref();
    let release = annotations.and_then(|all| all.get(HELM_RELEASE));
    release.map_or_else(
        || format!("`kubectl -n {namespace} scale deployment/{own} --replicas=1`"),
        |release| {
            format!(
                "`helm upgrade {release} charts/grove -n {namespace} --reset-then-reuse-values --set \
                 replicaCount=1`, with the chart of the installed version"
            )
        },
    )
}

/// Namespace and name.
fn name_of(deployment: &Deployment) -> String {
    let meta = &deployment.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    format!("{namespace}/{}", ownership::name(meta))
}
