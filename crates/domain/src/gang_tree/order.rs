//! The order of children: numbers in names count as numbers, so `r-2` comes before `r-10`.

use std::cmp::Ordering;

/// Compares two names part by part: digits by value, everything else by letters. Names that are
/// equal in this order (`r-1`, `r-01`) are compared as texts.
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(one), Some(other)) = (next_part(&mut left), next_part(&mut right)) {
        let order = compare_parts(one, other);
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// Takes the leading digits, or everything before the next digit, from the text.
fn next_part<'a>(text: &mut &'a str) -> Option<&'a str> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != is_number);
    let (part, rest) = text.split_at(end.unwrap_or(text.len()));
    *text = rest;
    (!part.is_empty()).then_some(part)
}

fn compare_parts(one: &str, other: &str) -> Ordering {
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    if !(is_number(one) && is_number(other)) {
        return one.cmp(other);
    }
    // Numbers of any length: without leading zeros the longer number is the greater one.
    let [one, other] = [one, other].map(|part| part.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}
