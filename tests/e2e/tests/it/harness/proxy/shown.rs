//! The objects of an answer, one by one.

use std::io;

use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Bytes, Frame};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::codec::{FramedRead, LinesCodec};
use tokio_util::io::StreamReader;

use super::serve::{Body, bytes, status, whole};
use super::{Edit, Shown};

/// A list.
pub async fn list(body: kube::client::Body, edit: Option<Edit>) -> io::Result<Body> {
    let bytes = bytes(body).await?;
    let Some(edit) = edit else {
        return Ok(whole(bytes));
    };
    let mut list: Value = serde_json::from_slice(&bytes)?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let shown = items
        .into_iter()
        .filter_map(|item| match edit("LISTED", item) {
            Shown::As(item) => Some(item),
            _ => None,
        });
    list["items"] = shown.collect();
    Ok(whole(list.to_string().into()))
}

/// An object; it cannot be hidden.
pub async fn one(body: kube::client::Body, edit: Option<Edit>) -> io::Result<Body> {
    let bytes = bytes(body).await?;
    let Some(edit) = edit else {
        return Ok(whole(bytes));
    };
    Ok(whole(
        match edit("FOUND", serde_json::from_slice(&bytes)?) {
            Shown::As(object) => object.to_string().into(),
            _ => bytes,
        },
    ))
}

/// A watch, until the next cut.
pub fn watch(body: kube::client::Body, edit: Option<Edit>, cuts: watch::Receiver<()>) -> Body {
    let bytes = body.into_data_stream().map_err(io::Error::other);
    let lines = FramedRead::new(StreamReader::new(bytes), LinesCodec::new());
    let watch = Watch {
        lines: lines.map_err(io::Error::other).boxed(),
        edit,
        cuts,
        is_cut: false,
    };
    let frames = stream::try_unfold(watch, Watch::next).map_ok(Frame::data);
    StreamBody::new(frames.boxed()).boxed_unsync()
}

struct Watch {
    lines: BoxStream<'static, io::Result<String>>,
    edit: Option<Edit>,
    cuts: watch::Receiver<()>,
    is_cut: bool,
}

impl Watch {
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        loop {
            if self.is_cut {
                // Earlier lines have to be sent first.
                tokio::task::yield_now().await;
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            let line = tokio::select! {
                _ = self.cuts.changed() => Err(io::ErrorKind::ConnectionReset.into()),
                line = self.lines.next() => line.transpose(),
            };
            let Some(line) = line? else {
                return Ok(None);
            };
            if let Some(shown) = self.show(line) {
                return Ok(Some((shown.into(), self)));
            }
        }
    }

    /// The line to send for this one, if any.
    fn show(&mut self, line: String) -> Option<String> {
        let Some(edit) = &self.edit else {
            return Some(line + "\n");
        };
        let mut event: Value = serde_json::from_str(&line).unwrap();
        let type_ = event["type"].as_str().unwrap().to_owned();
        if ["BOOKMARK", "ERROR"].contains(&type_.as_str()) {
            return Some(line + "\n");
        }
        match edit(&type_, event["object"].take()) {
            Shown::As(object) => {
                // In the order of API servers.
                Some(format!("{{\"type\":\"{type_}\",\"object\":{object}}}\n"))
            }
            Shown::Nothing => None,
            Shown::Expired => Some(format!(
                "{}\n",
                json!({"type": "ERROR", "object": status(410)})
            )),
            Shown::CutWithin => {
                self.is_cut = true;
                Some(line.chars().take(line.len() / 2).collect())
            }
        }
    }
}
