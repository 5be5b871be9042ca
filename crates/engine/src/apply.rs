//! Carries out a plan: wave after wave, the actions of a wave at once, each with its precondition.
//!
//! No action relies on the success of another, only on the observed state: a refused write stops
//! its own kind of write and nothing else. If the server does not answer or asks to wait, all
//! writes stop. They also stop if an object cannot be read: the other actions were decided as if it
//! did not exist.

mod check;
mod outcome;

use api::codes;
use domain::Key;
use domain::plan::{Action, Kind, Purpose};
use futures::StreamExt;
use futures::stream::{self, FuturesUnordered};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use crate::backoff::{Blocked, Class, Sent};
use crate::context::Context;
use crate::kinds::find_kind;
use crate::metrics::ByAction;
use crate::requests::{self, RequestError};
pub use outcome::{Failed, Outcome};

/// Writes in flight per reconcile.
const MAX_CONCURRENT_WRITES: usize = 16;
/// Live reads after one decision; the remaining ones follow after the next decision.
const MAX_READS: usize = 64;

/// Carries out `waves` except the writes that are `blocked`.
pub async fn apply_plan(
    context: &Context,
    waves: &[Vec<Action>],
    blocked: &Blocked,
    now: Timestamp,
) -> Outcome {
    let mut outcome = Outcome::default();
    for wave in waves {
        // One pod first: if a quota or a missing ServiceAccount refuses it, the rest is refused
        // too.
        let is_of_pods = matches!(wave.first(), Some(Action::Create(object)) if object.kind() == Kind::of::<Pod>());
        let (first, rest) = wave.split_at(usize::from(is_of_pods));
        for part in [first, rest] {
            apply_wave(context, part, blocked, now, &mut outcome).await;
            if outcome.is_unavailable {
                return outcome;
            }
        }
    }
    outcome
}

/// Carries out actions, some at once. The API server may refuse one and accept another, so all of a
/// kind are tried; if nothing can be written, the rest is left.
async fn apply_wave(
    context: &Context,
    actions: &[Action],
    blocked: &Blocked,
    now: Timestamp,
    outcome: &mut Outcome,
) {
    let failed_before = outcome.failed.clone();
    let mut waiting = actions.iter();
    let mut under_way = FuturesUnordered::new();
    loop {
        while under_way.len() < MAX_CONCURRENT_WRITES {
            let Some(action) = waiting.next() else { break };
            let class = class(action);
            outcome.awaits_version |= blocked.is_outdated(action);
            let is_blocked = blocked.holds(action) || failed_before.contains(&class);
            if !is_blocked && outcome.allows(action) {
                under_way.push(attempt_write(context, action));
            } else {
                outcome.is_cut_short = true;
            }
        }
        let Some((action, result)) = under_way.next().await else {
            return;
        };
        record(context, outcome, action, result, now);
    }
}

fn class(action: &Action) -> Class {
    (action.verb(), action.kind())
}

async fn attempt_write<'a>(
    context: &Context,
    action: &'a Action,
) -> (&'a Action, Result<(), RequestError>) {
    (action, execute(context, action).await)
}

fn record(
    context: &Context,
    outcome: &mut Outcome,
    action: &Action,
    result: Result<(), RequestError>,
    now: Timestamp,
) {
    let label = match &result {
        Ok(()) => "ok",
        Err(RequestError::Conflict | RequestError::NotFound | RequestError::NamespaceEnds) => {
            "conflict"
        }
        Err(_) => "error",
    };
    let labels = ByAction {
        kind: action.kind().name(),
        action: action.verb(),
        result: label,
    };
    context.metrics.actions.get_or_create(&labels).inc();
    let key = action.key();
    match result {
        Ok(()) => {
            outcome.purposes.extend(action.purpose());
            outcome.done.push((action.verb(), action.kind(), key.name));
        }
        Err(RequestError::Conflict | RequestError::NotFound) => {
            outcome.outdated.extend(action.expected_version());
            outcome.conflicts.push((action.kind(), key));
        }
        Err(RequestError::NamespaceEnds) => {
            outcome.namespace_ends = true;
            outcome.failed.insert(class(action));
        }
        Err(error) => report_failure(outcome, action, &key, &error, now),
    }
}

fn report_failure(
    outcome: &mut Outcome,
    action: &Action,
    key: &Key,
    error: &RequestError,
    now: Timestamp,
) {
    let object = &key.name;
    tracing::warn!(action = action.verb(), kind = %action.kind(), object, %error, "write failed");
    let text = format!("{} {} {}: {error}", action.verb(), action.kind(), key.name);
    let code = match error {
        RequestError::NameConflict { .. } => codes::NAME_CONFLICT.to_owned(),
        RequestError::Unavailable(_) => codes::API_UNAVAILABLE.to_owned(),
        RequestError::Throttled { .. } => codes::API_THROTTLED.to_owned(),
        _ => code_of(action),
    };
    let sent = error.is_refusal().then(|| Sent::of(action)).flatten();
    outcome.fail(class(action), code, error, text, sent, now);
}

fn code_of(action: &Action) -> String {
    match action {
        Action::Patch {
            purpose: Purpose::RemoveGate,
            ..
        } => codes::REMOVE_POD_SCHEDULING_GATE.to_owned(),
        _ => codes::of_write(action.verb(), action.kind().name()),
    }
}

async fn execute(context: &Context, action: &Action) -> Result<(), RequestError> {
    let kind = find_kind(action.kind())?;
    match action {
        Action::Create(object) => kind.create(context, object).await,
        Action::Check(asked) => check::ask(context, asked).await,
        Action::Replace(object) => kind.replace(context, object).await,
        Action::ReplaceStatus(object) => {
            let body = object.encode().map_err(requests::malformed)?;
            let key = Key::of(object.meta());
            kind.replace_status(context, &key, body).await
        }
        Action::Merge { target, patch } => kind.merge(context, target, patch).await,
        Action::Patch { patch, .. } => kind.patch(context, patch).await,
        Action::Delete {
            target,
            resource_version,
            ..
        } => {
            let version = resource_version.as_deref();
            kind.delete(context, target, version).await
        }
        Action::Finalizers {
            target,
            resource_version,
            finalizers,
        } => {
            let patch = json!({"metadata": {
                "resourceVersion": resource_version,
                "finalizers": finalizers,
            }});
            kind.merge(context, target, &patch).await
        }
    }
}

/// Reads live the objects that another client changed, some at once, until the API server does not
/// answer.
pub async fn read_all_live(context: &Context, changed: &[(Kind, Key)]) {
    let reads = changed.iter().take(MAX_READS);
    let reads =
        reads.filter_map(|(kind, key)| Some(find_kind(*kind).ok()?.read_live(context, key)));
    let reads: Vec<_> = reads.collect();
    let mut reads = stream::iter(reads).buffer_unordered(MAX_CONCURRENT_WRITES);
    while let Some(is_answered) = reads.next().await {
        if !is_answered {
            return;
        }
    }
}
