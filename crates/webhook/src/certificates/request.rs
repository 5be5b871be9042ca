//! Requests with a deadline, and errors with a remedy.

use std::time::Duration;

use domain::object::text;

use super::error::Error;

/// Admission webhooks may take up to 30 s.
const LIMIT: Duration = Duration::from_secs(35);
/// All that the API server says of a test of a JSON patch that failed.
const FAILED_TEST: &str = "the server rejected our request due to an error in our request";

/// The answer to a request.
pub(super) async fn answer<T>(
    verb: &'static str,
    what: &str,
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, Error> {
    match tokio::time::timeout(LIMIT, request).await {
        Ok(answer) => answer.map_err(|error| explain(verb, what.to_owned(), &error)),
        Err(_) => Err(Error::Unanswered {
            verb,
            what: what.to_owned(),
            limit: LIMIT,
        }),
    }
}

fn explain(verb: &'static str, what: String, error: &kube::Error) -> Error {
    let (code, problem) = match error {
        kube::Error::Api(status) => (status.code, status.message.clone()),
        other => (0, text::with_causes(other)),
    };
    if code == 409 || code == 422 && problem == FAILED_TEST {
        return Error::Conflict { what };
    }
    Error::Refused {
        verb,
        what,
        code,
        problem,
    }
}
