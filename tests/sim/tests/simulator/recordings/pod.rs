//! A recorded status in one line.

use serde_json::{Value, json};
use sim::view;
use testkit::recordings::RecordedStep;

/// Whether the pod has succeeded and was not deleted before.
pub fn is_completed(step: &RecordedStep) -> bool {
    step.deletion.is_none() && view::text(&step.status, "/phase") == "Succeeded"
}

/// The same without the deletion of the pod; `None` once that is unknown, because the pod ended due
/// to the deletion. A pod that others delete has a condition about it.
pub fn without_deletion(step: &RecordedStep, is_undone: bool) -> Option<RecordedStep> {
    let mut others = view::list(&step.status, "/conditions");
    let is_disrupted = others.any(|c| view::text(c, "/type") == "DisruptionTarget");
    if !is_undone || is_disrupted || step.deletion.is_none() {
        return Some(step.clone());
    }
    let ended = view::exit_codes(&json!({"status": step.status}));
    let was_killed = ended.iter().any(|code| [137, 143].contains(code));
    let deletion = None;
    (!was_killed && !step.is_end).then(|| RecordedStep {
        deletion,
        ..step.clone()
    })
}

/// The status in words.
pub fn describe(step: &RecordedStep) -> String {
    if step.is_end {
        return "w-0 is gone".to_owned();
    }
    let status = &step.status;
    let mut parts = vec![view::text(status, "/phase").to_owned()];
    parts.extend(reason(status));
    parts.extend((!step.is_bound).then(|| "not bound".to_owned()));
    parts.extend(conditions(status));
    for list in ["/initContainerStatuses", "/containerStatuses"] {
        parts.extend(view::list(status, list).map(container));
    }
    parts.extend(step.deletion.map(|_| "deleted".to_owned()));
    format!("w-0 {}", parts.join(", "))
}

fn reason(status: &Value) -> Option<String> {
    let reason = view::text(status, "/reason");
    (!reason.is_empty()).then(|| reason.to_owned())
}

fn conditions(status: &Value) -> impl Iterator<Item = String> {
    let is_telling = |c: &&Value| {
        let (type_, value) = (view::text(c, "/type"), view::text(c, "/status"));
        match type_ {
            "Ready" | "DisruptionTarget" => true,
            "PodScheduled" => value == "False",
            _ => false,
        }
    };
    let all = view::list(status, "/conditions").filter(is_telling);
    all.map(|c| {
        let (type_, value) = (view::text(c, "/type"), view::text(c, "/status"));
        format!("{type_}={value} {}", view::text(c, "/reason"))
            .trim()
            .to_owned()
    })
}

fn container(container: &Value) -> String {
    let restarts = view::number(container, "/restartCount");
    let text = format!(
        "{}: {}",
        view::text(container, "/name"),
        state(&container["state"])
    );
    if restarts > 0 {
        let last = state(&container["lastState"]);
        return format!("{text} ({restarts} restarts, last {last})");
    }
    text
}

fn state(state: &Value) -> String {
    if let Some(ended) = state.get("terminated") {
        let (reason, code) = (
            view::text(ended, "/reason"),
            view::number(ended, "/exitCode"),
        );
        return format!("ended {reason}/{code}");
    }
    if let Some(waiting) = state.get("waiting") {
        return format!("waits {}", view::text(waiting, "/reason"));
    }
    if state.get("running").is_some() {
        return "runs".to_owned();
    }
    "unknown".to_owned()
}
