//! Single requests: each bounded in time, counted, and answered in terms that decide what to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Key;
use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams, Preconditions,
};
use kube::core::DeserializeGuard;
use kube::core::Request;
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::metrics::{ByRequest, Metrics};
use crate::scope::Scope;

/// No answer for this long counts as none; one hung call must not block its object for ever.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why a request did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// An object of that name exists.
    #[error("an object of this name exists")]
    AlreadyExists,
    /// The object is not there.
    #[error("not found")]
    NotFound,
    /// The object changed, or is another one than was meant.
    #[error("the object changed meanwhile")]
    Conflict,
    /// The name is taken by an object of somebody else, and that one stays.
    #[error(
        "NameConflict: this name is taken by an object that belongs to {holder}; delete or rename \
         that object"
    )]
    NameConflict {
        /// Who it belongs to.
        holder: String,
    },
    /// The API server refuses; asking again at once is of no use.
    #[error("{message}")]
    Refused {
        /// HTTP status code.
        code: u16,
        /// What the API server says.
        message: String,
    },
    /// The answer is an object with a field that is not what it can be. A write was carried out.
    #[error("the object that is there cannot be read: {0}; correct it or delete it")]
    Unreadable(String),
    /// The API server could not be asked, or is busy. It may have done what was asked.
    #[error("the API server gave no answer: {0}")]
    Unavailable(String),
}

impl From<kube::Error> for RequestError {
    fn from(error: kube::Error) -> Self {
        let status = match error {
            kube::Error::Api(status) => status,
            kube::Error::SerdeError(error) => return Self::Unreadable(error.to_string()),
            error => return Self::Unavailable(error.to_string()),
        };
        match (status.code, status.reason.as_str()) {
            (409, "AlreadyExists") => Self::AlreadyExists,
            (404, _) => Self::NotFound,
            (409, _) => Self::Conflict,
            // What the API server says of a patch that names the uid of an object that is gone.
            (422, _) if is_another_object(&status) => Self::Conflict,
            // The namespace goes away, and everything in it: nothing to tell anybody.
            (403, _) if status.message.contains("because it is being terminated") => Self::Conflict,
            // For half a minute after definitions were installed, where whoever blocks the deletion
            // of an owner is asked for its rights: the plugin does not know the owner's kind yet.
            (403, _) if status.message.contains("cannot find RESTMapping") => {
                Self::Unavailable(status.message.clone())
            }
            // The store's words, passed on as an internal error: it will say so each time.
            (500, _) if status.message.contains("request is too large") => Self::Refused {
                code: 500,
                message: status.message.clone(),
            },
            (429 | 500.., _) => Self::Unavailable(status.message.clone()),
            (code, _) => Self::Refused {
                code,
                message: status.message.clone(),
            },
        }
    }
}

fn is_another_object(status: &kube::core::Status) -> bool {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    causes
        .into_iter()
        .any(|cause| cause.field == "metadata.uid")
}

impl RequestError {
    fn code(&self) -> u16 {
        match self {
            Self::AlreadyExists | Self::Conflict | Self::NameConflict { .. } => 409,
            Self::NotFound => 404,
            Self::Refused { code, .. } => *code,
            Self::Unreadable(_) => 200,
            Self::Unavailable(_) => 0,
        }
    }
}

type Answer<R> = Result<R, RequestError>;

/// Sends requests.
#[derive(Clone, Debug)]
pub struct Requests {
    client: ClientBox,
    metrics: Arc<Metrics>,
    writes_left: Arc<AtomicI64>,
}

/// A client that prints as nothing.
#[derive(Clone)]
struct ClientBox(Client);

impl std::fmt::Debug for ClientBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl Requests {
    /// Through this client.
    pub fn new(client: Client, metrics: Arc<Metrics>) -> Self {
        Self {
            client: ClientBox(client),
            metrics,
            writes_left: Arc::new(AtomicI64::new(exit_after())),
        }
    }

    /// POST. `R` is what the answer is decoded to, `B` what is sent.
    pub async fn create<R, B>(&self, namespace: &str, body: &B) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
        B: Serialize,
    {
        let request = path::<R>(namespace).create(&PostParams::default(), encode(body)?);
        self.write("create", resource::<R>(), "", request).await
    }

    /// PUT of a whole object.
    pub async fn replace<R, B>(&self, key: &Key, body: &B) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
        B: Serialize,
    {
        let pp = PostParams::default();
        let request = path::<R>(&key.namespace).replace(&key.name, &pp, encode(body)?);
        self.write("update", resource::<R>(), "", request).await
    }

    /// PUT of the status, guarded by the resourceVersion. The API server takes nothing else from
    /// the body, so nothing else is sent.
    pub async fn replace_status<R, S>(&self, object: &R, status: &S) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
        S: Serialize,
    {
        let key = Key::of(object.meta());
        let body = json!({
            "apiVersion": R::api_version(&()),
            "kind": R::kind(&()),
            "metadata": {
                "name": key.name,
                "namespace": key.namespace,
                "uid": object.meta().uid,
                "resourceVersion": object.meta().resource_version,
            },
            "status": status,
        });
        let pp = PostParams::default();
        let request =
            path::<R>(&key.namespace).replace_subresource("status", &key.name, &pp, encode(&body)?);
        self.write("update", resource::<R>(), "status", request)
            .await
    }

    /// JSON merge patch.
    pub async fn merge<R>(&self, key: &Key, patch: &Value) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.patch(key, &Patch::Merge(patch)).await
    }

    /// JSON patch. A failed test is answered as a conflict.
    pub async fn json_patch<R>(&self, key: &Key, operations: &Value) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        // The API server says of a failed test only this.
        const FAILED_TEST: &str = "the server rejected our request due to an error in our request";
        let patch: json_patch::Patch =
            serde_json::from_value(operations.clone()).map_err(malformed)?;
        match self.patch(key, &Patch::<()>::Json(patch)).await {
            Err(RequestError::Refused { code: 422, message }) if message == FAILED_TEST => {
                Err(RequestError::Conflict)
            }
            answer => answer,
        }
    }

    async fn patch<R, P>(&self, key: &Key, patch: &Patch<P>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
        P: Serialize + std::fmt::Debug,
    {
        let request = path::<R>(&key.namespace).patch(&key.name, &PatchParams::default(), patch);
        self.write("patch", resource::<R>(), "", request).await
    }

    /// DELETE of the object with this uid, in this version if one is named. Children follow in the
    /// background.
    pub async fn delete<R>(&self, key: &Key, uid: &str, version: Option<&str>) -> Answer<()>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let params = DeleteParams::background().preconditions(Preconditions {
            uid: Some(uid.to_owned()),
            resource_version: version.map(str::to_owned),
        });
        let request = path::<R>(&key.namespace).delete(&key.name, &params);
        self.write::<Value>("delete", resource::<R>(), "", request)
            .await
            .map(|_| ())
    }

    /// GET.
    pub async fn get<R>(&self, key: &Key) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let request = path::<R>(&key.namespace).get(&key.name, &GetParams::default());
        self.send("get", resource::<R>(), "", request).await
    }

    /// LIST in that scope of what these labels select; what cannot be decoded is left out.
    pub async fn list<R>(&self, scope: &Scope, selector: &str) -> Answer<Vec<R>>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned + Clone,
    {
        let all = Request::new(R::url_path(&(), scope.namespace()));
        let request = all.list(&ListParams::default().labels(selector));
        let list: ObjectList<DeserializeGuard<R>> =
            self.send("list", resource::<R>(), "", request).await?;
        Ok(list
            .items
            .into_iter()
            .filter_map(|item| item.0.ok())
            .collect())
    }

    async fn write<R: DeserializeOwned>(
        &self,
        verb: &'static str,
        resource: String,
        subresource: &'static str,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Answer<R> {
        let answer = self.send(verb, resource, subresource, request).await;
        if answer.is_ok() && self.writes_left.fetch_sub(1, Ordering::SeqCst) == 1 {
            tracing::error!("GROVE_EXIT_AFTER_WRITE: ending here");
            std::process::exit(77);
        }
        answer
    }

    async fn send<R: DeserializeOwned>(
        &self,
        verb: &'static str,
        resource: String,
        subresource: &'static str,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Answer<R> {
        let request = request.map_err(malformed)?;
        let answer = match tokio::time::timeout(TIMEOUT, self.client.0.request::<R>(request)).await
        {
            Ok(answer) => answer.map_err(RequestError::from),
            Err(_) => Err(RequestError::Unavailable(format!(
                "none within {TIMEOUT:?}"
            ))),
        };
        let code = answer.as_ref().err().map_or(200, RequestError::code);
        let labels = ByRequest {
            verb,
            resource,
            subresource,
            code,
        };
        self.metrics.requests.get_or_create(&labels).inc();
        answer
    }
}

fn path<R: Resource<DynamicType = ()>>(namespace: &str) -> Request {
    Request::new(R::url_path(&(), Some(namespace)))
}

fn resource<R: Resource<DynamicType = ()>>() -> String {
    R::plural(&()).into_owned()
}

fn encode<B: Serialize>(body: &B) -> Answer<Vec<u8>> {
    serde_json::to_vec(body).map_err(malformed)
}

fn malformed(error: impl std::fmt::Display) -> RequestError {
    RequestError::Refused {
        code: 400,
        message: error.to_string(),
    }
}

/// Crash tests of debug builds end the operator right after its n-th write.
fn exit_after() -> i64 {
    let asked = if cfg!(debug_assertions) {
        std::env::var("GROVE_EXIT_AFTER_WRITE").ok()
    } else {
        None
    };
    asked.and_then(|n| n.parse().ok()).unwrap_or(0)
}
