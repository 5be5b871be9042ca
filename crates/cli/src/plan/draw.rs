//! A plan as text.

mod changes;
mod fold;
mod outline;
mod settings;
mod steps;
mod topology;
mod update;

pub(crate) use self::changes::draw_difference;
use super::{Plan, Planned, Refusal};
use crate::output;

/// Draws the plan, with more of each PodClique if `is_wide`.
pub fn draw_plan(plan: &Plan, is_wide: bool) -> String {
    let sets: Vec<String> = plan
        .sets
        .iter()
        .map(|set| match set {
            Planned::Refused(refusal) => draw_refusal(refusal),
            Planned::New(outline) => outline::draw_outline(outline, is_wide),
            Planned::Changed(change) => changes::draw_change(change, is_wide),
        })
        .collect();
    sets.join("\n")
}

fn draw_refusal(refusal: &Refusal) -> String {
    let heading = heading(&refusal.name, &refusal.namespace);
    let first = format!("{heading} {}\n", output::warn("is refused:"));
    let errors = refusal
        .refused
        .iter()
        .map(|error| output::indent("  ", &error.to_string()));
    std::iter::once(first).chain(errors).collect()
}

fn heading(name: &str, namespace: &str) -> String {
    format!(
        "{} in namespace {}",
        output::bold(&format!("podcliqueset {name}")),
        output::legible(namespace)
    )
}
