//! Rules for durations and for `terminationDelay`.

use super::Rule;
use super::training::is_training;
use crate::duration::PATTERN;

/// Ours (docs/semantics.md §3.1).
pub(super) fn termination_rules() -> Vec<Rule> {
    const SET: &str = "self.template.terminationDelay";
    const GROUPS: &str = "self.template.podCliqueScalingGroups";
    const OF_GROUP: &str = "g.terminationDelay";
    vec![
        is_duration("spec.template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay must be at least 1s: omit terminationDelay to disable gang termination",
            format!("!has({SET}) || {} || {}", is_training("self"), is_delay(SET)),
        )
        .field(".template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay of Training must be 0s or at least 1s",
            format!(
                "!has({SET}) || !{} || {}",
                is_training("self"),
                is_delay_or_none(SET)
            ),
        )
        .field(".template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group must be at least 1s: omit it to use that of the template",
            format!(
                "!has({GROUPS}) || {} || {GROUPS}.all(g, !has({OF_GROUP}) || {})",
                is_training("self"),
                is_delay(OF_GROUP)
            ),
        )
        .field(".template.podCliqueScalingGroups"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group of Training must be 0s or at least 1s",
            format!(
                "!has({GROUPS}) || !{} || {GROUPS}.all(g, !has({OF_GROUP}) || {})",
                is_training("self"),
                is_delay_or_none(OF_GROUP)
            ),
        )
        .field(".template.podCliqueScalingGroups"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group needs terminationDelay of the template: without it gang termination is disabled",
            format!(
                "has({SET}) || {} || !has({GROUPS}) || {GROUPS}.all(g, !has(g.terminationDelay))",
                is_training("self")
            ),
        )
        .field(".template.podCliqueScalingGroups"),
    ]
}

/// Times are stored in whole seconds, so a shorter delay would be no delay. Another rule refuses a
/// text that is not a duration.
fn is_delay(text: &str) -> String {
    format!("!{} || duration({text}) >= duration('1s')", parses(text))
}

fn is_delay_or_none(text: &str) -> String {
    format!("{} || duration({text}) == duration('0s')", is_delay(text))
}

pub(super) fn is_duration(at: &'static str) -> Rule {
    Rule::new(
        at,
        "must be a duration such as 30s, 4h or 1h30m",
        parses("self"),
    )
}

/// Guards `duration()`, which fails on a text that is not a duration; another rule refuses such a
/// text with a message.
pub(super) fn parses(text: &str) -> String {
    format!("{text}.matches('{PATTERN}')")
}
