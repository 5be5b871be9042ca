//! The numbers of the replica in turn, for people (docs/semantics.md §14.6).

use super::Component;

/// At most this many cliques and groups are named.
const MAX_NAMED: usize = 3;

/// A clique or group with work left in this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remainder<'a> {
    /// Name of the clique or group in the template.
    pub name: &'a str,
    /// Units with the newest template that exist, without surge.
    pub new: usize,
    /// Units that have the newest template at the end of the turn.
    pub wanted: usize,
    /// Those of `new` that have no node.
    pub unplaced: usize,
    /// Its numbers.
    pub numbers: Component,
    /// The new pod of it that does not come up, and why.
    pub trouble: Option<&'a str>,
}

/// The numbers of each, those with a trouble first; of many the first few. A pod that merely starts is
/// not named, so the stored text changes only with a step of the update or with a trouble.
pub fn describe_remainders(remainders: &[Remainder<'_>]) -> Option<String> {
    let mut sorted: Vec<&Remainder<'_>> = remainders.iter().collect();
    sorted.sort_by_key(|remainder| remainder.trouble.is_none());
    let more = sorted.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let named = sorted.iter().take(MAX_NAMED);
    let clauses: Vec<String> = named.map(|r| describe(r)).chain(more).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

fn describe(remainder: &Remainder<'_>) -> String {
    let numbers = &remainder.numbers;
    if remainder.wanted == 0 {
        return format!("{} is not updated yet", remainder.name);
    }
    let count = |n: i64, what: &str| (n > 0).then(|| format!(", {n} {what}"));
    let unplaced = i64::try_from(remainder.unplaced).unwrap_or(i64::MAX);
    let more: String = [
        count(numbers.surge.into(), "surge"),
        count(numbers.starting.into(), "starting"),
        count(unplaced, "without a node"),
        remainder.trouble.map(|trouble| format!(" ({trouble})")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let floor = numbers.floor();
    let floor = floor.map_or(String::new(), |floor| format!(", at least {floor} stay"));
    format!(
        "{} {}/{} new{more}; {} available{floor}",
        remainder.name, remainder.new, remainder.wanted, numbers.available
    )
}
