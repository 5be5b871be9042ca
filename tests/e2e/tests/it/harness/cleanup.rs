//! The end of a test: none of its objects may stay.

use localcluster::MANUAL_STATUS_LABEL;
use serde_json::Value;

use super::namespace::Namespace;
use super::{Seen, client, wait};

/// Selects users' own objects.
const OF_USERS: &str = "--selector=!app.kubernetes.io/managed-by";

/// Deletes users' objects in the namespace and waits until the operator's are gone, too.
pub fn clear(ns: &Namespace<'_>) -> Result<(), String> {
    client::delete_sets(&ns.control_plane.kubeconfig, &ns.name)?;
    wait::until(|| {
        let mut seen = ns.glance()?;
        if seen.everything().is_empty() {
            seen = ns.look()?;
        }
        // KWOK leaves these pods alone, so nothing else confirms their end.
        if seen.everything().into_iter().any(is_by_hand) {
            delete(ns, &["pods", &by_hand(), "--force", "--grace-period=0"])?;
        }
        if seen.everything().into_iter().any(is_of_user) {
            delete(ns, &["pcsg,pclq,pg", OF_USERS, "--wait=false"])?;
        }
        let left = names(&seen);
        left.is_empty()
            .then_some(())
            .ok_or_else(|| format!("left behind: {left}"))
    })?;
    let errors = ns.operator.log_end(&[&ns.name, "\"level\":\"ERROR\""]);
    errors
        .is_empty()
        .then_some(())
        .ok_or_else(|| format!("the operator's errors:\n{errors}"))
}

fn by_hand() -> String {
    format!("--selector={MANUAL_STATUS_LABEL}=true")
}

fn is_by_hand(object: &Value) -> bool {
    object["metadata"]["labels"][MANUAL_STATUS_LABEL] == "true"
}

fn is_of_user(object: &Value) -> bool {
    let kind = object["kind"].as_str().unwrap_or_default();
    let is_ours = ["PodCliqueScalingGroup", "PodClique", "PodGang"].contains(&kind);
    is_ours && object["metadata"]["labels"]["app.kubernetes.io/managed-by"].is_null()
}

fn delete(ns: &Namespace<'_>, what: &[&str]) -> Result<(), String> {
    let output = ns.command(&[&["delete"], what].concat()).output();
    let output = output.map_err(|e| e.to_string())?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or(error)
}

fn names(seen: &Seen) -> String {
    let name = |o: &Value| format!("{}/{}", o["kind"], o["metadata"]["name"]);
    let all = seen.everything().into_iter();
    all.map(name).collect::<Vec<_>>().join(", ")
}
