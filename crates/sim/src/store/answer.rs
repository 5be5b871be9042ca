//! Answers.

use serde_json::{Value, json};

/// An answer: HTTP status code and body.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// HTTP status code.
    pub code: u16,
    /// The object, or a Status.
    pub body: Value,
}

impl Answer {
    /// 200 with this object.
    pub fn ok(body: Value) -> Self {
        Self { code: 200, body }
    }

    /// 201 with this object.
    pub fn created(body: Value) -> Self {
        Self { code: 201, body }
    }

    /// A refusal.
    pub fn failure(code: u16, reason: &str, message: &str) -> Self {
        let body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": reason, "code": code,
        });
        Self { code, body }
    }

    /// 404.
    pub fn not_found(message: &str) -> Self {
        Self::failure(404, "NotFound", message)
    }

    /// 409 because the present state differs from the expected one.
    pub fn conflict(message: &str) -> Self {
        Self::failure(409, "Conflict", message)
    }

    /// 422 because a patch names the uid of another object.
    pub fn another_uid() -> Self {
        let mut answer = Self::invalid("metadata.uid: Invalid value: field is immutable");
        let cause = json!({"reason": "FieldValueInvalid", "field": "metadata.uid"});
        answer.body["details"] = json!({"causes": [cause]});
        answer
    }

    /// 422.
    pub fn invalid(message: &str) -> Self {
        Self::failure(422, "Invalid", message)
    }
}
