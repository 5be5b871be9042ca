//! Labels and annotations.

use super::{Case, create, edits};
use crate::good_set::{FRONTEND, GROUP, at};

pub(super) fn cases() -> Vec<Case> {
    [keys(), nvlink()].concat()
}

fn keys() -> Vec<Case> {
    let labels = at(FRONTEND, "labels");
    let annotations = at(FRONTEND, "annotations");
    vec![
        create("label-key", edits! {labels => {"-tier": "a"}})
            .refused(["spec.template.cliques[0].labels[-tier]"]),
        create("label-domain", edits! {labels => {"Example.com/tier": "a"}})
            .refused(["spec.template.cliques[0].labels[Example.com/tier]"]),
        create("label-value", edits! {labels => {"tier": "front end"}})
            .refused(["spec.template.cliques[0].labels[tier]"]),
        create("annotation-key", edits! {annotations => {"a/b/c": "x"}})
            .refused(["spec.template.cliques[0].annotations[a/b/c]"]),
        create(
            "annotation-key-of-a-group",
            edits! {at(GROUP, "annotations") => {"": "x"}},
        )
        .refused(["spec.template.podCliqueScalingGroups[0].annotations[]"]),
        create(
            "good-labels-and-annotations",
            edits! {
                labels => {"example.com/Tier_1": "", "x": "a.b-c_d"},
                annotations => {"grove.io/mnnvl-group": "none", "y": "{any: value}"},
            },
        ),
    ]
}

/// `<set>-<index>-<group>` is a name too.
fn nvlink() -> Vec<Case> {
    const OF_SET: &str = "metadata.annotations[grove.io/mnnvl-group]";
    let of_set = |group: &str| serde_json::json!({ "grove.io/mnnvl-group": group });
    vec![
        create("nvlink-group", &[("/metadata/annotations", of_set("fast"))]).warned([OF_SET]),
        create(
            "empty-nvlink-group",
            &[("/metadata/annotations", of_set(""))],
        )
        .refused([OF_SET]),
        create(
            "nvlink-group-of-a-clique",
            &[(&at(FRONTEND, "annotations"), of_set("A"))],
        )
        .refused(["spec.template.cliques[0].annotations[grove.io/mnnvl-group]"]),
        create(
            "long-nvlink-group",
            &[("/metadata/annotations", of_set(&"n".repeat(60)))],
        )
        .refused([OF_SET]),
    ]
}
