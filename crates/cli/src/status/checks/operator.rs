//! Whether the operator's pods are ready.

use domain::object::ownership;
use k8s_openapi::api::apps::v1::Deployment;

use crate::cluster::OPERATOR;
use crate::status::{Check, Observed, Verdict};

const NAME: &str = "operator";

pub(super) fn check(observed: &Observed) -> Check {
    match observed.deployments.as_deref() {
        Err(why) => Check::new(NAME, Verdict::Unknown, why)
            .remedy("name its namespace with --operator-namespace, if you may read there"),
        Ok([]) => Check::new(
            NAME,
            Verdict::Wrong,
            format!("no Deployment has label {OPERATOR}"),
        )
        .remedy("`helm list --all-namespaces` shows whether the chart is installed"),
        Ok([one]) => judge(one),
        Ok([first, ..]) if judge(first).verdict == Verdict::Wrong => judge(first),
        Ok(all) => {
            let names: Vec<_> = all.iter().map(name_of).collect();
            let details = format!("{} Deployments: {}", all.len(), names.join(", "));
            Check::new(NAME, Verdict::Unknown, details)
                .remedy("make sure that no two of them watch the same namespace")
        }
    }
}

fn judge(deployment: &Deployment) -> Check {
    let wanted = deployment.spec.replicas.unwrap_or(1);
    let status = deployment.status.as_ref();
    let ready = status.and_then(|status| status.ready_replicas).unwrap_or(0);
    let name = name_of(deployment);
    let details = format!("{name}: {ready}/{wanted} pods ready");
    let (namespace, own) = name.split_once('/').unwrap_or_default();
    if wanted == 0 {
        let remedy = format!("`kubectl -n {namespace} scale deployment/{own} --replicas=1`");
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

/// Namespace and name.
fn name_of(deployment: &Deployment) -> String {
    let meta = &deployment.metadata;
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    format!("{namespace}/{}", ownership::name(meta))
}
