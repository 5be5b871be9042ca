//! An operator of some namespaces, against an API server with canned answers.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use operator::run::run;
use serde_json::{Value, json};

use crate::with;

type Asked = Arc<Mutex<Vec<String>>>;

fn answer(method: &Method, path: &str) -> (u16, Value) {
    let refusal = |code: u16| {
        let status = json!({"kind": "Status", "status": "Failure", "code": code, "message": "no"});
        (code, status)
    };
    let set = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "x", "namespace": "a", "uid": "x", "resourceVersion": "3"},
        "spec": {"replicas": 1, "template": {"cliques": []}},
    });
    match method.as_str() {
        // Its Role went with it.
        "GET" if path.contains("/namespaces/gone/") || path.contains("openapi") => refusal(403),
        "GET" => {
            let items = if path.ends_with("podcliquesets") {
                vec![set]
            } else {
                vec![]
            };
            let metadata = json!({"resourceVersion": "5"});
            (
                200,
                json!({"kind": "L", "apiVersion": "v1", "metadata": metadata, "items": items}),
            )
        }
        _ => refusal(503),
    }
}

fn client(asked: &Asked) -> Client {
    let asked = asked.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let is_watch = request
            .uri()
            .query()
            .is_some_and(|q| q.contains("watch=true"));
        asked.lock().unwrap().push(format!("{method} {path}"));
        async move {
            if is_watch {
                std::future::pending::<()>().await;
            }
            let (code, body) = answer(&method, &path);
            let body = Body::from(body.to_string().into_bytes());
            Ok::<_, Infallible>(Response::builder().status(code).body(body).unwrap())
        }
    });
    Client::new(service, "default")
}

/// It existed at the last start of the operator, and its tenant has deleted it since.
#[tokio::test]
async fn one_that_is_gone_stops_no_other() {
    let config = with(
        "server:
  healthProbes: {bindAddress: 127.0.0.1, port: 0}
  metrics: {bindAddress: 127.0.0.1, port: 0}
watchNamespaces: [gone, a]
",
    );
    let asked = Asked::default();
    let running = run(config.unwrap(), client(&asked));
    let is_served = async {
        let is_write =
            |asked: &String| !asked.starts_with("GET") && asked.contains("/namespaces/a/");
        while !asked.lock().unwrap().iter().any(is_write) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let served = tokio::time::timeout(Duration::from_secs(10), is_served);
    tokio::select! {
        ended = running => panic!("{ended:?}"),
        served = served => served.unwrap(),
    }
}
