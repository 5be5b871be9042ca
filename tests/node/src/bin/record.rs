//! Records the statuses that a kubelet writes to a pod, until the pod is gone, or Ctrl-C:
//!
//! ```text
//! record NAMESPACE SELECTOR --about "exits 3" > crates/testkit/recordings/exit-3.jsonl
//! ```

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use clap::Parser;
use jiff::Timestamp;
use kube::Client;
use node_tests::recording::{Wanted, record};
use serde_json::Value;

/// Writes a line to stdout for each status of a pod, until it is gone, or Ctrl-C.
///
/// The pod is the first selected one: start this before the workload to record its whole life. The
/// cluster is that of KUBECONFIG, for example of `make cluster-up NODE=real`.
#[derive(Debug, Parser)]
struct Args {
    /// The namespace of the pod.
    namespace: String,
    /// Label selector of the pod, such as `grove.io/podclique=job-0-worker`.
    selector: String,
    /// The behaviour of the pod, or the events that it meets.
    #[arg(long, default_value = "")]
    about: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args = Args::parse();
    let client = Client::try_default().await;
    let client = client.context("no cluster: set KUBECONFIG")?;
    let wanted = Wanted {
        namespace: args.namespace,
        selector: args.selector,
        about: args.about,
    };
    tokio::select! {
        ended = record(client, &wanted, print) => ended,
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot wait for Ctrl-C"),
    }
}

/// Prints a line with the time of the observation; the first line with the date.
#[expect(
    clippy::disallowed_methods,
    reason = "a recording says when it was made"
)]
fn print(mut line: Value) -> Result<()> {
    let now = Timestamp::now();
    if let Some(fields) = line.as_object_mut() {
        let (key, form) = if fields.contains_key("ev") {
            ("t", "%H:%M:%S%.3f")
        } else {
            ("date", "%F")
        };
        fields.insert(key.to_owned(), now.strftime(form).to_string().into());
    }
    writeln!(io::stdout(), "{line}").context("cannot write")
}
