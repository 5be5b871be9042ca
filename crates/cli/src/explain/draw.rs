//! The answer as text.

mod chain;
mod domains;
mod evidence;

use jiff::Timestamp;

use super::answer::{Explanation, NextStep};
use crate::output::{self, Zone, age_of, local_time};
use crate::tree::warn_of;
use chain::draw_chain;
use domains::draw_domains;
use evidence::draw_evidence;

/// Draws the answer, with times of that zone.
pub fn draw_explanation<Z: Zone>(answer: &Explanation, now: Timestamp, zone: &Z) -> String {
    let clock = Clock { now, zone };
    let heading = if answer.remedy.is_some() || !answer.is_ready {
        "Cause"
    } else {
        "State"
    };
    let absence = answer.operator_absence.as_ref();
    let mut text = warn_of(absence, now);
    text.push_str(&headline(answer));
    text.push_str(&section(heading, &output::indent("  ", &answer.cause)));
    text.push_str(&section("Found through", &draw_chain(&answer.chain)));
    text.push_str(&section("Evidence", &draw_evidence(answer, &clock)));
    text.push_str(&section("Domains", &draw_domains(answer)));
    let remedy = answer.remedy.as_deref().unwrap_or_default();
    text.push_str(&section("Remedy", &output::indent("  ", remedy)));
    let next = answer.next.iter().map(|step| draw_step(step, &clock));
    let heading = match absence {
        Some(_) => "Next, once the operator is back",
        None => "Next",
    };
    text.push_str(&section(heading, &next.collect::<String>()));
    let not_read = answer
        .not_read
        .iter()
        .map(|line| output::indent("  ", line));
    text.push_str(&section("Not read", &not_read.collect::<String>()));
    text
}

struct Clock<'a, Z> {
    now: Timestamp,
    zone: &'a Z,
}

impl<Z: Zone> Clock<'_, Z> {
    /// "2026-01-01 12:00:00 (5m ago)".
    fn tell(&self, at: Timestamp) -> String {
        let time = local_time(at, self.zone);
        if at > self.now {
            format!("{time} (in {})", age_of(self.now, at))
        } else {
            format!("{time} ({} ago)", age_of(at, self.now))
        }
    }
}

fn headline(answer: &Explanation) -> String {
    let what = match &answer.pod {
        Some(pod) => format!("pod {pod} of {}", answer.set),
        None => answer.set.clone(),
    };
    let is = match (answer.is_ready, answer.is_good()) {
        (true, true) => "is ready",
        (true, false) if answer.needs_somebody() => {
            "is ready, but the API server refuses an object of it"
        }
        (true, false) => "is ready, but its update is stuck",
        (false, _) => "is not ready",
    };
    let is_known = answer.is_ready || answer.needs_somebody();
    let reason = output::of_state(&answer.reason, is_known.then_some(answer.is_good()));
    format!("{} {is}: {reason}\n", output::bold(&what))
}

/// A heading with its body; empty without a body.
fn section(heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("\n{}\n{body}", output::bold(heading))
}

fn draw_step<Z: Zone>(step: &NextStep, clock: &Clock<'_, Z>) -> String {
    let time = step.at.map(|at| format!("{}: ", clock.tell(at)));
    output::indent(
        "  - ",
        &format!("{}{}", time.unwrap_or_default(), step.text),
    )
}
