//! An operator with one namespace, so that a test may end or disturb it beside others.

use std::path::Path;

use super::Namespace;
use super::control_plane::folder;
use super::installation::Installation;
use super::namespace::called;
use super::operator::Operator;
use super::proxy::Proxy;
use super::site::{self, Lanes};

/// No other operator watches its namespace.
const ALONE: &str = "leaderElection: {enabled: false}";

/// An operator and its proxy to the API server.
pub struct Lane {
    purpose: String,
    lanes: &'static Lanes,
    // The operator ends before the proxy.
    pub operator: Operator,
    pub proxy: Proxy,
}

impl Lane {
    /// Starts both, for the namespace with that purpose.
    pub fn start(purpose: &str) -> Self {
        Self::start_by(purpose, |seen, dir| Operator::start_with(seen, dir, ALONE))
    }

    /// The same with a memory limit for the operator.
    pub fn start_within(purpose: &str, kibibytes: u32) -> Self {
        Self::start_by(purpose, |seen, dir| {
            Operator::start_within(seen, dir, ALONE, kibibytes)
        })
    }

    /// The same with one more variable.
    pub fn start_with_variable(purpose: &str, name: &str, value: &str) -> Self {
        Self::start_by(purpose, |seen, dir| {
            Operator::start_with(&seen.with_variable(name, value), dir, ALONE)
        })
    }

    fn start_by(
        purpose: &str,
        start: impl FnOnce(&Installation, &Path) -> anyhow::Result<Operator>,
    ) -> Self {
        let dir = folder(&format!("{purpose}-operator"));
        let lanes = site::lanes();
        let proxy = Proxy::start(lanes.installation.kubeconfig(), &called(purpose), &dir);
        let seen = lanes.installation.seen_through(proxy.kubeconfig());
        Self {
            operator: start(&seen, &dir).unwrap(),
            purpose: purpose.to_owned(),
            lanes,
            proxy,
        }
    }

    /// Starts both where Kubernetes' own scheduler reads gangs. This operator reads nodes and
    /// ClusterTopologyBindings as well, which an operator of some namespaces does not.
    pub fn start_with_topology(purpose: &str) -> Self {
        let dir = folder(&format!("{purpose}-operator"));
        let lanes = site::gangs();
        let account = lanes.installation.kubeconfig();
        let proxy = Proxy::start_with_topology(account, &called(purpose), &dir);
        let seen = lanes.installation.seen_through(proxy.kubeconfig());
        let operator = Operator::start_with(&seen, &dir, ALONE).unwrap();
        operator.wait_until_ready().unwrap();
        Self {
            purpose: purpose.to_owned(),
            lanes,
            operator,
            proxy,
        }
    }

    /// Makes the namespace.
    pub fn namespace(&self) -> Namespace<'_> {
        Namespace::on(&self.lanes.control_plane, &self.operator, &self.purpose)
    }

    /// Fails unless the operator runs and reports that.
    pub fn expect_alive(&self) {
        assert_eq!(self.operator.ended(), None, "the operator has ended");
        let alive = self.operator.get("/healthz").unwrap();
        assert_eq!(alive, (200, "ok\n".to_owned()));
    }
}
