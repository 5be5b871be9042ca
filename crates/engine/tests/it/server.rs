//! An API server with canned answers; it keeps the requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::{PodClique, PodCliqueStatus};
use domain::Pod;
use domain::plan::Plan;
use engine::metrics::Metrics;
use engine::requests::Requests;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Context, ControllerName, Controllers, Pace, Reconciler};
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// Requests as `METHOD path`, in the order of arrival; lists with their query.
pub type Asked = Arc<Mutex<Vec<String>>>;

/// Bodies of requests.
pub type Bodies = Arc<Mutex<Vec<Value>>>;

/// A context whose requests get these answers, one after the other.
pub fn context(answers: Vec<(u16, Value)>) -> (Arc<Context>, Asked) {
    let (context, asked, _) = context_that_keeps_bodies(answers);
    (context, asked)
}

/// The same, which also keeps the bodies.
pub fn context_that_keeps_bodies(answers: Vec<(u16, Value)>) -> (Arc<Context>, Asked, Bodies) {
    let (client, asked, bodies) = client_that_keeps_bodies(answers);
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client, metrics.clone());
    (
        Arc::new(Context::new(requests, metrics, controllers())),
        asked,
        bodies,
    )
}

/// The only controller of these tests.
pub const PODCLIQUE: ControllerName = ControllerName("podclique");

/// Decides nothing about PodCliques.
pub struct Idle;

impl Reconciler for Idle {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = ();
    const NAME: ControllerName = PODCLIQUE;

    fn triggers(on: &mut TriggersOf<'_>) {
        on.on_change::<PodClique>(|change, _| find::own(change));
        on.on_settled::<Pod>(|settled, _| settled.owner.clone().into_iter().collect());
    }

    fn pace(_: Option<&PodCliqueStatus>, _: &PodCliqueStatus) -> Pace {
        Pace::Now
    }

    fn observe(&self, _: &Arc<PodClique>, _: &Caches) {}

    fn decide(&self, (): &(), _: Timestamp) -> Plan<PodCliqueStatus> {
        Plan::default()
    }
}

/// All controllers of these tests.
pub fn controllers() -> Controllers {
    Controllers::default().with::<Idle>()
}

/// A client whose requests get these answers, and errors after them.
pub fn client(answers: Vec<(u16, Value)>) -> (Client, Asked) {
    let (client, asked, _) = client_that_keeps_bodies(answers);
    (client, asked)
}

fn client_that_keeps_bodies(answers: Vec<(u16, Value)>) -> (Client, Asked, Bodies) {
    let (asked, bodies) = (Asked::default(), Bodies::default());
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let (log, kept) = (asked.clone(), bodies.clone());
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
        let kept = kept.clone();
        async move {
            let sent = request.into_body().collect_bytes().await.unwrap();
            kept.lock()
                .unwrap()
                .push(serde_json::from_slice(&sent).unwrap_or_default());
            Ok::<_, Infallible>(response.unwrap())
        }
    });
    (Client::new(service, "default"), asked, bodies)
}

/// The answer to a request.
pub enum Reply {
    /// It is answered.
    Answer(u16, Value),
    /// 429: the client waits this many seconds.
    Throttle(u16),
    /// The request is taken, and there is no answer.
    Hang,
    /// The head of the answer comes, and no body.
    Silent,
    /// The head of the answer comes, and the body ends at once.
    Empty,
    /// The head of the answer comes, and the body ends after this time.
    Brief(Duration),
    /// A watch that shows an event of this type and this object again and again.
    Every(Duration, &'static str, Value),
}

/// A context whose requests go there.
pub fn context_of((client, asked): (Client, Asked)) -> (Arc<Context>, Asked) {
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client, metrics.clone());
    (
        Arc::new(Context::new(requests, metrics, controllers())),
        asked,
    )
}

/// A client whose server answers as the script says for `METHOD path?query` and the number of
/// earlier requests.
pub fn scripted(script: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> (Client, Asked) {
    let asked = Asked::default();
    let log = asked.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (method, uri) = (request.method(), request.uri());
        let asked = format!(
            "{method} {}?{}",
            uri.path(),
            uri.query().unwrap_or_default()
        );
        let mut log = log.lock().unwrap();
        let reply = script(&asked, log.len());
        log.push(asked);
        async move { Ok::<_, Infallible>(respond(reply).await) }
    });
    (Client::new(service, "default"), asked)
}

async fn respond(reply: Reply) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
    let frame = |value: &Value| Ok(Frame::data(Bytes::from(format!("{value}\n"))));
    let mut response = Response::builder();
    let (code, body) = match reply {
        Reply::Throttle(after) => {
            response = response.header("retry-after", after);
            let text = Bytes::from("Too many requests, please try again later.\n");
            (429, futures::stream::iter([Ok(Frame::data(text))]).boxed())
        }
        Reply::Hang => std::future::pending().await,
        Reply::Empty => (200, futures::stream::empty().boxed()),
        Reply::Silent => (200, futures::stream::pending().boxed()),
        Reply::Brief(time) => {
            let end = futures::stream::once(tokio::time::sleep(time));
            (200, end.filter_map(|()| std::future::ready(None)).boxed())
        }
        Reply::Answer(code, value) => (code, futures::stream::iter([frame(&value)]).boxed()),
        Reply::Every(pause, type_, object) => {
            // In the order in which API servers write it.
            let event = format!("{{\"type\":\"{type_}\",\"object\":{object}}}\n");
            let event = Bytes::from(event);
            let ticks = futures::stream::unfold((), move |()| async move {
                tokio::time::sleep(pause).await;
                Some(((), ()))
            });
            (
                200,
                ticks.map(move |()| Ok(Frame::data(event.clone()))).boxed(),
            )
        }
    };
    let response = response.status(code);
    response.body(StreamBody::new(body).boxed_unsync()).unwrap()
}

/// A Status object of the API server.
pub fn failure(code: u16, reason: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "message": format!("{reason} from the server"), "reason": reason, "code": code,
    })
}
