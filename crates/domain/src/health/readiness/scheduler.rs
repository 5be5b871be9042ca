//! What a scheduler says of a pod that it cannot place.

use api::conditions::Reason;

use super::cause::Cause;

/// The message of the stock scheduler continues with the result of preemption; its first sentence
/// is the cause. Messages of other schedulers are passed on unchanged.
pub(super) fn refusal(message: &str) -> Cause {
    let sentence = message.split(". ").next().unwrap_or(message);
    let sentence = sentence.trim_end_matches('.');
    if let Some(text) = describe_group(sentence) {
        return Cause::new(Reason::Unschedulable, text);
    }
    Cause::new(classify_sentence(sentence), sentence)
}

/// What the stock scheduler says of a pod whose group finds no room as a whole (1.37): "pod group is
/// unschedulable, ... minCount (5) cannot be satisfied: 4 scheduled, 0 remaining".
fn describe_group(sentence: &str) -> Option<String> {
    let is_of_group = sentence.starts_with("pod group is unschedulable");
    let numbers = || {
        let (_, rest) = sentence.split_once("minCount (")?;
        let (wanted, rest) = rest.split_once(") cannot be satisfied: ")?;
        let (found, _) = rest.split_once(" scheduled")?;
        Some(format!(": {found} of {wanted} found a place"))
    };
    is_of_group.then(|| {
        let numbers = numbers().unwrap_or_default();
        format!("there is no room for all that has to be placed together{numbers}")
    })
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
