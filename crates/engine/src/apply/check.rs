//! Asks the API server whether it would create a pod (docs/semantics.md §14.1).

use domain::Pod;
use domain::plan::{Check, CheckAnswer};

use crate::context::Context;
use crate::requests::{RequestError, malformed};

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

/// Interprets the answer to a dry run.
fn interpret(sent: Result<(), RequestError>, check: &Check) -> Result<CheckAnswer, RequestError> {
    let (code, message) = match sent {
        Ok(()) => (201, String::new()),
        Err(RequestError::AlreadyExists | RequestError::Conflict) => (409, String::new()),
        Err(RequestError::Refused { code, message }) => (code, message),
        Err(error) => return Err(error),
    };
    Ok(CheckAnswer::of_response(code, &message, check))
}
