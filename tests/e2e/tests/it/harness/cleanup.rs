//! The end of a test: nothing may be left of what it made.

use localcluster::MANUAL_STATUS_LABEL;

use super::namespace::Namespace;
use super::{Seen, wait};

/// Deletes what users made in the namespace and waits until what the operator made has gone, too.
pub fn clear(ns: &Namespace<'_>) -> Result<(), String> {
    delete(ns, &["pcs", "--all", "--wait=false"])?;
    let by_hand = format!("--selector={MANUAL_STATUS_LABEL}=true");
    let of_users = "--selector=!app.kubernetes.io/managed-by";
    wait::until(|| {
        // KWOK leaves these pods alone, so their end is not confirmed by anything else.
        delete(ns, &["pods", &by_hand, "--force", "--grace-period=0"])?;
        delete(ns, &["pcsg,pclq,pg", of_users, "--wait=false"])?;
        let left = names(&ns.look()?);
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

fn delete(ns: &Namespace<'_>, what: &[&str]) -> Result<(), String> {
    let output = ns.command(&[&["delete"], what].concat()).output();
    let output = output.map_err(|e| e.to_string())?;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or(error)
}

fn names(seen: &Seen) -> String {
    let name = |o: &serde_json::Value| format!("{}/{}", o["kind"], o["metadata"]["name"]);
    seen.0.iter().map(name).collect::<Vec<_>>().join(", ")
}
