//! The resource claims that a PodGroup names for its pods.

use domain::object::pod::PodClaim;
use k8s_openapi::api::scheduling::v1beta1::PodGroupResourceClaim;
use podgang::backend::kubernetes::{ClaimsOfGroups, Facts, find_claims};
use testkit::builders::{pod, podclique};

use super::cluster;
use super::settled::settle;

/// A pod of this PodGroup that names these claims; one of them under another name.
fn user(index: i32, group: &str, claims: &[&str]) -> domain::Pod {
    let claims = claims.iter().map(|claim| PodClaim {
        name: claim.trim_end_matches(".1").to_owned(),
        resource_claim_name: Some((*claim).to_owned()),
        resource_claim_template_name: None,
    });
    let claims = claims.collect();
    let built = pod(&podclique("demo-0-a").build(), index)
        .in_pod_group(group)
        .with(|pod| pod.spec.resource_claims = claims)
        .build();
    domain::Pod::clone(&built)
}

fn names(claims: &ClaimsOfGroups) -> Vec<String> {
    let all = claims.iter().flat_map(|(group, claims)| {
        claims.iter().map(move |claim| {
            let of = claim.resource_claim_name.as_deref().unwrap_or_default();
            format!("{group}: {} is {of}", claim.name)
        })
    });
    all.collect()
}

/// One pod gains nothing, and no more than four fit.
#[test]
fn claims_of_several_pods_come_with_the_most_pods_first() {
    let pods = [
        user(0, "g", &["a", "b", "c", "d", "e.1", "own-0"]),
        user(1, "g", &["a", "b", "c", "d", "e.1", "own-1"]),
        user(2, "g", &["e.1", "c"]),
        user(0, "h", &["a"]),
        user(1, "h", &["a"]),
        user(0, "alone", &["a"]),
    ];
    assert_eq!(
        names(&find_claims(pods.iter())),
        [
            "g: c is c",
            "g: e is e.1",
            "g: a is a",
            "g: b is b",
            "h: a is a",
        ]
    );
}

#[test]
fn a_new_pod_group_names_them() {
    let claim = PodGroupResourceClaim {
        name: "pool".into(),
        resource_claim_name: Some("pool.1".into()),
        resource_claim_template_name: None,
    };
    let mut facts = Facts {
        claims: [("demo-0".to_owned(), vec![claim.clone()])].into(),
        ..cluster(&[("a", "demo-0", 2)])
    };
    settle(&mut facts);
    let group = &facts.groups["demo-0"];
    assert_eq!(group.spec.resource_claims, Some(vec![claim]));
}

#[test]
fn pods_without_claims_leave_the_field_out() {
    let mut facts = cluster(&[("a", "demo-0", 2)]);
    settle(&mut facts);
    assert_eq!(facts.groups["demo-0"].spec.resource_claims, None);
}
