//! Requests of the API server, and their answers (`admission.k8s.io/v1`).
//!
//! Objects stay text until their kind is known: each is decoded once, and an undecodable one gets a
//! normal answer.

use admission::{FieldError, Warning};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

pub use admission::authorizer::Operation;

/// An admission request.
#[derive(Debug, Deserialize)]
pub struct Review<'a> {
    /// The request.
    #[serde(borrow)]
    pub request: Request<'a>,
}

/// The operation and its user.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    /// Returned with the answer.
    pub uid: String,
    /// The kind of the object in messages.
    #[serde(default)]
    pub kind: ObjectKind,
    /// The resource of the object.
    pub resource: Resource,
    /// Such as `scale`; empty for the object itself.
    #[serde(default)]
    pub sub_resource: String,
    /// Name of the object; empty if the API server makes one.
    #[serde(default)]
    pub name: String,
    /// Its namespace; empty for cluster-scoped kinds.
    #[serde(default)]
    pub namespace: String,
    /// The operation.
    pub operation: Operation,
    /// The user.
    #[serde(default)]
    pub user_info: UserInfo,
    /// The new object.
    #[serde(borrow)]
    pub object: Option<&'a RawValue>,
    /// The stored object.
    #[serde(borrow)]
    pub old_object: Option<&'a RawValue>,
}

/// A kind, as objects name it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ObjectKind {
    /// Such as `PodCliqueSet`.
    pub kind: String,
}

/// A kind, as paths name it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Resource {
    /// API group; empty for Kubernetes' own first kinds.
    pub group: String,
    /// Plural name.
    pub resource: String,
}

/// The user.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInfo {
    /// Name of the account.
    pub username: String,
    /// Its groups.
    pub groups: Vec<String>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It may be done.
    Allowed {
        /// Changes to the object that is sent, as a JSON patch.
        patch: Option<Value>,
        /// Warnings that kubectl prints.
        warnings: Vec<String>,
    },
    /// The object is invalid.
    Invalid(Vec<FieldError>),
    /// It is not allowed, or cannot be checked.
    Refused {
        /// HTTP status code.
        code: u16,
        /// The reason with which `kubectl` begins its message.
        reason: &'static str,
        /// The problem and the remedy.
        message: String,
    },
}

impl Answer {
    /// Allows the request without a warning.
    pub fn allowed() -> Self {
        Self::Allowed {
            patch: None,
            warnings: Vec::new(),
        }
    }

    /// Refuses an object with errors, and allows one without, with these warnings.
    pub fn judged(errors: Vec<FieldError>, warnings: &[Warning]) -> Self {
        if !errors.is_empty() {
            return Self::Invalid(errors);
        }
        Self::Allowed {
            patch: None,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        }
    }

    /// The user may not do that.
    pub fn forbidden(message: String) -> Self {
        Self::Refused {
            code: 403,
            reason: "Forbidden",
            message,
        }
    }

    /// The object cannot be decoded.
    pub fn undecodable(what: &str, error: &Undecodable) -> Self {
        Self::Refused {
            code: 400,
            reason: "BadRequest",
            message: format!("{what} cannot be read: {error}; correct this field"),
        }
    }
}

/// Where an object cannot be decoded, and why.
pub type Undecodable = serde_path_to_error::Error<serde_json::Error>;

/// Decodes an object.
pub fn decode<T: DeserializeOwned>(object: &RawValue) -> Result<T, Undecodable> {
    let mut text = serde_json::Deserializer::from_str(object.get());
    serde_path_to_error::deserialize(&mut text)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusCause<'a> {
    reason: &'static str,
    message: String,
    field: &'a str,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
}

/// The answer in the API server's form. Errors look like those of its own rules: one line each,
/// with the path of the field.
pub fn encode(request: &Request<'_>, answer: &Answer) -> Value {
    let uid = request.uid.as_str();
    let response = match answer {
        Answer::Allowed { patch, warnings } => Response {
            uid,
            allowed: true,
            warnings,
            patch_type: patch.is_some().then_some("JSONPatch"),
            patch: patch.as_ref().map(|p| STANDARD.encode(p.to_string())),
            ..Response::default()
        },
        Answer::Invalid(errors) => Response {
            uid,
            status: Some(invalid(request, errors)),
            ..Response::default()
        },
        Answer::Refused {
            code,
            reason,
            message,
        } => Response {
            uid,
            status: Some(json!({
                "status": "Failure", "code": code, "reason": reason, "message": message,
            })),
            ..Response::default()
        },
    };
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": response,
    })
}

fn invalid(request: &Request<'_>, errors: &[FieldError]) -> Value {
    let causes: Vec<StatusCause<'_>> = errors.iter().map(describe_cause).collect();
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    json!({
        "status": "Failure",
        "code": 422,
        "reason": "Invalid",
        "message": lines.join("\n"),
        "details": {
            "group": request.resource.group,
            "kind": request.kind.kind,
            "name": request.name,
            "causes": causes,
        },
    })
}

fn describe_cause(error: &FieldError) -> StatusCause<'_> {
    let text = error.to_string();
    let message = text.strip_prefix(&error.path).unwrap_or(&text);
    StatusCause {
        reason: "FieldValueInvalid",
        message: message.trim_start_matches(": ").to_owned(),
        field: &error.path,
    }
}
