//! What a scheduler says of a pod that it cannot place.

use api::conditions::Reason;

use super::cause::Cause;

/// The message of the stock scheduler continues with the result of preemption; its first sentence
/// is the cause. Messages of other schedulers are passed on unchanged.
pub(super) fn refusal(message: &str) -> Cause {
    let sentence = message.split(". ").next().unwrap_or(message);
    let sentence = sentence.trim_end_matches('.');
    Cause::new(classify_sentence(sentence), sentence)
}

/// Of several reasons, the one about nodes that would fit otherwise.
fn classify_sentence(sentence: &str) -> Reason {
    let text = sentence.to_lowercase();
    let says = |words: &str| text.contains(words);
    if says("persistentvolumeclaim") || says("volume node affinity") {
        Reason::VolumeUnavailable
    } else if says("insufficient ") {
        Reason::InsufficientResources
    } else if says("node affinity/selector") || says("nodeselector") {
        Reason::NodeSelectorUnmatched
    } else {
        Reason::Unschedulable
    }
}
