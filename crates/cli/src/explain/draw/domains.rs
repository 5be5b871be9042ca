//! The topology domains that a gang could use, one line each.

use crate::capacity::{Domain, Holder};
use crate::explain::answer::Explanation;
use crate::output;

/// Draws the domains, the best first, and what else is to be said of them.
pub(super) fn draw_domains(answer: &Explanation) -> String {
    let domains = answer.domains.iter().map(describe);
    let lines = domains.chain(answer.domain_notes.iter().cloned());
    lines.map(|line| output::indent("  ", &line)).collect()
}

/// "rack z0/r1: 4 of 5 pods, short 8 nvidia.com/gpu (held by default/other-0-w: 16)".
fn describe(domain: &Domain) -> String {
    let (level, name) = (&domain.level, &domain.domain);
    let (fits, need) = (domain.fits, domain.need);
    let missing = domain.missing.iter();
    let missing: Vec<String> = missing
        .map(|(resource, amount)| {
            let holders = domain.held_by.iter().filter(|h| h.resource == *resource);
            format!("short {amount} {resource}{}", describe_holders(holders))
        })
        .collect();
    let lead = format!("{level} {name}: {fits} of {need} pods");
    [vec![lead], missing].concat().join(", ")
}

fn describe_holders<'a>(holders: impl Iterator<Item = &'a Holder>) -> String {
    let holders: Vec<String> = holders
        .map(|holder| format!("{}: {}", holder.pods, holder.amount))
        .collect();
    if holders.is_empty() {
        return String::new();
    }
    format!(" (held by {})", holders.join(", "))
}
