//! The operator's connection to the simulated API server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use sim::check::OPERATOR;
use sim::service::{Reply, Server, Watch};
use sim::{Answer, Call};
use tokio::time::{Instant, sleep, sleep_until};

use crate::meter::{Outside, outside};

/// The travel time of a request or an answer.
const WAY: Duration = Duration::from_millis(1);

type Error = Box<dyn std::error::Error + Send + Sync>;
type Said = Response<UnsyncBoxBody<Bytes, Error>>;

/// How fast the API server is.
#[derive(Clone, Copy, Debug)]
pub enum Speed {
    /// All writes are carried out at once.
    Endless,
    /// They are carried out one after the other, each in this time.
    PerWrite(Duration),
}

struct Link {
    server: Server,
    speed: Speed,
    /// When the last sent write will be done.
    busy_until: Mutex<Instant>,
}

/// A client of this server.
pub fn connect(server: &Server, speed: Speed) -> Client {
    let link = Arc::new(Link {
        server: server.clone(),
        speed,
        busy_until: Mutex::new(Instant::now()),
    });
    let service = tower::service_fn(move |request: Request<Body>| {
        let link = link.clone();
        async move { link.send(request).await }
    });
    Client::new(service, "default")
}

impl Link {
    async fn send(&self, request: Request<Body>) -> Result<Said, Error> {
        let (head, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        sleep(WAY).await;
        if head.method != http::Method::GET {
            self.take_time().await;
        }
        let reply = outside(|| {
            let kind = head.headers.get("content-type");
            let call = Call {
                method: Call::method_of(head.method.as_str(), head.uri.query()),
                path: head.uri.path().to_owned(),
                content_type: kind.map_or("", |k| k.to_str().unwrap_or("")).to_owned(),
                body: serde_json::from_slice(&bytes).unwrap_or_default(),
            };
            let query = head.uri.query().unwrap_or_default();
            match self.server.serve(OPERATOR, &call, query) {
                Reply::Answer(answer) => Ok(text(&answer)),
                Reply::Watch(watch) => Err(watch),
            }
        });
        sleep(WAY).await;
        Ok(match reply {
            Ok((code, text)) => {
                let body = Full::new(receive(text)).map_err(|never| match never {});
                let response = Response::builder().status(code);
                response.body(body.boxed_unsync())?
            }
            Err(watch) => stream(watch),
        })
    }

    async fn take_time(&self) {
        let Speed::PerWrite(time) = self.speed else {
            return;
        };
        let done = {
            let mut busy = self.busy_until.lock().unwrap();
            *busy = busy.max(Instant::now()) + time;
            *busy
        };
        sleep_until(done).await;
    }
}

fn text(answer: &Answer) -> (u16, String) {
    (answer.code, serde_json::to_string(&answer.body).unwrap())
}

fn stream(watch: Watch) -> Said {
    let lines = futures::stream::unfold(watch, |mut watch| async {
        let (line, watch) = Outside::new(|| async move {
            let event = watch.next().await?;
            Some((event.line(), watch))
        })
        .await?;
        Some((Ok(Frame::data(receive(line))), watch))
    });
    Response::new(StreamBody::new(lines.boxed()).boxed_unsync())
}

/// A sent text belongs to the server, a received one to the operator.
fn receive(sent: String) -> Bytes {
    let received = Bytes::copy_from_slice(sent.as_bytes());
    outside(|| drop(sent));
    received
}
