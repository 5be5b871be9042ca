//! Sets of pod indices as text, e.g. `0-3,5`.

use std::collections::BTreeSet;

use api::limits::MAX_REPLICAS;

/// The indices that the text names; everything else in it is ignored.
pub fn parse(text: &str) -> BTreeSet<i32> {
    // A long text may name the same indices again and again.
    let mut ranges: Vec<(i32, i32)> = text.split(',').filter_map(range).collect();
    ranges.sort_unstable();
    let mut next = 0;
    ranges
        .into_iter()
        .flat_map(|(first, last)| {
            let fresh = first.max(next)..=last;
            next = next.max(last.saturating_add(1));
            fresh
        })
        .collect()
}

fn range(part: &str) -> Option<(i32, i32)> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last): (i32, i32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first >= 0 && last < MAX_REPLICAS).then_some((first, last))
}

/// The shortest text that names exactly these indices.
pub fn format(indices: &BTreeSet<i32>) -> String {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for index in indices {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*index) => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    ranges
        .iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        })
        .collect::<Vec<_>>()
        .join(",")
}
