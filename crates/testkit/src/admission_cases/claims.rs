//! Resource claims: their templates, and how pods share them.

use serde_json::{Value, json};

use super::{Case, create, edits};
use crate::good_set::{FRONTEND, GROUP, at};

const TEMPLATES: &str = "/spec/template/resourceClaimTemplates";
const SHARING: &str = "/spec/template/resourceSharing";

pub(super) fn cases() -> Vec<Case> {
    [templates(), sharing(), lengths(), filters()].concat()
}

fn template(name: &str) -> Value {
    let request = json!({"spec": {"devices": {"requests": [{"name": "gpu"}]}}});
    json!({"name": name, "templateSpec": request})
}

fn templates() -> Vec<Case> {
    vec![
        create("claim-template", edits! {TEMPLATES => [(template("a"))]}),
        create(
            "claim-template-without-a-name",
            edits! {TEMPLATES => [(template(""))]},
        )
        .refused(["spec.template.resourceClaimTemplates[0].name"]),
        create(
            "claim-template-twice",
            edits! {TEMPLATES => [(template("a")), (template("a"))]},
        )
        .refused(["spec.template.resourceClaimTemplates[1].name"]),
        create(
            "claim-template-without-requests",
            edits! {TEMPLATES => [{"name": "a", "templateSpec": {"spec": {}}}]},
        )
        .refused(["spec.template.resourceClaimTemplates[0].templateSpec.spec.devices.requests"]),
    ]
}

fn sharing() -> Vec<Case> {
    let all = |name: &str| json!({"name": name, "scope": "AllReplicas"});
    let clique = at(FRONTEND, "resourceSharing");
    vec![
        create("sharing", edits! {SHARING => [(all("a"))]}),
        create("sharing-without-a-name", edits! {SHARING => [(all(""))]})
            .refused(["spec.template.resourceSharing[0].name"]),
        create(
            "sharing-twice",
            edits! {SHARING => [(all("a")), (all("a"))]},
        )
        .refused(["spec.template.resourceSharing[1].name"]),
        create("sharing-with-a-dot", edits! {SHARING => [(all("gpu.v1"))]})
            .refused(["spec.template.resourceSharing[0].name"]),
        create(
            "sharing-with-the-namespace-of-an-own-template",
            edits! {
                TEMPLATES => [(template("a"))],
                clique => [{"name": "a", "namespace": "x", "scope": "AllReplicas"}],
            },
        )
        .refused(["spec.template.cliques[0].resourceSharing[0].namespace"]),
        create(
            "sharing-from-another-namespace",
            edits! {clique => [{"name": "a", "namespace": "x", "scope": "AllReplicas"}]},
        ),
    ]
}

/// Claims are named after set, group, clique and template, with an index each.
fn lengths() -> Vec<Case> {
    let sharing =
        |length: usize, scope: &str| json!([{"name": "r".repeat(length), "scope": scope}]);
    let of_clique = at(FRONTEND, "resourceSharing");
    let of_member = "/spec/template/cliques/1/resourceSharing";
    let of_group = at(GROUP, "resourceSharing");
    vec![
        create(
            "long-claim-of-a-set",
            &[(SHARING, sharing(54, "PerReplica"))],
        )
        .refused(["spec.template.resourceSharing[0].name"]),
        create(
            "longest-claim-of-a-set",
            &[(SHARING, sharing(53, "PerReplica"))],
        ),
        create(
            "longest-claim-of-all-replicas",
            &[(SHARING, sharing(54, "AllReplicas"))],
        ),
        create(
            "long-claim-of-a-clique",
            &[(&of_clique, sharing(40, "PerReplica"))],
        )
        .refused(["spec.template.cliques[0].resourceSharing[0].name"]),
        create(
            "longest-claim-of-a-clique",
            &[(&of_clique, sharing(39, "PerReplica"))],
        ),
        create(
            "long-claim-of-a-member",
            &[(of_member, sharing(29, "PerReplica"))],
        )
        .refused(["spec.template.cliques[1].resourceSharing[0].name"]),
        create(
            "longest-claim-of-a-member",
            &[(of_member, sharing(28, "PerReplica"))],
        ),
        create(
            "long-claim-of-a-group",
            &[(&of_group, sharing(41, "PerReplica"))],
        )
        .refused(["spec.template.podCliqueScalingGroups[0].resourceSharing[0].name"]),
    ]
}

fn filters() -> Vec<Case> {
    let group = at(GROUP, "resourceSharing");
    let with = |filter: Value| json!([{"name": "a", "scope": "AllReplicas", "filter": filter}]);
    vec![
        create("empty-filter", &[(SHARING, with(json!({})))])
            .refused(["spec.template.resourceSharing[0].filter"]),
        create(
            "filter-of-strangers",
            &[(
                SHARING,
                with(json!({
                    "childCliqueNames": ["leader", "decode"],
                    "childScalingGroupNames": ["x", "prefill"]
                })),
            )],
        )
        .refused([
            "spec.template.resourceSharing[0].filter.childCliqueNames[1]",
            "spec.template.resourceSharing[0].filter.childScalingGroupNames[0]",
        ]),
        create(
            "filter",
            &[(
                SHARING,
                with(json!({"childScalingGroupNames": ["prefill"]})),
            )],
        ),
        create(
            "filter-of-a-group-for-another-clique",
            &[(&group, with(json!({"childCliqueNames": ["frontend"]})))],
        )
        .refused([
            "spec.template.podCliqueScalingGroups[0].resourceSharing[0].filter.childCliqueNames[0]",
        ]),
        create(
            "filter-of-a-group",
            &[(&group, with(json!({"childCliqueNames": ["leader"]})))],
        ),
    ]
}
