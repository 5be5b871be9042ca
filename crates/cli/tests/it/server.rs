//! An API server with a few objects, which records its requests.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use cli::cluster::Cluster;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// Objects in one page, regardless of the requested limit.
const PAGE: usize = 2;

#[derive(Clone, Default)]
pub struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// By path of the collection.
    objects: BTreeMap<String, Vec<Value>>,
    /// Whole answers by path: a status and a text.
    answers: BTreeMap<String, (u16, String)>,
    asked: Vec<Asked>,
}

/// A request as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
}

impl Server {
    /// Adds an object to the collection at that path.
    pub fn put(&self, collection: &str, object: Value) {
        let mut state = self.0.lock().unwrap();
        let all = state.objects.entry(collection.to_owned()).or_default();
        all.push(object);
    }

    /// Answers all requests for that path with this response.
    pub fn answer(&self, path: &str, code: u16, text: &str) {
        let mut state = self.0.lock().unwrap();
        let answer = (code, text.to_owned());
        state.answers.insert(path.to_owned(), answer);
    }

    /// Forbids that path, as the API server does.
    pub fn forbid(&self, path: &str) {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
            "reason": "Forbidden", "message": format!("{} is forbidden", path.rsplit('/').next().unwrap()),
        });
        self.answer(path, 403, &status.to_string());
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.0.lock().unwrap().asked.clone()
    }

    /// The cluster, with namespace `ml`.
    pub fn cluster(&self) -> Cluster {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (code, text) = server.respond(&request);
            let body = Body::from(text.into_bytes());
            let response = Response::builder().status(code).body(body).unwrap();
            async move { Ok::<_, Infallible>(response) }
        });
        Cluster {
            client: Client::new(service, "default"),
            namespace: "ml".to_owned(),
        }
    }

    fn respond(&self, request: &Request<Body>) -> (u16, String) {
        let path = request.uri().path().trim_end_matches('/').to_owned();
        let query = query_of(request.uri().query().unwrap_or_default());
        let mut state = self.0.lock().unwrap();
        state.asked.push(Asked {
            method: request.method().to_string(),
            path: path.clone(),
            query: query.clone(),
        });
        if let Some(answer) = state.answers.get(&path) {
            return answer.clone();
        }
        if let Some(all) = state.objects.get(&path) {
            return (200, page(all, &query).to_string());
        }
        let (collection, name) = path.rsplit_once('/').unwrap();
        let found = state.objects.get(collection);
        let found = found.and_then(|all| all.iter().find(|o| o["metadata"]["name"] == name));
        if let Some(object) = found {
            return (200, object.to_string());
        }
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
            "reason": "NotFound", "message": format!("{path} not found"),
        });
        (404, status.to_string())
    }
}

/// A page of the objects that the label selector selects.
fn page(all: &[Value], query: &BTreeMap<String, String>) -> Value {
    let selector = query.get("labelSelector").filter(|s| !s.is_empty());
    let is_selected = |object: &&Value| {
        selector.is_none_or(|selector| {
            let (key, value) = selector.split_once('=').unwrap();
            object["metadata"]["labels"][key] == value
        })
    };
    let selected: Vec<&Value> = all.iter().filter(is_selected).collect();
    let begin: usize = query.get("continue").map_or(0, |c| c.parse().unwrap());
    let end = (begin + PAGE).min(selected.len());
    let next = if end < selected.len() {
        end.to_string()
    } else {
        String::new()
    };
    json!({
        "kind": "List", "apiVersion": "v1",
        "metadata": {"resourceVersion": "1", "continue": next},
        "items": selected[begin..end],
    })
}

fn query_of(query: &str) -> BTreeMap<String, String> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs.into_owned().collect()
}
