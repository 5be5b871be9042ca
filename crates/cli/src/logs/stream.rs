//! The lines of one log as they arrive.

use futures::stream::{self, BoxStream};
use futures::{AsyncBufRead, AsyncBufReadExt, Stream, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::LogParams;

use super::args::LogsArgs;
use super::choose::LogSource;
use super::line::draw_line;
use crate::cluster::Cluster;
use crate::exit::Failure;

type Line = Result<String, Failure>;

/// The lines with their prefixes; one failure if the log cannot be read.
pub(super) fn read(
    cluster: &Cluster,
    source: &LogSource,
    args: &LogsArgs,
) -> BoxStream<'static, Line> {
    let pods: Api<Pod> = cluster.namespaced();
    let source = source.clone();
    let params = LogParams {
        container: Some(source.container.clone()),
        follow: args.follow,
        previous: args.previous,
        tail_lines: args.tail,
        ..LogParams::default()
    };
    let begin = async move {
        match pods.log_stream(&source.pod, &params).await {
            Ok(log) => lines(source, log).boxed(),
            Err(error) => stream::iter([Err(unread(&source, &error))]).boxed(),
        }
    };
    stream::once(begin).flatten().boxed()
}

/// Bytes, because a container may write any.
fn lines<R>(source: LogSource, log: R) -> impl Stream<Item = Line>
where
    R: AsyncBufRead + Unpin,
{
    stream::unfold(Some(log), move |log| {
        let source = source.clone();
        async move {
            let mut log = log?;
            let mut line = Vec::new();
            match log.read_until(b'\n', &mut line).await {
                Ok(0) => None,
                Ok(_) => Some((Ok(draw_line(&source.prefix, &line)), Some(log))),
                Err(error) => {
                    let text = format!("the log of pod {} broke off: {error}", source.pod);
                    Some((Err(Failure::NoCluster(text)), None))
                }
            }
        }
    })
}

fn unread(source: &LogSource, error: &kube::Error) -> Failure {
    let what = format!("read the log of pod {} ({})", source.pod, source.prefix);
    match error {
        // The kubelet's words: the container waits, or has not run before.
        kube::Error::Api(status) if status.code == 400 => {
            Failure::NotFound(format!("cannot {what}: {}", status.message))
        }
        _ => Failure::of_request(&what, error),
    }
}
