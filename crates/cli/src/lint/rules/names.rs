//! Names near the limit.

use api::PodCliqueSet;
use api::names::{MAX_COMBINED_LENGTH, combined_length};
use domain::workload::layout;

use crate::lint::parts::cliques;
use crate::lint::remark::{Remark, Rule};

/// So much is near.
const NEAR: usize = 5;
/// Characters that the API server adds to `generateName`.
const GENERATED: &str = "xxxxx";

pub(in crate::lint) const NEAR_LIMIT: Rule = Rule::warning(
    "name-near-limit",
    "names of set, group and clique with more than 40 of 45 characters in total",
    "Pods are named after all three. The next suffix, such as that of another environment, does not \
     fit, and a name cannot be changed without another workload.",
);

/// One remark, about the clique with the least room: the others follow from it.
pub(super) fn check(set: &PodCliqueSet) -> Vec<Remark> {
    let own = own_name(set);
    let longest = cliques(set)
        .map(|(at, clique)| {
            let group =
                layout::group_of(&set.spec.template, &clique.name).map(|group| group.name.as_str());
            let parts = if group.is_some() {
                "set, group and clique"
            } else {
                "set and clique"
            };
            (
                combined_length(&own, group, &clique.name),
                at,
                &clique.name,
                parts,
            )
        })
        .max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let near = longest.and_then(|(length, at, name, parts)| {
        let left = MAX_COMBINED_LENGTH.checked_sub(length)?;
        let problem = format!(
            "the names of {parts} have {length} of {MAX_COMBINED_LENGTH} characters, {left} are left"
        );
        (left <= NEAR).then(|| {
            let remark = Remark::new(&NEAR_LIMIT, format!("{at}.name"), problem);
            remark.value(format!("{name:?}")).remedy("shorten one of them")
        })
    });
    near.into_iter().collect()
}

fn own_name(set: &PodCliqueSet) -> String {
    let (name, prefix) = (&set.metadata.name, &set.metadata.generate_name);
    let generated = || prefix.as_ref().map(|prefix| format!("{prefix}{GENERATED}"));
    name.clone().or_else(generated).unwrap_or_default()
}
