//! The constraint of all replicas of a scaling group.

use super::*;

/// The constraint of all replicas of a group is between that of the set and that of the group.
#[test]
fn all_replicas_of_a_group_share_a_level_between_those_around_and_within() {
    let (all, group) = (
        at(GROUP, "allReplicasTopologyConstraint"),
        at(GROUP, "topologyConstraint"),
    );
    let (all, group) = (all.as_str(), group.as_str());
    let told = describe(
        &[
            (
                "upside down",
                vec![
                    (OWN, required("host")),
                    (all, required("rack")),
                    (group, required("zone")),
                ],
            ),
            (
                "narrower and narrower, with the name of the set",
                vec![
                    (OWN, required("zone")),
                    (all, json!({"pack": {"required": "rack"}})),
                    (group, json!({"pack": {"required": "host"}})),
                ],
            ),
            ("an unknown level", vec![(all, required("block"))]),
            (
                "no name",
                vec![(all, json!({"pack": {"required": "rack"}}))],
            ),
        ],
        &rules(),
    );
    insta::assert_snapshot!(told, @r#"
    upside down
      spec.template.topologyConstraint.pack.required: "host": "host" of the PodCliqueSet is narrower than "rack" of all replicas of group "prefill"; use rack or a broader level here, or host or a narrower level for all replicas of group "prefill"
      spec.template.topologyConstraint.pack.required: "host": "host" of the PodCliqueSet is narrower than "zone" of scaling group "prefill"; use zone or a broader level here, or host or a narrower level for scaling group "prefill"
      spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint.pack.required: "rack": "rack" of all replicas of group "prefill" is narrower than "zone" of scaling group "prefill"; use zone or a broader level here, or rack or a narrower level for scaling group "prefill"
    narrower and narrower, with the name of the set
      accepted
    an unknown level
      spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint.pack.required: "block": topology domain "block" does not exist in ClusterTopologyBinding "fabric"; use one of zone, rack, host
    no name
      spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint.topologyName: not set: the name of a ClusterTopologyBinding is needed here or further out; set it, or set spec.template.topologyConstraint.topologyName for all
    "#);
}

#[rstest]
#[case::one(1, "default-scheduler", "")]
#[case::several(
    2,
    "default-scheduler",
    "  spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint.pack.required: \"rack\": \
     only a profile with gangs: Tree places the replicas of minAvailable in one domain; use such a \
     profile, or minAvailable: 1, or pack.preferred"
)]
#[case::several_in_a_tree(2, "tree", "")]
fn several_required_replicas_share_a_domain_only_in_a_tree(
    #[case] minimum: i32,
    #[case] scheduler: &str,
    #[case] expected: &str,
) {
    let (all, least) = (
        at(GROUP, "allReplicasTopologyConstraint"),
        at(GROUP, "minAvailable"),
    );
    let edits = scheduled_by(
        scheduler,
        &[(&all, required("rack")), (&least, json!(minimum))],
    );
    let profiles = [
        ("default-scheduler", Backend::Kubernetes),
        ("tree", Backend::KubernetesTree),
    ];
    let profiles = profiles.map(|(name, backend)| (name.to_owned(), backend));
    let rules = Rules {
        profiles: Some(Profiles::of(profiles)),
        ..rules()
    };
    assert_eq!(words(&set(&borrowed(&edits)), &rules), expected);
}

#[test]
fn the_constraint_of_all_replicas_cannot_be_changed() {
    let all = at(GROUP, "allReplicasTopologyConstraint");
    let (stored, sent) = (
        set(&[(&all, required("rack"))]),
        set(&[(&all, required("zone"))]),
    );
    let told = lines(&validate_update(&stored, &sent, &rules()));
    let path = "spec.template.podCliqueScalingGroups[0].allReplicasTopologyConstraint";
    assert!(
        told.contains(path) && told.contains("is immutable"),
        "{told}"
    );
    assert_eq!(lines(&validate_update(&stored, &stored, &rules())), "");
}
