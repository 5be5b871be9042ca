//! The user's topology constraints: levels that the set, its scaling groups and its cliques require
//! or prefer. A part names no broader level than what surrounds it.

use serde_json::{Value, json};

use crate::topology::{BINDING, LEVELS, SCHEDULER};
use crate::{Rng, view};

/// The narrowest levels that surround a part, by position.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    required: Option<usize>,
    preferred: Option<usize>,
}

/// Writes constraints into the manifest, and names the scheduler that keeps them.
pub(super) fn write(manifest: &mut Value, rng: &mut Rng) {
    let template = &mut manifest["spec"]["template"];
    let outer = draw(template, Around::default(), rng, 500);
    let mut of_groups: Vec<(Vec<Value>, Around)> = Vec::new();
    for group in items(template, "podCliqueScalingGroups") {
        let inner = draw(group, outer, rng, 500);
        let members = view::list(group, "/cliqueNames").cloned().collect();
        of_groups.push((members, inner));
    }
    for clique in items(template, "cliques") {
        let group = of_groups
            .iter()
            .find(|(members, _)| members.contains(&clique["name"]));
        let around = group.map_or(outer, |(_, inner)| *inner);
        draw(clique, around, rng, 350);
        clique["spec"]["podSpec"]["schedulerName"] = json!(SCHEDULER);
    }
    if !requires_level(template) {
        let (domain, _) = LEVELS[rng.below(LEVELS.len())];
        let constraint = &mut template["topologyConstraint"];
        constraint["topologyName"] = json!(BINDING);
        constraint["pack"]["required"] = json!(domain);
    }
}

fn items<'a>(template: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let items = template.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

fn requires_level(template: &Value) -> bool {
    let lists = ["/podCliqueScalingGroups", "/cliques"];
    let parts = lists.iter().flat_map(|list| view::list(template, list));
    let mut all = parts.chain([template]);
    all.any(|part| !view::text(part, "/topologyConstraint/pack/required").is_empty())
}

/// Writes a constraint into a part in this many of a thousand cases. Returns the levels that
/// surround what is in it.
fn draw(part: &mut Value, around: Around, rng: &mut Rng, per_mille: usize) -> Around {
    let mut inner = around;
    let mut pack = json!({});
    let mut level = |kind: &str, within: &mut Option<usize>, per_mille: usize| {
        if rng.chance(per_mille) {
            let broadest = within.unwrap_or(0);
            let position = broadest + rng.below(LEVELS.len() - broadest);
            *within = Some(position);
            let (domain, _) = LEVELS[position];
            pack[kind] = json!(domain);
        }
    };
    level("required", &mut inner.required, per_mille);
    level("preferred", &mut inner.preferred, per_mille / 3);
    if pack != json!({}) {
        part["topologyConstraint"] = json!({"topologyName": BINDING, "pack": pack});
    }
    inner
}
