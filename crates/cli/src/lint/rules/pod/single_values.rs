//! Single values of pods that the API server refuses, or the kubelet cannot use.

use admission::is_dns_label;
use serde_json::Value;

use super::fields::values_at;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_VALUE: Rule = Rule::error(
    "invalid-pod-value",
    "an activeDeadlineSeconds below 1, a serviceAccountName that is no name, a required node affinity \
     without terms, a lifecycle hook without exactly one action, an envFrom without a source, a medium of \
     an emptyDir that does not exist, a negative runAsUser, or privileged beside allowPrivilegeEscalation: \
     false",
    "The API server refuses each pod of the set, or the kubelet never starts it.",
);

const CONTAINERS: [&str; 2] = ["containers", "initContainers"];
const TERMS: &str =
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

pub(super) fn check(at: &str, spec: &Value) -> Vec<Remark> {
    [
        of_pod(at, spec),
        hooks(at, spec),
        sources(at, spec),
        security(at, spec),
    ]
    .concat()
}

fn of_pod(at: &str, spec: &Value) -> Vec<Remark> {
    let deadlines = values_at(spec, at, "activeDeadlineSeconds").into_iter();
    let deadlines = deadlines
        .filter(|(_, value)| value.as_i64().is_some_and(|seconds| seconds < 1))
        .map(|(at, value)| remark(at, value, "must be at least 1", "raise it, or remove it"));
    let accounts = values_at(spec, at, "serviceAccountName").into_iter();
    let accounts = accounts
        .filter(|(_, value)| value.as_str().is_some_and(|name| !is_account(name)))
        .map(|(at, value)| {
            let problem =
                "a ServiceAccount has a name of lower-case letters, digits, hyphens and dots";
            let remedy = "choose one that `kubectl get serviceaccounts` shows";
            remark(at, value, problem, remedy)
        });
    let terms = values_at(spec, at, TERMS).into_iter();
    let terms = terms
        .filter(|(_, value)| value.as_array().is_some_and(Vec::is_empty))
        .map(|(at, value)| remark(at, value, "needs a term", "add one, or remove the affinity"));
    let media = values_at(spec, at, "volumes.emptyDir.medium").into_iter();
    let media = media
        .filter(|(_, value)| value.as_str().is_some_and(|medium| !is_medium(medium)))
        .map(|(at, value)| remark(at, value, "is no medium", "use Memory, or remove it"));
    deadlines
        .chain(accounts)
        .chain(terms)
        .chain(media)
        .collect()
}

fn is_account(name: &str) -> bool {
    name.is_empty() || name.split('.').all(is_dns_label)
}

fn is_medium(medium: &str) -> bool {
    matches!(medium, "" | "Memory") || medium.starts_with("HugePages")
}

/// The values of a field of all containers, with their paths.
fn in_containers<'a>(at: &str, spec: &'a Value, field: &str) -> Vec<(String, &'a Value)> {
    let fields = CONTAINERS.iter().map(|list| format!("{list}.{field}"));
    fields
        .flat_map(|field| values_at(spec, at, &field))
        .collect()
}

fn hooks(at: &str, spec: &Value) -> Vec<Remark> {
    let hooks = ["lifecycle.preStop", "lifecycle.postStart"].into_iter();
    hooks
        .flat_map(|field| in_containers(at, spec, field))
        .filter(|(_, hook)| hook.as_object().is_some_and(|actions| actions.len() != 1))
        .map(|(at, hook)| {
            let remedy = "set one of exec, httpGet, sleep, tcpSocket, or remove the hook";
            remark(at, hook, "needs exactly one action", remedy)
        })
        .collect()
}

fn sources(at: &str, spec: &Value) -> Vec<Remark> {
    let lists = in_containers(at, spec, "envFrom").into_iter();
    lists
        .flat_map(|(at, list)| {
            let entries = list.as_array().into_iter().flatten().enumerate();
            entries.map(move |(i, entry)| (format!("{at}[{i}]"), entry))
        })
        .filter(|(_, entry)| {
            entry.get("configMapRef").is_some() == entry.get("secretRef").is_some()
        })
        .map(|(at, entry)| {
            let remedy = "set either configMapRef or secretRef, or remove it";
            remark(at, entry, "needs exactly one source", remedy)
        })
        .collect()
}

fn security(at: &str, spec: &Value) -> Vec<Remark> {
    let mut contexts = values_at(spec, at, "securityContext");
    contexts.extend(in_containers(at, spec, "securityContext"));
    contexts
        .iter()
        .flat_map(|(at, context)| [negative_user(at, context), contradiction(at, context)])
        .flatten()
        .collect()
}

fn negative_user(at: &str, context: &Value) -> Option<Remark> {
    let user = context.get("runAsUser")?;
    user.as_i64().filter(|user| *user < 0)?;
    let at = format!("{at}.runAsUser");
    Some(remark(
        at,
        user,
        "must not be negative",
        "set the number of a user, such as 1000",
    ))
}

fn contradiction(at: &str, context: &Value) -> Option<Remark> {
    let flag = |name: &str| context.get(name).and_then(Value::as_bool);
    let is_privileged = flag("privileged") == Some(true);
    let value = context.get("allowPrivilegeEscalation")?;
    (is_privileged && value.as_bool() == Some(false)).then(|| {
        let at = format!("{at}.allowPrivilegeEscalation");
        let problem = "a privileged container cannot be without it";
        remark(at, value, problem, "remove one of the two")
    })
}

fn remark(at: String, value: &Value, problem: &str, remedy: &str) -> Remark {
    let remark = Remark::new(&INVALID_VALUE, at, problem.to_owned());
    remark.value(value.to_string()).remedy(remedy)
}
