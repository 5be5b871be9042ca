//! Schedulers that get no gangs.

use api::PodCliqueSet;
use domain::object::text::cut_text;

use super::Warning;
use crate::clique_paths::cliques;
use crate::field::MAX_SHOWN_CHARS;
use crate::rules::Rules;

/// The pods name a scheduler without a profile. All cliques have the same one, so it is reported
/// once. The default one needs no profile: nobody asks for it.
pub(super) fn without_profile(pcs: &PodCliqueSet, rules: &Rules) -> Vec<Warning> {
    let Some(profiles) = &rules.profiles else {
        return Vec::new();
    };
    let unknown = cliques(pcs).find_map(|(at, clique)| {
        let name = clique.spec.pod_spec.scheduler_name.as_deref()?;
        let has_profile = profiles.names().any(|known| known == name);
        let is_named = !name.is_empty() && name != rules.default_scheduler;
        (is_named && !has_profile).then_some((at, name))
    });
    let warning = unknown.map(|(at, name)| {
        let name = cut_text(name, MAX_SHOWN_CHARS);
        let text = format!(
            "no profile of the operator (scheduler.profiles) has {name}: it gets no gangs, so the \
             pods of one start together and are not placed all or none"
        );
        let at = at.field("spec").field("podSpec").field("schedulerName");
        Warning::new(&at, text)
    });
    warning.into_iter().collect()
}
