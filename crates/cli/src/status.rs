//! `status`: whether the operator works, and with which versions.
//!
//! ```text
//! cluster ─▶ Observed ─▶ checks: definitions, operator, leader, webhook, certificate, versions ─▶ draw
//! ```

mod args;
mod ask;
mod checks;
mod draw;
mod observed;
mod read;

use serde::Serialize;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use args::StatusArgs;
pub use ask::{choose_namespace, interpret_answer};
pub use checks::check_all;
pub use draw::draw_status;
pub use observed::{Observed, ObservedLease, ObservedWebhook, Read, WebhookAnswer, latest_end};

/// The state of one part of the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It works.
    Ok,
    /// It does not.
    Wrong,
    /// It cannot be read, or is switched off.
    Unknown,
}

/// One part of the installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Name of the part.
    pub check: &'static str,
    /// Its state.
    pub verdict: Verdict,
    /// The facts.
    pub details: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// All parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstallationStatus {
    /// The parts, each after those that it needs.
    pub checks: Vec<Check>,
}

/// Runs the command.
pub async fn run(args: &StatusArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let observed = read::read(&cluster, args.operator_namespace.as_deref()).await?;
    let status = check_all(&observed, now());
    output::print_value(&status, args.output, draw_status)?;
    Ok(status.exit())
}

impl InstallationStatus {
    /// A part that is wrong gives exit code 1.
    pub fn exit(&self) -> Exit {
        let is_wrong = |check: &Check| check.verdict == Verdict::Wrong;
        if self.checks.iter().any(is_wrong) {
            Exit::Finding
        } else {
            Exit::Ok
        }
    }
}

impl Check {
    fn new(check: &'static str, verdict: Verdict, details: impl Into<String>) -> Self {
        Self {
            check,
            verdict,
            details: details.into(),
            remedy: None,
        }
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { remedy, ..self }
    }
}
