//! The pod of an update whose trouble is the most important, in words.

use jiff::Timestamp;

use super::counts_from;
use crate::Pod;
use crate::health::culprit::find_culprit;

/// The trouble of one of these pods; `None` if they merely start, or are up.
pub fn explain_trouble<'a>(
    pods: impl Iterator<Item = &'a Pod> + Clone,
    now: Timestamp,
) -> Option<String> {
    let culprit = find_culprit(pods.clone(), false).filter(|culprit| culprit.is_serious);
    culprit
        .map(|culprit| culprit.text)
        .or_else(|| pods.filter_map(|pod| explain_recent_end(pod, now)).min())
}

/// A Ready pod does not count for a while after one of its containers ended.
fn explain_recent_end(pod: &Pod, now: Timestamp) -> Option<String> {
    let counts_from = counts_from(pod).filter(|at| *at > now)?;
    let (name, end) = pod
        .status
        .container_statuses
        .iter()
        .filter_map(|c| Some((&c.name, c.last_state.terminated.as_ref()?)))
        .max_by_key(|(_, end)| end.finished_at.as_ref().map(|at| at.0))?;
    Some(format!(
        "{} counts as available from {counts_from:.0} on, as its container {name} ended with exit code {}",
        pod.name(),
        end.exit_code
    ))
}
