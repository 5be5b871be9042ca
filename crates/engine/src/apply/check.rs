//! Asks the API server whether it would create a pod (docs/semantics.md §14.1).

use domain::Pod;
use domain::object::quantity::parse_quantity;
use domain::plan::{Check, CheckAnswer};
use domain::update::QUOTA;

use crate::context::Context;
use crate::requests::{RequestError, malformed};

/// The API server's words if a webhook is not called in a dry run.
const NO_DRY_RUN: &str = "does not support dry run";

/// Sends the pod as a dry run and keeps the answer. An error is no answer: the question is repeated.
pub(super) async fn ask(context: &Context, check: &Check) -> Result<(), RequestError> {
    let namespace = check.pod.meta().namespace.as_deref().unwrap_or_default();
    let body = check.pod.encode().map_err(malformed)?;
    let sent = context
        .requests
        .dry_run_create::<Pod>(namespace, body)
        .await;
    let answer = interpret(sent.map(|_| ()), check)?;
    let answers = &context.caches.check_answers;
    answers.insert(&check.template, answer, context.now());
    Ok(())
}

/// Interprets the answer to a dry run. Validation and admission come before the name: a pod whose
/// name is taken passed them.
fn interpret(sent: Result<(), RequestError>, check: &Check) -> Result<CheckAnswer, RequestError> {
    match sent {
        Ok(()) | Err(RequestError::AlreadyExists | RequestError::Conflict) => {
            Ok(CheckAnswer::Accepted)
        }
        Err(RequestError::Refused { code: 400, message }) if message.contains(NO_DRY_RUN) => {
            Ok(CheckAnswer::Accepted)
        }
        Err(RequestError::Refused { code: 403, message })
            if message.contains(QUOTA) && may_fit(&message, check) =>
        {
            Ok(CheckAnswer::Accepted)
        }
        Err(RequestError::Refused { message, .. }) => Ok(CheckAnswer::Refused(message)),
        Err(error) => Err(error),
    }
}

/// Whether the pod fits into the quota once the pod that it replaces is gone. The API server writes
/// `exceeded quota: name, requested: cpu=2, used: cpu=9, limited: cpu=10`.
fn may_fit(message: &str, check: &Check) -> bool {
    let amounts = |word: &str| {
        let text = message.split(word).nth(1).unwrap_or_default();
        let end = text.find(": ").unwrap_or(text.len());
        let text = text.get(..end).unwrap_or_default();
        text.split([',', ' '])
            .filter_map(|pair| pair.split_once('='))
            .filter_map(|(name, amount)| Some((name.to_owned(), parse_quantity(amount)?)))
            .collect::<Vec<_>>()
    };
    let find = |all: &[(String, f64)], name: &str| {
        let mut all = all.iter();
        all.find(|(other, _)| other == name)
            .map(|(_, amount)| *amount)
    };
    let (used, limited) = (amounts("used: "), amounts("limited: "));
    amounts("requested: ").iter().all(|(name, requested)| {
        let freed = check.frees.get(name).copied().unwrap_or_default();
        let (used, limited) = (find(&used, name), find(&limited, name));
        used.zip(limited)
            .is_none_or(|(used, limited)| *requested <= limited - used + freed + f64::EPSILON)
    })
}
