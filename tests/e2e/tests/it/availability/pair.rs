//! Two operators for one namespace.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::harness::Namespace;
use crate::harness::control_plane::folder;
use crate::harness::namespace::called;
use crate::harness::operator::Operator;
use crate::harness::site;

/// The release's namespace has one Lease.
static TURN: Mutex<()> = Mutex::new(());

/// Two operators of one election.
pub struct Pair {
    pub first: Operator,
    pub second: Operator,
    purpose: &'static str,
    _turn: MutexGuard<'static, ()>,
}

/// Settings of an election that takes 30 seconds; with 15, a busy machine cost the leader its
/// lease.
pub fn soon() -> Value {
    json!({
        "enabled": true, "leaseDuration": "30s", "renewDeadline": "20s", "retryPeriod": "1s",
    })
}

impl Pair {
    /// Starts both; the first leads.
    pub fn start(purpose: &'static str, election: &Value) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let installation = &site::lanes().installation;
        let config = json!({
            "watchNamespaces": [called(purpose)],
            "leaderElection": election,
        });
        let start = |name: &str| {
            let dir = folder(&format!("{purpose}-{name}"));
            Operator::start_with(installation, &dir, &config.to_string()).unwrap()
        };
        let first = start("first");
        first.wait_until_leads();
        let second = start("second");
        second.wait_until_ready().unwrap();
        Self {
            first,
            second,
            purpose,
            _turn: turn,
        }
    }

    /// Creates the namespace; its reports about an operator are those of the second.
    pub fn namespace(&self) -> Namespace<'_> {
        Namespace::on(&site::lanes().control_plane, &self.second, self.purpose)
    }
}
