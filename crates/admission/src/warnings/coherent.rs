//! Coherent updates that are not what was meant.

use api::PodCliqueSet;
use domain::update;

use super::Warning;
use crate::field::Path;
use crate::rules::coherent::{Part, parts};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<Warning> {
    if !update::is_coherent(pcs) {
        return Vec::new();
    }
    let parts = parts(pcs);
    let is_surging = parts.iter().any(|part| part.max_surge() > 0);
    let lacking = parts.iter().filter(|part| !part.has_whole_surge());
    let each = lacking.filter_map(|part| {
        let text = away_as_a_whole(part).or_else(|| is_surging.then(|| partial_surge(part)))?;
        Some(Warning::new(&part.at.field("maxSurge"), text))
    });
    alone(&parts).into_iter().chain(each).collect()
}

/// All of it goes at once, and nothing of it comes first. A partition keeps some.
fn away_as_a_whole(part: &Part<'_>) -> Option<String> {
    let goes_at_once = part.replicas > 0 && part.replicas <= part.minimum && part.partition() <= 0;
    goes_at_once.then(|| {
        format!(
            "{} is away as a whole while it is updated; set maxSurge of every clique and group to \
             at least its minAvailable",
            part.name
        )
    })
}

/// Surge is whole or not at all: else new units of one part would serve with old ones of another.
fn partial_surge(part: &Part<'_>) -> String {
    let (name, surge, needed) = (part.name, part.max_surge(), part.whole_surge());
    format!(
        "is {surge}, and a whole version of {name} needs {needed}: an update that changes {name} surges \
         nothing; set it to at least {needed}"
    )
}

fn alone(parts: &[Part<'_>]) -> Option<Warning> {
    let [only] = parts else { return None };
    let text = format!(
        "there is nothing to keep coherent: {} is all that can be updated",
        only.name
    );
    let at = Path::new("spec").field("updateStrategy").field("type");
    Some(Warning::new(&at, text))
}
