//! `grove-operator probe URL`: the command in the pod of `helm test`.

use std::time::Duration;

use anyhow::{Context, bail};
use http::{Request, Uri, header};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(5);

/// Requests the page and returns its content. An error if there is no answer within 5 s, or an
/// unsuccessful one.
pub async fn probe(url: &Uri) -> anyhow::Result<String> {
    let asked = timeout(LIMIT, ask(url)).await;
    let answer = asked.with_context(|| format!("{url}: no answer within {LIMIT:?}"))?;
    answer.with_context(|| url.to_string())
}

async fn ask(url: &Uri) -> anyhow::Result<String> {
    let host = url
        .host()
        .context("no host in the URL; use http://HOST:PORT/PATH")?;
    if url.scheme_str() != Some("http") {
        bail!("only plain HTTP is supported; use http://HOST:PORT/PATH");
    }
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), url.port_u16().unwrap_or(80)));
    let stream = stream.await.context("connect")?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let path = url.path_and_query().map_or("/", |path| path.as_str());
    let request = Request::get(path).header(header::HOST, host);
    let request = request.body(Empty::<Bytes>::new())?;
    let answered = async {
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        anyhow::Ok((status, String::from_utf8_lossy(&body).into_owned()))
    };
    // The connection ends once its only request is answered.
    let (answered, _) = tokio::join!(answered, connection);
    let (status, body) = answered?;
    if !status.is_success() {
        bail!("{status}: {body}");
    }
    Ok(body)
}
