//! Names of the set, its cliques and its groups.

use super::{Case, create, edits};
use crate::good_set::{CLIQUES, FRONTEND, GROUP, GROUPS, LONG, at};

const OF_SET: &str = "/metadata/name";
const OF_FRONTEND: &str = "spec.template.cliques[0].name";

pub(super) fn cases() -> Vec<Case> {
    [spelling(), lengths(), equal(), clashes()].concat()
}

fn spelling() -> Vec<Case> {
    let name = at(FRONTEND, "name");
    vec![
        create("good", &[]),
        create("set-with-a-dot", edits! {OF_SET => "llm.v1"}).refused(["metadata.name"]),
        create("set-that-starts-with-a-digit", edits! {OF_SET => "3d"}).refused(["metadata.name"]),
        create("set-with-digits", edits! {OF_SET => "d3-2"}),
        create(
            "generated-name",
            edits! {OF_SET => null, "/metadata/generateName" => "llm-"},
        ),
        create(
            "generated-name-that-starts-with-a-digit",
            edits! {OF_SET => null, "/metadata/generateName" => "3d-"},
        )
        .refused(["metadata.generateName"]),
        create(
            "generated-name-with-a-dot",
            edits! {OF_SET => null, "/metadata/generateName" => "llm.v1-"},
        )
        .refused(["metadata.generateName"]),
        create("clique-without-a-name", edits! {name => ""}).refused([OF_FRONTEND]),
        create("clique-in-upper-case", edits! {name => "Front_End"}).refused([OF_FRONTEND]),
        create("clique-with-a-dot", edits! {name => "front.end"}).refused([OF_FRONTEND]),
        create("clique-of-digits", edits! {name => "7"}),
        create("group-with-a-dot", edits! {at(GROUP, "name") => "pre.fill"})
            .refused(["spec.template.podCliqueScalingGroups[0].name"]),
        create("group-without-a-name", edits! {at(GROUP, "name") => ""})
            .refused(["spec.template.podCliqueScalingGroups[0].name"]),
    ]
}

/// The names of set, group and clique have at most 45 characters in all.
fn lengths() -> Vec<Case> {
    let all = [
        OF_FRONTEND,
        "spec.template.cliques[1].name",
        "spec.template.cliques[2].name",
    ];
    vec![
        create("long-clique", edits! {at(FRONTEND, "name") => LONG}).refused([OF_FRONTEND]),
        create(
            "longest-clique",
            edits! {OF_SET => "long1", at(FRONTEND, "name") => ("c".repeat(40))},
        ),
        create(
            "one-more-than-the-longest-clique",
            edits! {OF_SET => "long2", at(FRONTEND, "name") => ("c".repeat(41))},
        )
        .refused([OF_FRONTEND]),
        create(
            "longest-group",
            edits! {OF_SET => "long3", at(GROUP, "name") => ("g".repeat(34))},
        ),
        create(
            "one-more-than-the-longest-group",
            edits! {OF_SET => "long4", at(GROUP, "name") => ("g".repeat(35))},
        )
        .refused([
            "spec.template.cliques[1].name",
            "spec.template.cliques[2].name",
        ]),
        create("long-set", edits! {OF_SET => LONG}).refused(all),
        create(
            "long-generated-name",
            edits! {OF_SET => null, "/metadata/generateName" => (format!("{LONG}-"))},
        )
        .refused(all),
    ]
}

fn equal() -> Vec<Case> {
    vec![
        create(
            "two-cliques-of-one-name",
            edits! {at(FRONTEND, "name") => "leader"},
        )
        .refused(["spec.template.cliques[1].name"]),
        create(
            "two-groups-of-one-name",
            edits! {at(GROUPS, "-") => {"name": "prefill", "cliqueNames": ["frontend"]}},
        )
        .refused(["spec.template.podCliqueScalingGroups[1].name"]),
        create(
            "one-role-twice",
            edits! {at(FRONTEND, "spec/roleName") => "leader"},
        )
        .refused(["spec.template.cliques[1].spec.roleName"]),
    ]
}

/// Different parts with objects that would have the same name.
fn clashes() -> Vec<Case> {
    vec![
        create(
            "clique-called-like-a-group",
            edits! {at(FRONTEND, "name") => "prefill"},
        )
        .refused([OF_FRONTEND]),
        create(
            "clique-called-like-a-member",
            edits! {at(FRONTEND, "name") => "prefill-12-worker"},
        )
        .refused(["spec.template.cliques[2].name"]),
        create(
            "clique-not-quite-called-like-a-member",
            edits! {at(FRONTEND, "name") => "prefill-01-worker"},
        ),
        create(
            "members-of-two-groups-of-one-name",
            edits! {
                at(FRONTEND, "name") => "x-7-y",
                at(CLIQUES, "1/name") => "y",
                at(GROUP, "cliqueNames") => ["y", "worker"],
                at(GROUP, "name") => "a-3-x",
                at(GROUPS, "-") => {"name": "a", "cliqueNames": ["x-7-y"]},
            },
        )
        .refused(["spec.template.cliques[1].name"]),
    ]
}
