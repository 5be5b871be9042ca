//! An API server made of canned answers; it keeps what it was asked.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use engine::Hub;
use engine::metrics::Metrics;
use engine::requests::Requests;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// Requests as `METHOD path`, in the order of arrival; lists with their query.
pub type Asked = Arc<Mutex<Vec<String>>>;

/// A hub whose requests get these answers, one after the other.
pub fn hub(answers: Vec<(u16, Value)>) -> (Arc<Hub>, Asked) {
    let (client, asked) = client(answers);
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client, metrics.clone());
    (Arc::new(Hub::new(requests, metrics)), asked)
}

/// A client whose requests get these answers, one after the other.
pub fn client(answers: Vec<(u16, Value)>) -> (Client, Asked) {
    let asked = Asked::default();
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let log = asked.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (method, uri) = (request.method(), request.uri());
        let query = uri.query().filter(|q| !q.is_empty());
        let query = query.map_or(String::new(), |q| format!("?{q}"));
        log.lock()
            .unwrap()
            .push(format!("{method} {}{query}", uri.path()));
        let next = answers.lock().unwrap().pop_front();
        let (code, body) = next.unwrap_or((500, failure(500, "InternalError")));
        let response = Response::builder()
            .status(code)
            .body(Body::from(body.to_string().into_bytes()));
        async move { Ok::<_, Infallible>(response.unwrap()) }
    });
    (Client::new(service, "default"), asked)
}

/// A Status object of the API server.
pub fn failure(code: u16, reason: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "message": format!("{reason} from the server"), "reason": reason, "code": code,
    })
}
