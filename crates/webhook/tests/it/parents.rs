//! The set that an object belongs to.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use rstest::rstest;
use webhook::parents::find_set;

use crate::made_up::MadeUp;

fn called(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: Some("default".into()),
        ..ObjectMeta::default()
    }
}

fn set() -> PodCliqueSet {
    PodCliqueSet {
        metadata: called("svc"),
        ..PodCliqueSet::default()
    }
}

fn group(owner: OwnerReference) -> PodCliqueScalingGroup {
    let mut group = PodCliqueScalingGroup {
        metadata: called("svc-0-g"),
        ..PodCliqueScalingGroup::default()
    };
    group.metadata.owner_references = Some(vec![owner]);
    group
}

/// Whether the set is found from a PodClique of this owner, and from a PodClique of a group of this
/// owner.
fn is_found(owner: &OwnerReference) -> [bool; 2] {
    let group = group(owner.clone());
    let stored = MadeUp {
        sets: vec![set()],
        groups: vec![group.clone()],
        ..MadeUp::default()
    };
    [owner.clone(), ownership::controller_reference(&group)].map(|owner| {
        let mut podclique = PodClique {
            metadata: called("of-one"),
            ..PodClique::default()
        };
        podclique.metadata.owner_references = Some(vec![owner]);
        find_set(&stored, &podclique.metadata).is_some()
    })
}

#[test]
fn a_set_is_found_by_its_podcliques_and_by_those_of_its_groups() {
    assert_eq!(
        is_found(&ownership::controller_reference(&set())),
        [true; 2]
    );
}

#[rstest]
#[case::of_another_kind(|o: &mut OwnerReference| o.kind = "Deployment".into())]
#[case::of_another_api_group(|o: &mut OwnerReference| o.api_version = "example.com/v1alpha1".into())]
#[case::of_no_api_group(|o: &mut OwnerReference| o.api_version = "v1".into())]
#[case::that_controls_nothing(|o: &mut OwnerReference| o.controller = None)]
fn an_owner_called_like_a_set_is_not_taken_for_it(#[case] edit: fn(&mut OwnerReference)) {
    let mut owner = ownership::controller_reference(&set());
    edit(&mut owner);
    assert_eq!(is_found(&owner), [false; 2]);
}
