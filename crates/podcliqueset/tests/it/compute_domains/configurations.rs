//! The four configurations: the definition is there or not, and the operator is to make domains or not.

use api::conditions::{self, ConditionType};
use rstest::rstest;

use super::{alone, plan, rack, writes};

/// The caches know whether a kind is served: here nobody reports that the definition is missing.
#[rstest]
#[case::served_and_enabled(true, true, &["create ComputeDomain demo-0-rack"], None)]
#[case::enabled_and_not_served(false, true, &[], None)]
#[case::served_and_disabled(true, false, &[], Some("ComputeDomainsOff"))]
#[case::neither(false, false, &[], Some("ComputeDomainsOff"))]
fn domains_are_made_only_if_both_hold(
    #[case] is_served: bool,
    #[case] is_enabled: bool,
    #[case] made: &[&str],
    #[case] said: Option<&str>,
) {
    let mut snapshot = alone(&rack(1).build());
    snapshot.domains.is_served = is_served;
    snapshot.domains.is_enabled = is_enabled;
    assert_eq!(writes(&snapshot), made);
    let status = plan(&snapshot).status.unwrap();
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let found = conditions::find(&status.conditions, type_);
    assert_eq!(found.map(|condition| condition.reason.as_str()), said);
}
