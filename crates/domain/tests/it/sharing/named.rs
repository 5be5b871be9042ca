//! The claim that a new pod names, or the reason why it waits.

use api::resources::ResourceSharingScope::AllReplicas;
use domain::sharing::{ClaimFacts, MissingClaim, NamedClaim, Owners, TemplatesOfOtherNamespaces};
use rstest::rstest;

use super::{demo, facts, now, sharing, wanted};

/// `demo-all-pool` as a new pod finds it.
fn found_by_a_pod(facts: &ClaimFacts) -> String {
    let (set, entry) = (demo(), sharing("pool", "", AllReplicas));
    let owners = Owners {
        set: "uid-demo",
        ..Owners::default()
    };
    let wanted = wanted(&entry, 1);
    match facts.find(&wanted[0], &owners, &set, now()) {
        Ok(named) => {
            assert_eq!(
                named.name, "demo-all-pool",
                "containers use it under this name"
            );
            named.claim
        }
        Err(MissingClaim::Coming) => "coming".to_owned(),
        Err(MissingClaim::Blocked(text)) => text,
    }
}

/// Each state of a claim, and the claim that a new pod names or the reason why it waits.
#[rstest]
#[case::exists(&["demo-all-pool"], &[], "demo-all-pool")]
#[case::shared(&["demo-all-pool"], &["p demo-all-pool"], "demo-all-pool")]
#[case::its_pods_are_replaced(&["demo-all-pool"], &["+p demo-all-pool"], "demo-all-pool")]
#[case::coming(&[], &[], "coming")]
#[case::deleted_under_a_pod(&["+demo-all-pool"], &["p demo-all-pool"],
    "claim demo-all-pool is being deleted and held by pod p; end the replica to free it")]
#[case::deleted(&["+demo-all-pool"], &[],
    "coming")]
#[case::of_an_earlier_owner(&["+!demo-all-pool"], &["+p demo-all-pool"],
    "claim demo-all-pool does not exist yet: an earlier one is being deleted, held by pod p")]
#[case::taken(&["!demo-all-pool"], &[],
    "claim demo-all-pool does not exist yet: one of that name belongs to PodCliqueSet demo")]
#[case::not_adopted(&["?demo-all-pool"], &[], "coming")]
#[case::of_a_user(&["-?demo-all-pool"], &[],
    "claim demo-all-pool does not exist yet: one of that name belongs to nobody; to free the name: \
     kubectl delete resourceclaim demo-all-pool")]
#[case::all_users_are_lost(&["demo-all-pool"], &["++p demo-all-pool", "++q demo-all-pool"],
    "coming")]
#[case::the_next_one_exists(&["demo-all-pool", "demo-all-pool.1"], &["++p demo-all-pool"],
    "demo-all-pool.1")]
#[case::one_user_ended_and_the_others_are_lost(&["demo-all-pool"],
    &["=p demo-all-pool", "++q demo-all-pool"], "coming")]
#[case::one_user_ended_and_the_others_end(&["demo-all-pool"],
    &["=p demo-all-pool", "+q demo-all-pool"], "demo-all-pool")]
#[case::deleted_and_its_users_ended(&["+demo-all-pool"], &["=p demo-all-pool"], "coming")]
#[case::one_user_stays(&["demo-all-pool"], &["++p demo-all-pool", "q demo-all-pool"],
    "demo-all-pool")]
#[case::the_others_may_be_lost(&["demo-all-pool"], &["++p demo-all-pool", "+q demo-all-pool"],
    "claim demo-all-pool is held by pods that do not end, such as p")]
#[case::live_pods_decide(&["demo-all-pool", "demo-all-pool.1"], &["q demo-all-pool.1"],
    "demo-all-pool.1")]
#[case::the_lowest_that_exists(&["demo-all-pool.1", "demo-all-pool.2"], &[], "demo-all-pool.1")]
fn a_new_pod_names_a_claim_that_is_there_for_it(
    #[case] found: &[&str],
    #[case] pods: &[&str],
    #[case] expected: &str,
) {
    assert_eq!(found_by_a_pod(&facts(found, pods)), expected);
}

#[test]
fn a_new_pod_says_that_claims_are_not_served() {
    let facts = ClaimFacts {
        is_served: false,
        ..facts(&[], &[])
    };
    let text = "resource.k8s.io/v1 is not served: pods that share claims are not made";
    assert_eq!(found_by_a_pod(&facts), text);
}

/// What a new pod finds in a set of namespace `default` whose entry names a template of `shared`.
fn found_with_a_forbidden_template(found: &[&str]) -> Result<NamedClaim, MissingClaim> {
    let (set, entry) = (demo(), sharing("net", "shared", AllReplicas));
    let facts = ClaimFacts {
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..facts(found, &[])
    };
    let owners = Owners {
        set: "uid-demo",
        ..Owners::default()
    };
    let wanted = wanted(&entry, 1);
    facts.find(&wanted[0], &owners, &set, now())
}

#[test]
fn a_new_pod_says_that_templates_of_other_namespaces_are_not_read() {
    let text = "claim demo-all-net is not created: templates of other namespaces are not read here, such \
                as ResourceClaimTemplate shared/net; create another PodCliqueSet with a copy of it in \
                resourceClaimTemplates, or set resourceSharing.templatesOfOtherNamespaces of the operator \
                to Allow";
    assert_eq!(
        found_with_a_forbidden_template(&[]),
        Err(MissingClaim::Blocked(text.to_owned()))
    );
}

#[test]
fn a_new_pod_names_a_claim_that_was_made_from_such_a_template_before() {
    let claim = "demo-all-net".to_owned();
    let name = claim.clone();
    assert_eq!(
        found_with_a_forbidden_template(&["demo-all-net"]),
        Ok(NamedClaim { name, claim })
    );
}
