//! The way from the operator's client to the store: each request waits until the run decides its
//! fate.

use std::sync::{Arc, Mutex};

use futures::channel::oneshot;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use sim::check::Horizon;
use sim::{Answer, Call};

/// A waiting request.
pub struct Parked {
    /// The request.
    pub call: Call,
    /// `None`: the connection breaks.
    pub answer: oneshot::Sender<Option<Answer>>,
    /// How much the operator had seen of the input of its decision.
    pub horizon: Option<Horizon>,
    /// Length of the log when it was sent.
    pub sent: Option<usize>,
}

/// All waiting requests, in order of arrival.
pub type Lot = Arc<Mutex<Vec<Parked>>>;

/// A client whose requests are parked.
pub fn client(lot: &Lot) -> Client {
    let lot = lot.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let lot = lot.clone();
        async move {
            let (head, body) = request.into_parts();
            let bytes = body.collect_bytes().await.map_err(|e| e.to_string())?;
            let kind = head.headers.get("content-type");
            let call = Call {
                method: Call::method_of(head.method.as_str(), head.uri.query()),
                path: head.uri.path().to_owned(),
                content_type: kind.map_or("", |k| k.to_str().unwrap_or("")).to_owned(),
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
            };
            let (sender, receiver) = oneshot::channel();
            lot.lock().unwrap().push(Parked {
                call,
                answer: sender,
                horizon: None,
                sent: None,
            });
            match receiver.await {
                Ok(Some(answer)) => Ok(Response::builder()
                    .status(answer.code)
                    .body(Body::from(answer.body.to_string().into_bytes()))
                    .unwrap()),
                _ => Err("connection reset".to_owned()),
            }
        }
    });
    Client::new(service, "default")
}
