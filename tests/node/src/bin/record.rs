//! Records what kubelets write into the statuses of pods, until Ctrl-C:
//!
//! ```text
//! record NAMESPACE SELECTOR > crates/testkit/recordings/what-happens.jsonl
//! ```

use std::io::{self, Write as _};

use anyhow::{Context as _, Result};
use clap::Parser;
use jiff::Timestamp;
use kube::Client;
use node_tests::recording::record;
use serde_json::Value;

/// Writes a line to stdout for each status of the selected pods, until Ctrl-C.
///
/// The first line is about the recording: fill in what the pod does. The cluster is that of
/// KUBECONFIG, for example of `make cluster-up NODE=real`.
#[derive(Debug, Parser)]
struct Args {
    /// The namespace of the pods.
    namespace: String,
    /// Selects them, such as `grove.io/podclique=job-0-worker`.
    selector: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let args = Args::parse();
    let client = Client::try_default().await;
    let client = client.context("no cluster: set KUBECONFIG")?;
    let recording = record(client, &args.namespace, &args.selector, print);
    tokio::select! {
        ended = recording => ended,
        interrupted = tokio::signal::ctrl_c() => interrupted.context("cannot wait for Ctrl-C"),
    }
}

/// Prints a line with the time at which it was seen, first of its fields.
#[expect(
    clippy::disallowed_methods,
    reason = "a recording says when it was made"
)]
fn print(line: &Value) -> Result<()> {
    let mut line = line.clone();
    let seen = Timestamp::now().strftime("%H:%M:%S%.3f").to_string();
    if let Some(fields) = line.as_object_mut()
        && fields.contains_key("ev")
    {
        fields.insert("t".to_owned(), seen.into());
    }
    writeln!(io::stdout(), "{line}").context("cannot write")
}
