//! The named pod in parts, for the record of a termination: it is bounded, and safe to print.

use api::podclique::LostPod;

use super::{Symptom, is_after_end};
use crate::Pod;
use crate::object::text;

/// Bytes kept of its last words, from their end.
const MAX_WORDS_BYTES: usize = 1024;
/// Characters kept of a reason.
const MAX_REASON: usize = 128;

/// Describes the pod with this trouble.
pub(super) fn describe(pod: &Pod, symptom: Symptom<'_>) -> LostPod {
    let (reason, exit_code, words) = parts(pod, symptom);
    let words = words.map(|words| text::keep_end(&text::on_one_line(words), MAX_WORDS_BYTES));
    LostPod {
        name: pod.name().to_owned(),
        node: pod.spec.node_name.clone(),
        reason: text::cut_text(&text::on_one_line(reason), MAX_REASON),
        exit_code,
        last_words: words.filter(|words| !words.is_empty()),
    }
}

/// Reason, exit code and last words.
fn parts<'a>(pod: &'a Pod, symptom: Symptom<'a>) -> (&'a str, Option<i32>, Option<&'a str>) {
    let of_pod = pod.status.message.as_deref();
    let of_condition = |type_: &str| pod.find_condition(type_)?.message.as_deref();
    match symptom {
        Symptom::Disruption(found) => (found.reason, None, found.message),
        Symptom::End(_, end) => {
            // The kubelet's own reason for the pod, if it has one, explains more.
            let reason = pod.status.reason.as_deref().or(end.reason.as_deref());
            let words = end.message.as_deref().or(of_pod);
            (reason.unwrap_or("Error"), Some(end.exit_code), words)
        }
        Symptom::Phase(reason) => (reason, None, of_pod),
        Symptom::Waiting(container, reason) => {
            let last = container.last_state.terminated.as_ref();
            let last = last.filter(|_| is_after_end(reason));
            let of_kubelet = container.state.waiting.as_ref();
            let of_kubelet = of_kubelet.and_then(|waiting| waiting.message.as_deref());
            let words = last.map_or(of_kubelet, |end| end.message.as_deref());
            (reason, last.map(|end| end.exit_code), words)
        }
        Symptom::Scheduling(reason) => (reason, None, of_condition("PodScheduled")),
        Symptom::LostNode => ("NodeLost", None, None),
        Symptom::NotReady => ("NotReady", None, of_condition("Ready")),
        Symptom::Deleted => ("Deleted", None, None),
    }
}
