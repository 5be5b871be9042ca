//! Cliques that wait for each other, and never start.

use std::collections::{BTreeSet, HashMap, HashSet};

use api::PodCliqueSet;

use crate::clique_paths::template;
use crate::field::FieldError;

/// The existing dependencies of each clique.
type Waits<'a> = HashMap<&'a str, Vec<&'a str>>;

/// A circle, if there is one.
pub(super) fn check(pcs: &PodCliqueSet) -> Option<FieldError> {
    let waits = waits(pcs);
    let left = never_started(&waits);
    let mut walk = vec![*left.first()?];
    loop {
        // Every clique left waits for another one that is left, so the walk ends in a circle.
        let next = waits
            .get(walk.last()?)?
            .iter()
            .copied()
            .filter(|name| left.contains(name))
            .min()?;
        if let Some(from) = walk.iter().position(|name| *name == next) {
            let circle: Vec<_> = walk.iter().copied().skip(from).chain([next]).collect();
            let last = walk.last().copied().unwrap_or_default();
            return Some(error(&circle, last, next));
        }
        walk.push(next);
    }
}

fn error(circle: &[&str], last: &str, next: &str) -> FieldError {
    let at = template().field("cliques");
    let problem = "circular dependencies: these cliques wait for each other and would never start";
    let remedy = format!("remove {next:?} from the startsAfter of {last:?}, for example");
    at.wrong(circle.join(" -> "), problem, remedy)
}

fn waits(pcs: &PodCliqueSet) -> Waits<'_> {
    let cliques = &pcs.spec.template.cliques;
    let names: HashSet<&str> = cliques.iter().map(|c| c.name.as_str()).collect();
    let mut waits = Waits::new();
    for clique in cliques {
        let known = clique
            .spec
            .starts_after
            .iter()
            .map(String::as_str)
            .filter(|name| *name != clique.name && names.contains(name));
        waits.entry(&clique.name).or_default().extend(known);
    }
    waits
}

/// Cliques in a circle, or behind one: those left after each clique without open dependencies has
/// started. Each entry is read twice, however long the chains are.
fn never_started<'a>(waits: &Waits<'a>) -> BTreeSet<&'a str> {
    let mut missing: HashMap<&str, usize> = waits.iter().map(|(n, w)| (*n, w.len())).collect();
    let mut followers = Waits::new();
    for (name, before) in waits {
        for before in before {
            followers.entry(before).or_default().push(name);
        }
    }
    let mut ready: Vec<&str> = missing
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(name, _)| *name)
        .collect();
    while let Some(name) = ready.pop() {
        missing.remove(name);
        for follower in followers.get(name).into_iter().flatten() {
            let Some(count) = missing.get_mut(follower) else {
                continue;
            };
            *count = count.saturating_sub(1);
            if *count == 0 {
                ready.push(follower);
            }
        }
    }
    missing.into_keys().collect()
}
