//! The pods that a suspension deletes (docs/semantics.md §15.2): those that have not ended, and in a job
//! failed ones, unless their failure is judged after the resume.
//!
//! A pod that failed since is no failure: its peers went. One that had failed before would be replaced
//! alone. It goes too: after the resume its clique starts like a new one, which replaces no failed pod
//! before it is up, and its gang would wait for the pod without end.

use std::sync::Arc;

use api::PodClique;
use jiff::SignedDuration;

use super::availability::CliqueFacts;
use super::training;
use crate::Pod;

/// The rule for the pods of one PodClique.
#[derive(Clone, Copy, Debug)]
pub struct SuspendedPods<F> {
    is_job: bool,
    keeps_failures: bool,
    is_noted: F,
}

impl<F: Fn(&Pod) -> bool> SuspendedPods<F> {
    /// The rule for these pods. `is_noted` returns whether the job has stored that the pod failed, and a
    /// breach of the clique may last for `delay`.
    pub fn of(
        podclique: &PodClique,
        pods: &[Arc<Pod>],
        delay: SignedDuration,
        is_noted: F,
    ) -> Self {
        let is_job = training::is_of_job(podclique);
        let pods = || pods.iter().map(|pod| &**pod);
        let is_any_noted = is_job && pods().any(|pod| pod.is_failed() && is_noted(pod));
        let counted = pods().filter(|pod: &&Pod| !pod.is_failed() || is_noted(pod));
        let keeps_failures =
            is_any_noted && CliqueFacts::of(podclique, counted).counts_failures(delay);
        Self {
            is_job,
            keeps_failures,
            is_noted,
        }
    }

    /// Whether the suspension deletes the pod.
    pub fn deletes(&self, pod: &Pod) -> bool {
        let is_judged = self.keeps_failures && (self.is_noted)(pod);
        !pod.has_run_out() || (self.is_job && pod.is_failed() && !is_judged)
    }
}
