//! I29: live counts belong to users and autoscalers.

use serde_json::Value;

use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// Whether, as far as the operator could know, an autoscaler sets the count of this child.
fn is_autoscaled(window: &Window<'_>, child: &Value) -> bool {
    let part = view::name(child).splitn(3, '-').nth(2);
    let set = view::set_of(child);
    let sets = window.versions(Resource::PodCliqueSet, |o| view::name(o) == set);
    let has_config = |set: &&Stored| {
        let cliques = view::list(set, "/spec/template/cliques")
            .map(|c| (&c["name"], c.pointer("/spec/autoScalingConfig")));
        let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
        cliques
            .chain(groups.map(|g| (&g["name"], g.get("scaleConfig"))))
            .any(|(name, config)| name.as_str() == part && config.is_some())
    };
    !sets.is_empty() && sets.iter().all(has_config)
}

/// Live replicas belong to the user; only a changed template may change them, and with an
/// autoscaler not even that.
pub(super) fn check(
    window: &Window<'_>,
    record: &Record,
    before: &Value,
    after: &Value,
) -> Checked {
    let replicas = |o: &Value| o.pointer("/spec/replicas").cloned();
    let template =
        |o: &Value| view::text(o, "/metadata/annotations/grove.io~1template-replicas").to_owned();
    let is_template_same = template(before) == template(after);
    let may_follow = !is_template_same && !is_autoscaled(window, before);
    demand(
        replicas(before) == replicas(after) || may_follow,
        "I29",
        || format!("{}: the operator changed spec.replicas", record.id),
    )
}
