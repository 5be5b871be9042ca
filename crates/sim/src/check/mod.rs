//! Invariants of the event log, checked at each write; each file explains its numbers.

mod breaches;
mod budget;
mod claims;
mod completion;
mod compute_domains;
mod counts;
mod culprit;
mod domains;
mod edges;
mod exits;
mod failures;
mod fences;
mod gangs;
mod group_budget;
mod group_starts;
mod idle;
mod job;
mod joining;
mod late_requests;
mod limits;
mod ownership;
mod pace;
mod pins;
mod pods;
mod quota;
mod refused_templates;
mod requested;
mod requests;
mod restarts;
mod revisions;
mod runtime;
mod shortage;
mod start_order;
mod status;
mod steps;
mod stored_failures;
mod suspended;
mod terminal;
pub(crate) mod units;
pub(crate) mod updates;
mod window;

use super::resource::Resource;
use super::store::Store;
use late_requests::LateRequests;
pub use requests::Requests;
pub use runtime::in_time;
pub use window::Horizon;

/// Name of the operator as an actor.
pub const OPERATOR: &str = "operator";
/// A request that the operator had given up, or forgotten, when it was carried out.
pub const LATE: &str = "operator (late)";

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its number in the report.
    pub invariant: &'static str,
    /// A description of the violation.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)
    }
}

type Checked = Result<(), Violation>;

fn demand(holds: bool, invariant: &'static str, message: impl FnOnce() -> String) -> Checked {
    if holds {
        return Ok(());
    }
    let message = message();
    Err(Violation { invariant, message })
}

/// Folds the log.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    checked: usize,
    late: LateRequests,
    /// Length of the log when the operator started.
    started: usize,
    /// Whether scaled gangs are parts of a tree, which defines the order of placement itself.
    has_trees: bool,
    waits_for_gates: bool,
    domains: domains::Domains,
}

impl Checker {
    /// Whether nothing was added to the log.
    pub fn is_up_to_date(&self, store: &Store) -> bool {
        self.checked == store.log.len()
    }

    /// All gangs of a replica are one tree: no gang starts after another.
    pub fn has_trees(&mut self) {
        self.has_trees = true;
    }

    /// The scheduler looks at no pod of a gang while another one has a gate: no pod is created without quota.
    pub fn waits_for_gates(&mut self) {
        self.waits_for_gates = true;
    }

    /// The operator restarts, without any memory.
    pub fn restarted(&mut self, store: &Store) {
        self.started = store.log.len();
    }

    /// Checks the additions to the log. `horizon` is how much of it the operator had seen when it
    /// decided on this.
    pub fn check(&mut self, store: &Store, horizon: &Horizon) -> Checked {
        let from = std::mem::replace(&mut self.checked, store.log.len());
        for (position, record) in store.log.iter().enumerate().skip(from) {
            let window = window::Window {
                store,
                horizon,
                position,
                has_trees: self.has_trees,
                waits_for_gates: self.waits_for_gates,
            };
            ownership::latch(record)?;
            self.domains.check(&window, record)?;
            if record.actor != OPERATOR && record.actor != LATE {
                continue;
            }
            if record.id.resource.is_of_cluster() {
                status::check(&window, record)?;
                continue;
            }
            ownership::damage(&window, record)?;
            ownership::owner(&window, record)?;
            ownership::meant(&window, record)?;
            edges::check(&window, record)?;
            status::check(&window, record)?;
            restarts::check(&window, record)?;
            runtime::check(&window, record)?;
            completion::check(&window, record)?;
            terminal::check(&window, record)?;
            suspended::check(&window, record)?;
            fences::check(&window, record)?;
            breaches::check(&window, record)?;
            idle::check(&window, record)?;
            claims::check(&window, record)?;
            compute_domains::check(&window, record)?;
            quota::check(&window, record)?;
            match record.id.resource {
                Resource::Pod => {
                    self.pod(&window, record)?;
                    start_order::check(&window, record)?;
                }
                Resource::PodGang => gangs::check(&window, record)?,
                Resource::PodCliqueSet => {
                    requested::check(record)?;
                    updates::check_turn(&window, record)?;
                    steps::check(&window, record)?;
                }
                Resource::PodClique => {
                    ownership::finalizer(&window, record, &self.late)?;
                    refused_templates::check_edit(&window, record)?;
                    revisions::check(&window, record)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
