//! Whether the parts of a set run, and how the operator reacts if they do not.
//!
//! `availability` decides when a clique or group is below its minimum, `termination` how long it
//! may be below, `fence` how its replica is then terminated exactly once. `training` decides which
//! work of a job is done, `failure` keeps the failures of a job, and `culprit` names the pod behind
//! a breach. `readiness` finds the first cause, for people; `stalled` decides for which causes
//! tools need not wait, `stuck` how long the operator waits for a pod that hangs in Terminating.
//! `restart_request` reads the restart of a replica that a user asks for.
//! `suspension` stores since when a set is suspended, `suspended_pods` says which pods go then.

pub mod availability;
pub mod culprit;
pub mod failure;
pub mod fence;
pub mod readiness;
pub mod restart_request;
pub mod stalled;
pub mod stuck;
pub mod suspended_pods;
pub mod suspension;
pub mod termination;
pub mod training;
