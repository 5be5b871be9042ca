//! Whether what a set consists of runs, and what is done if it does not.
//!
//! `availability` says when something is below its minimum, `termination` how long it may be,
//! `fence` how its replica is then terminated exactly once. `training` knows what is done in a job,
//! `failure` keeps what failed there, and `culprit` names the pod behind a breach. `readiness` finds
//! the first cause, for people; `stalled` says of which causes tools need not wait for the end,
//! `stuck` how long a pod that hangs in Terminating is waited for.

pub mod availability;
pub mod culprit;
pub mod failure;
pub mod fence;
pub mod readiness;
pub mod stalled;
pub mod stuck;
pub mod termination;
pub mod training;
