//! Two operators for one namespace.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::harness::Namespace;
use crate::harness::control_plane::folder;
use crate::harness::installation::SYSTEM;
use crate::harness::namespace::called;
use crate::harness::operator::Operator;
use crate::harness::site;

/// The Lease of the release, in the release's namespace: there is no other.
pub const LEASE: &str = "grove-operator-leader-election";

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

/// Waits until no other test uses the Lease, and removes what the last one left of it: its operators
/// were killed, and the Lease may last for minutes.
pub fn take_turn() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let delete = ["delete", "lease", LEASE, "--ignore-not-found"];
    let control_plane = &site::lanes().control_plane;
    control_plane.kubectl([&delete[..], &["--namespace", SYSTEM]].concat());
    turn
}

/// Starts an operator that takes part in the election, for the namespace with that purpose.
pub fn start_operator(purpose: &str, name: &str, election: &Value) -> Operator {
    let config = json!({
        "watchNamespaces": [called(purpose)],
        "leaderElection": election,
    });
    let dir = folder(&format!("{purpose}-{name}"));
    let installation = &site::lanes().installation;
    Operator::start_with(installation, &dir, &config.to_string()).unwrap()
}

impl Pair {
    /// Starts both; the first leads.
    pub fn start(purpose: &'static str, election: &Value) -> Self {
        let turn = take_turn();
        let first = start_operator(purpose, "first", election);
        first.wait_until_leads();
        let second = start_operator(purpose, "second", election);
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
