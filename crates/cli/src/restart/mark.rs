//! The mark of a restart in the pod templates: kubectl's own, so that tools that know it show it.

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde_json::{Value, json};

use super::args::RestartArgs;
use crate::exit::Failure;
use crate::json;

const CLIQUES: &str = "/spec/template/cliques";
/// Annotation of a pod template: when its restart was asked for.
pub(crate) const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";
/// Annotation of a pod template: the reason of that restart.
pub(crate) const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// A restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The cliques whose pods are replaced.
    pub cliques: Vec<String>,
    /// Whether the update waits, as the set is paused.
    pub is_paused: bool,
    /// Whether no pod runs, as the set is suspended.
    pub is_suspended: bool,
    /// Whether pods get the template only when they are deleted.
    pub is_on_delete: bool,
}

/// The restart, and the merge patch that marks the templates; a list is replaced as a whole.
///
/// # Errors
/// If the template has no such clique.
pub fn mark_cliques(
    stored: &Value,
    args: &RestartArgs,
    now: Timestamp,
) -> Result<(Restart, Value), Failure> {
    let mut marked = stored.clone();
    let mut cliques = Vec::new();
    for clique in json::items_mut(&mut marked, CLIQUES) {
        let name = json::member(clique, "name").to_owned();
        if args.clique.is_empty() || args.clique.contains(&name) {
            mark(clique, now, args.reason.as_deref());
            cliques.push(name);
        }
    }
    refuse_unknown(stored, args)?;
    let patch = json!({
        "metadata": {"resourceVersion": json::meta(stored, "resourceVersion")},
        "spec": {"template": {"cliques": json::at(&marked, CLIQUES)}},
    });
    let restart = Restart {
        cliques,
        is_paused: json::at(stored, "/spec/updateStrategy/paused") == &Value::Bool(true),
        is_suspended: json::at(stored, "/spec/suspend") == &Value::Bool(true),
        is_on_delete: json::text(stored, "/spec/updateStrategy/type") == "OnDelete",
    };
    Ok((restart, patch))
}

/// A restart without a reason takes that of an earlier one away.
fn mark(clique: &mut Value, now: Timestamp, reason: Option<&str>) {
    if json::at(clique, "/annotations").is_null() {
        json::set(clique, "", "annotations", json!({}));
    }
    let to_seconds = TimestampRound::new()
        .smallest(Unit::Second)
        .mode(RoundMode::Trunc);
    let time = now.round(to_seconds).unwrap_or(now).to_string();
    json::set(clique, "/annotations", RESTARTED_AT, time.into());
    match reason {
        Some(reason) => json::set(clique, "/annotations", CHANGE_CAUSE, reason.into()),
        None => json::remove(clique, "/annotations", CHANGE_CAUSE),
    }
}

fn refuse_unknown(stored: &Value, args: &RestartArgs) -> Result<(), Failure> {
    let known: Vec<&str> = json::items(stored, CLIQUES)
        .map(|clique| json::member(clique, "name"))
        .collect();
    let unknown = args
        .clique
        .iter()
        .find(|name| !known.contains(&name.as_str()));
    unknown.map_or(Ok(()), |name| {
        Err(Failure::BadInput(format!(
            "podcliqueset {} has no clique {name}; choose from {}",
            args.name,
            known.join(", ")
        )))
    })
}
