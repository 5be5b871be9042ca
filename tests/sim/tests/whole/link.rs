//! One operator's connection: its requests, and the events that its watches have shown.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use sim::check::{Horizon, Requests};
use sim::service::{Reply, Watch};
use sim::{Answer, Call, RequestPath, Resource};
use tokio::time::{Instant, sleep, sleep_until};

use crate::fault::Fault;
use crate::trouble::{Sent, is_of_object};
use crate::wire::Wire;

/// The travel time of a request or an answer.
const WAY: Duration = Duration::from_millis(1);
/// The travel time of an event of a watch.
const WATCH_WAY: Duration = Duration::from_millis(3);
/// The Retry-After of a throttled request, in seconds.
const RETRY_AFTER: u16 = 2;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Said = Response<UnsyncBoxBody<Bytes, Error>>;
/// The result of a request.
pub type Answered = Result<Said, Error>;

/// The connection of one operator, from its start to its end.
pub struct Link {
    wire: Arc<Wire>,
    /// The number of the operator.
    operator: usize,
    is_dead: AtomicBool,
    asked: Mutex<Requests>,
    seen: Mutex<Seen>,
}

/// How much of the log was shown, and when.
struct Seen {
    present: Horizon,
    /// Kinds with a lost event: nothing newer counts as seen before the next list.
    lossy: BTreeSet<Resource>,
    past: VecDeque<(Instant, Horizon)>,
}

impl Link {
    /// The connection of an operator that starts now.
    pub fn new(wire: &Arc<Wire>) -> Arc<Self> {
        let operator = wire.restarted();
        let mut present = Horizon::default();
        let length = wire.server.with_store(|store| store.log.len());
        for resource in <Resource as strum::IntoEnumIterator>::iter() {
            present.set(resource, length);
        }
        Arc::new(Self {
            wire: wire.clone(),
            operator,
            is_dead: AtomicBool::new(false),
            asked: Mutex::default(),
            seen: Mutex::new(Seen {
                present,
                lossy: BTreeSet::new(),
                past: VecDeque::from([(Instant::now(), present)]),
            }),
        })
    }

    /// Whether the operator has ended.
    pub fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::SeqCst)
    }

    /// The operator ends: none of its pending requests arrives any more, nor any answer.
    pub fn end(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// A client with this connection.
    pub fn client(self: &Arc<Self>) -> Client {
        let link = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let link = link.clone();
            async move { link.send(request).await }
        });
        Client::new(service, "default")
    }

    /// Sends a request and waits for its answer.
    pub async fn send(self: Arc<Self>, request: Request<Body>) -> Answered {
        let (head, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let kind = head.headers.get("content-type");
        let mut call = Call {
            method: Call::method_of(head.method.as_str(), head.uri.query()),
            path: head.uri.path().to_owned(),
            content_type: kind.map_or("", |k| k.to_str().unwrap_or("")).to_owned(),
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
        };
        if is_for_object(&call) {
            self.wire.note_request(&call);
        }
        let sent = self.wire.server.with_store(|store| store.log.len());
        self.travel().await;
        let answered = if call.method == "GET" {
            Ok(self.read(&call, head.uri.query().unwrap_or_default()))
        } else {
            self.write(&mut call, sent).await
        };
        self.travel().await;
        answered
    }

    /// Pending requests do not arrive after the operator's end.
    async fn travel(&self) {
        sleep(WAY).await;
        if self.is_dead() {
            std::future::pending::<()>().await;
        }
    }

    fn read(self: &Arc<Self>, call: &Call, query: &str) -> Said {
        let query = &self.wire.misdirect(query);
        match self.wire.server.serve("operator", call, query) {
            Reply::Watch(watch) => self.stream(watch, call),
            Reply::Answer(answer) => {
                // Objects that lost their label are looked for by a separate list.
                if query.contains("limit=") && !query.contains("managed-by%21%3D") {
                    self.note_list(call, &answer);
                }
                respond(&self.wire.misread(call, answer))
            }
        }
    }

    async fn write(&self, call: &mut Call, sent: usize) -> Answered {
        let fault = self.wire.fault_of(call);
        if fault == Some(Fault::CrashBefore) {
            self.end();
        }
        if matches!(fault, Some(Fault::CrashBefore | Fault::Hang)) {
            std::future::pending::<()>().await;
        }
        let mut reply = fault.and_then(|fault| fault.answer(call));
        if fault.is_none_or(Fault::is_after) {
            let answer = self.carry_out(call, sent, fault.is_none());
            reply = reply.or(Some(answer));
        }
        match fault {
            Some(Fault::CrashAfter) => {
                self.end();
                std::future::pending::<Answered>().await
            }
            Some(Fault::LostAnswer) => {
                self.wire.hold_watch(call);
                Err("connection reset".into())
            }
            _ => Ok(respond(&self.wire.misread(call, reply.unwrap()))),
        }
    }

    fn carry_out(&self, call: &mut Call, sent: usize, is_answered: bool) -> Answer {
        let mut horizon = self.horizon();
        horizon.sent = Some(sent);
        let answer = self.wire.carry_out(call, self.operator, &horizon);
        let mut asked = self.asked.lock().unwrap();
        let server = &self.wire.server;
        let verdict = server.with_store(|store| asked.refused(store, call, &answer));
        self.wire.judge(verdict);
        if is_answered {
            asked.answered(call, &answer);
        }
        answer
    }

    /// The log that an operator that decides now may not have seen yet.
    fn horizon(&self) -> Horizon {
        let mut seen = self.seen.lock().unwrap();
        let lag = self.wire.lag();
        let is_old = |(at, _): &(Instant, Horizon)| at.elapsed() >= lag;
        while seen.past.len() > 1 && is_old(&seen.past[1]) {
            seen.past.pop_front();
        }
        let past = seen.past.iter();
        past.fold(seen.present, |all, (_, horizon)| all.earlier(horizon))
    }

    fn show(&self, resource: Resource, position: usize) {
        let mut seen = self.seen.lock().unwrap();
        if seen.lossy.contains(&resource) {
            return;
        }
        seen.present.set(resource, position);
        let entry = (Instant::now(), seen.present);
        seen.past.push_back(entry);
    }

    /// The last page of a list shows the state at its version.
    fn note_list(&self, call: &Call, answer: &Answer) {
        let metadata = &answer.body["metadata"];
        let Some(resource) = watched(call).filter(|_| answer.body["items"].is_array()) else {
            return;
        };
        if metadata["continue"].is_null() {
            let version = metadata["resourceVersion"].as_str().unwrap();
            let version = version.parse().unwrap();
            let server = &self.wire.server;
            let position = server.with_store(|store| store.length_at(version));
            self.wire.was_listed(resource);
            self.seen.lock().unwrap().lossy.remove(&resource);
            self.show(resource, position);
        }
    }

    fn stream(self: &Arc<Self>, watch: Watch, call: &Call) -> Said {
        let (link, resource) = (self.clone(), watched(call).unwrap());
        let lines = futures::stream::unfold(Some(watch), move |watch| {
            let link = link.clone();
            async move { link.next_line(resource, watch?).await }
        });
        let frames = lines.map(|line| Ok(Frame::data(Bytes::from(line))));
        Response::new(StreamBody::new(frames.boxed()).boxed_unsync())
    }

    /// The next line of a watch, and the rest of the watch.
    async fn next_line(
        &self,
        resource: Resource,
        mut watch: Watch,
    ) -> Option<(String, Option<Watch>)> {
        loop {
            let event = watch.next().await?;
            sleep(WATCH_WAY).await;
            if let Some(until) = self.wire.held_until(resource) {
                sleep_until(until).await;
            }
            let trouble = is_of_object(&event).then(|| self.wire.trouble_of(resource, &event));
            let sent = trouble
                .flatten()
                .map(|trouble| trouble.disturb(&event, &self.wire.server));
            match sent {
                None => {}
                Some(Sent::After(time)) => sleep(time).await,
                Some(Sent::Instead(line)) => return Some((line, Some(watch))),
                Some(Sent::End(line)) => return Some((line, None)),
                Some(Sent::Silence) => std::future::pending().await,
                Some(Sent::Nothing) => {
                    self.seen.lock().unwrap().lossy.insert(resource);
                    continue;
                }
            }
            self.show(resource, event.position);
            return Some((event.line(), Some(watch)));
        }
    }
}

/// Whether the request reads or writes an object. Watches and their lists come again and again, and a
/// running operator looks whether its definitions are still there.
fn is_for_object(call: &Call) -> bool {
    let target = RequestPath::parse(&call.path);
    target.is_some_and(|target| call.method != "GET" || target.name.is_some())
}

/// The kind of a list or a watch.
fn watched(call: &Call) -> Option<Resource> {
    if let Some(target) = RequestPath::parse(&call.path) {
        return target.name.is_none().then_some(target.resource);
    }
    let (version, plural) = call.path.rsplit_once('/')?;
    let version = version.trim_start_matches("/apis/");
    Resource::served_at(version.trim_start_matches("/api/"), plural)
}

/// The answer in transit.
pub fn respond(answer: &Answer) -> Said {
    let text = Bytes::from(serde_json::to_vec(&answer.body).unwrap());
    let body = http_body_util::Full::new(text).map_err(|never| match never {});
    let mut response = Response::builder().status(answer.code);
    if answer.code == 429 {
        response = response.header("retry-after", RETRY_AFTER);
    }
    response.body(body.boxed_unsync()).unwrap()
}
