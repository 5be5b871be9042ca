//! Interprets an answer that is no success.

use std::time::Duration;

use domain::object::text::cut_text;
use http::{HeaderMap, header};
use kube::core::Status;

/// Longest part of an API server's message that is passed on, in characters.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Why a request did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// An object of that name exists.
    #[error("an object of this name exists")]
    AlreadyExists,
    /// The object is not there.
    #[error("not found")]
    NotFound,
    /// The object changed, or another object has its name.
    #[error("the object changed meanwhile")]
    Conflict,
    /// An object with another owner has the name and stays.
    #[error(
        "NameConflict: this name is taken by an object that belongs to {holder}; delete or rename \
         that object"
    )]
    NameConflict {
        /// The owner of that object.
        holder: String,
    },
    /// The API server refuses; an immediate retry is of no use.
    #[error("{message}")]
    Refused {
        /// HTTP status code.
        code: u16,
        /// The API server's message.
        message: String,
    },
    /// The answer is an object with an invalid field. A write was carried out.
    #[error("the existing object cannot be read: {0}; correct it or delete it")]
    Unreadable(String),
    /// The API server is overloaded and asks to wait. It did nothing.
    #[error("the API server is overloaded and asks to wait for {after:?}: {message}")]
    Throttled {
        /// How long.
        after: Duration,
        /// The server's message.
        message: String,
    },
    /// A required webhook cannot be reached. Nothing was done.
    #[error("{0}; repair this webhook, or remove its configuration")]
    WebhookFailed(String),
    /// The namespace goes away, and everything in it: nothing is created there any more.
    #[error("the namespace is being deleted")]
    NamespaceEnds,
    /// This process does not lead, or does not lead any more. Nothing was sent.
    #[error("this operator does not lead: the leader writes")]
    NotLeading,
    /// The API server could not be reached, or failed. It may have carried out the request.
    #[error("the API server gave no answer: {0}")]
    Unavailable(String),
}

/// Interprets an answer that is no success.
pub(super) fn refused(status: &Status, after: Duration) -> RequestError {
    let says = |words: &str| status.message.contains(words);
    // The message may repeat a value of any length, and goes into a status that has to be stored.
    let message = cut_text(&status.message, MAX_MESSAGE_CHARS);
    let refused = |code, message| RequestError::Refused { code, message };
    match (status.code, status.reason.as_str()) {
        // A webhook chooses the code of its refusal.
        (code, _) if says("admission webhook") && says("denied the request") => {
            refused(code, message)
        }
        (500, _) if says("failed calling webhook") => RequestError::WebhookFailed(message),
        (409, "AlreadyExists") => RequestError::AlreadyExists,
        (404, _) => RequestError::NotFound,
        (409, _) => RequestError::Conflict,
        // The API server's answer to a patch that names the uid of an object that is gone.
        (422, _) if is_another_object(status) => RequestError::Conflict,
        (403, _) if says("because it is being terminated") => RequestError::NamespaceEnds,
        // For half a minute after definitions were installed, if the API server checks the rights
        // of a client that sets `blockOwnerDeletion`: the admission plugin does not know the
        // owner's kind yet.
        (403, _) if says("cannot find RESTMapping") => RequestError::Unavailable(message),
        // A message of the store, passed on as an internal error: it repeats on each try.
        (500, _) if says("request is too large") => refused(500, message),
        (429, _) => RequestError::Throttled { after, message },
        (500.., _) => RequestError::Unavailable(message),
        (code, _) => refused(code, message),
    }
}

fn is_another_object(status: &Status) -> bool {
    status
        .details
        .iter()
        .flat_map(|details| &details.causes)
        .any(|cause| cause.field == "metadata.uid")
}

/// Not longer than the wait of a refused write: a proxy in front of an API server may ask for
/// hours.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(1);

/// `Retry-After`, in seconds as API servers send it.
pub(super) fn retry_after(headers: &HeaderMap) -> Duration {
    let header = headers.get(header::RETRY_AFTER);
    let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or(0)).min(MAX_RETRY_AFTER)
}

impl RequestError {
    pub(super) fn code(&self) -> u16 {
        match self {
            Self::AlreadyExists | Self::Conflict | Self::NameConflict { .. } => 409,
            Self::NotFound => 404,
            Self::Refused { code, .. } => *code,
            Self::Throttled { .. } => 429,
            Self::WebhookFailed(_) => 500,
            Self::NamespaceEnds => 403,
            Self::Unreadable(_) => 200,
            Self::NotLeading | Self::Unavailable(_) => 0,
        }
    }

    /// Whether the answer stays the same if nothing changes.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::NameConflict { .. } | Self::Refused { .. } | Self::WebhookFailed(_)
        )
    }
}
