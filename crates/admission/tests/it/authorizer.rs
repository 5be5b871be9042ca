//! Users who may change the objects of the operator.

use std::collections::BTreeMap;

use admission::authorizer::{ALWAYS_EXEMPT, Asked, Exemptions, Operation, Ruling, rule_on};
use api::PodCliqueSet;
use api::labels::{DISABLE_PROTECTION, MANAGED_BY, PART_OF};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use rstest::rstest;

const ALICE: &str = "alice";
const OPERATOR: &str = "system:serviceaccount:grove-system:grove-operator";
const COLLECTOR: &str = "system:serviceaccount:kube-system:generic-garbage-collector";
const HPA: &str = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";
const LISTED: &str = "system:serviceaccount:tools:repair";
const NODE: &str = "system:node:n1";
/// The existing set, and one that allows every user to change its objects.
const SET: &str = "x";
const OPEN: &str = "open";
const GONE: &str = "gone";

fn managed_for(set: &str) -> ObjectMeta {
    let labels = [(MANAGED_BY, "grove-operator"), (PART_OF, set)];
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    ObjectMeta {
        name: Some(format!("{set}-0-a")),
        namespace: Some("team-a".into()),
        labels: Some(BTreeMap::from(labels)),
        ..ObjectMeta::default()
    }
}

fn find_set(namespace: &str, name: &str) -> Option<Box<PodCliqueSet>> {
    let protection = match (namespace, name) {
        ("team-a", SET) => "false",
        ("team-a", OPEN) => "true",
        _ => return None,
    };
    let mut set = PodCliqueSet::default();
    set.metadata.annotations = Some(BTreeMap::from([(
        DISABLE_PROTECTION.to_owned(),
        protection.to_owned(),
    )]));
    Some(Box::new(set))
}

fn exemptions() -> Exemptions {
    Exemptions {
        operator: OPERATOR.into(),
        users: vec![LISTED.into()],
    }
}

/// `resource.group/subresource`, as `kubectl` writes it.
fn split(what: &str) -> (&str, &str, &str) {
    let (object, subresource) = what.split_once('/').unwrap_or((what, ""));
    let (resource, group) = object.split_once('.').unwrap_or((object, ""));
    (resource, group, subresource)
}

fn rule(operation: Operation, what: &str, user: &str, meta: &ObjectMeta) -> Ruling {
    let (resource, group, subresource) = split(what);
    let groups = [if user == NODE {
        "system:nodes"
    } else {
        "staff"
    }
    .to_owned()];
    let (object, old) = match operation {
        Operation::Create => (Some(meta), None),
        Operation::Delete => (None, Some(meta)),
        Operation::Update | Operation::Connect => (Some(meta), Some(meta)),
    };
    let asked = Asked {
        operation,
        group,
        resource,
        subresource,
        user,
        groups: &groups,
        object,
        old,
    };
    rule_on(&asked, &exemptions(), find_set)
}

fn verdict(ruling: &Ruling) -> &'static str {
    match ruling {
        Ruling::Allowed => "allowed",
        Ruling::AllowedWithWarning(_) => "warned",
        Ruling::Refused { .. } => "refused",
    }
}

use Operation::{Connect, Create, Delete, Update};

#[rstest]
// Users may not change the operator's objects.
#[case(Create, "podcliques.grove.io", ALICE, SET, "refused")]
#[case(Update, "podcliques.grove.io", ALICE, SET, "refused")]
#[case(Delete, "podcliques.grove.io", ALICE, SET, "refused")]
#[case(Create, "podcliquescalinggroups.grove.io", ALICE, SET, "refused")]
#[case(Update, "podcliquescalinggroups.grove.io", ALICE, SET, "refused")]
#[case(Delete, "podcliquescalinggroups.grove.io", ALICE, SET, "refused")]
#[case(Create, "podgangs.scheduler.grove.io", ALICE, SET, "refused")]
#[case(Delete, "podgangs.scheduler.grove.io", ALICE, SET, "refused")]
#[case(Update, "services", ALICE, SET, "refused")]
#[case(Delete, "services", ALICE, SET, "refused")]
#[case(Update, "horizontalpodautoscalers.autoscaling", ALICE, SET, "refused")]
#[case(Delete, "resourceclaims.resource.k8s.io", ALICE, SET, "refused")]
#[case(Delete, "computedomains.resource.nvidia.com", ALICE, SET, "refused")]
#[case(Update, "podgroups.scheduling.run.ai", ALICE, SET, "refused")]
#[case(Update, "podgroups.scheduling.volcano.sh", ALICE, SET, "refused")]
#[case(Delete, "podgroups.scheduling.k8s.io", ALICE, SET, "refused")]
#[case(Delete, "compositepodgroups.scheduling.k8s.io", ALICE, SET, "refused")]
#[case(Create, "workloads.scheduling.k8s.io", ALICE, SET, "refused")]
#[case(Update, "pods", ALICE, SET, "refused")]
#[case(Update, "secrets", ALICE, SET, "refused")]
// Unknown verbs, and pods of another group, are no exception.
#[case(Update, "widgets.example.com", ALICE, SET, "refused")]
#[case(Delete, "pods.example.com", ALICE, SET, "refused")]
#[case(Delete, "", ALICE, SET, "refused")]
// Users may create and delete pods, and connect to everything.
#[case(Create, "pods", ALICE, SET, "allowed")]
#[case(Delete, "pods", ALICE, SET, "allowed")]
#[case(Connect, "pods/exec", ALICE, SET, "allowed")]
#[case(Connect, "services", ALICE, SET, "allowed")]
// Subresources are not checked.
#[case(Update, "podcliques.grove.io/scale", ALICE, SET, "allowed")]
#[case(Update, "podcliques.grove.io/status", ALICE, SET, "allowed")]
#[case(Create, "pods/eviction", ALICE, SET, "allowed")]
#[case(Create, "pods/binding", ALICE, SET, "allowed")]
#[case(Update, "pods/ephemeralcontainers", ALICE, SET, "allowed")]
// Accounts that write these objects because it is their task.
#[case(Create, "podcliques.grove.io", OPERATOR, SET, "allowed")]
#[case(Delete, "podgangs.scheduler.grove.io", OPERATOR, SET, "allowed")]
#[case(Update, "pods", OPERATOR, SET, "allowed")]
#[case(Update, "services", LISTED, SET, "allowed")]
#[case(Delete, "services", COLLECTOR, SET, "allowed")]
#[case(Update, "horizontalpodautoscalers.autoscaling", HPA, SET, "allowed")]
#[case(Update, "pods", NODE, SET, "allowed")]
#[case(Update, "podcliques.grove.io", NODE, SET, "refused")]
#[case(Delete, "services", NODE, SET, "refused")]
// An empty name is not the operator, and no name is exempt for a part of it.
#[case(Update, "services", "", SET, "refused")]
#[case(Update, "services", "grove-operator", SET, "refused")]
#[case(
    Update,
    "services",
    "system:serviceaccount:evil:grove-operator",
    SET,
    "refused"
)]
// The owner of the object.
#[case(Update, "services", ALICE, OPEN, "allowed")]
#[case(Delete, "podcliques.grove.io", ALICE, OPEN, "allowed")]
#[case(Delete, "podcliques.grove.io", ALICE, GONE, "warned")]
#[case(Create, "podcliques.grove.io", ALICE, GONE, "warned")]
#[case(Delete, "podcliques.grove.io", ALICE, "", "warned")]
#[case(Delete, "podcliques.grove.io", OPERATOR, "", "allowed")]
fn may(
    #[case] operation: Operation,
    #[case] what: &str,
    #[case] user: &str,
    #[case] set: &str,
    #[case] expected: &str,
) {
    let ruling = rule(operation, what, user, &managed_for(set));
    assert_eq!(verdict(&ruling), expected, "{ruling:?}");
}

#[test]
fn objects_of_other_managers_are_left_alone() {
    let mut helm = managed_for(SET);
    let labels = helm.labels.as_mut().unwrap();
    labels.insert(MANAGED_BY.into(), "Helm".into());
    assert_eq!(rule(Update, "services", ALICE, &helm), Ruling::Allowed);
    let plain = ObjectMeta::default();
    assert_eq!(rule(Delete, "services", ALICE, &plain), Ruling::Allowed);
}

#[test]
fn an_object_without_the_label_of_its_set_is_let_through_with_a_warning() {
    let mut meta = managed_for(SET);
    meta.labels.as_mut().unwrap().remove(PART_OF);
    let ruling = rule(Delete, "podcliques.grove.io", ALICE, &meta);
    assert_eq!(verdict(&ruling), "warned");
}

#[test]
fn a_set_of_another_namespace_protects_nothing() {
    let mut meta = managed_for(SET);
    meta.namespace = Some("team-b".into());
    assert_eq!(verdict(&rule(Delete, "services", ALICE, &meta)), "warned");
    meta.namespace = None;
    assert_eq!(verdict(&rule(Delete, "services", ALICE, &meta)), "warned");
}

/// Old labels count in an update, so that no user can free an object first and change it then.
#[test]
fn removing_labels_does_not_free_an_object() {
    let (stored, freed) = (managed_for(SET), ObjectMeta::default());
    let asked = Asked {
        operation: Update,
        group: "",
        resource: "services",
        subresource: "",
        user: ALICE,
        groups: &[],
        object: Some(&freed),
        old: Some(&stored),
    };
    let ruling = rule_on(&asked, &exemptions(), find_set);
    assert_eq!(verdict(&ruling), "refused");
    let claimed = Asked {
        object: Some(&stored),
        old: Some(&freed),
        ..asked
    };
    let ruling = rule_on(&claimed, &exemptions(), find_set);
    assert_eq!(verdict(&ruling), "allowed");
}

/// In a namespace that hangs in Terminating, the operator may have lost its rights there and not
/// have seen that the set is gone (docs/operations.md).
#[rstest]
#[case::it_is_taken_off_what_goes(true, &[], "allowed")]
#[case::one_stays(true, &["grove.io/podclique.grove.io"], "allowed")]
#[case::one_is_added(true, &["grove.io/podclique.grove.io", "a/b", "c/d"], "refused")]
#[case::it_is_taken_off_what_stays(false, &[], "refused")]
fn finalizers_of_an_object_that_is_being_deleted_may_be_removed(
    #[case] goes: bool,
    #[case] finalizers: &[&str],
    #[case] expected: &str,
) {
    let mut stored = managed_for(SET);
    let is = ["grove.io/podclique.grove.io", "a/b"].map(str::to_owned);
    stored.finalizers = Some(is.to_vec());
    stored.deletion_timestamp = goes.then_some(Time(Timestamp::UNIX_EPOCH));
    let mut changed = stored.clone();
    changed.managed_fields = Some(Vec::new());
    let kept = finalizers.iter().map(|text| (*text).to_owned());
    changed.finalizers = Some(kept.collect());
    let rule = |changed: &ObjectMeta| {
        let asked = Asked {
            operation: Update,
            group: "grove.io",
            resource: "podcliques",
            subresource: "",
            user: ALICE,
            groups: &[],
            object: Some(changed),
            old: Some(&stored),
        };
        verdict(&rule_on(&asked, &exemptions(), find_set))
    };
    assert_eq!(rule(&changed), expected);
    changed.generation = Some(2);
    assert_eq!(rule(&changed), "refused", "and nothing else");
}

#[test]
fn a_request_without_metadata_is_let_through_with_a_warning() {
    for operation in [Create, Update, Delete] {
        let asked = Asked {
            operation,
            group: "grove.io",
            resource: "podcliques",
            subresource: "",
            user: ALICE,
            groups: &[],
            object: None,
            old: None,
        };
        let ruling = rule_on(&asked, &exemptions(), find_set);
        assert_eq!(verdict(&ruling), "warned");
    }
}

#[test]
fn accounts_of_the_cluster_are_always_exempt() {
    for (user, _) in ALWAYS_EXEMPT {
        let ruling = rule(
            Delete,
            "resourceclaims.resource.k8s.io",
            user,
            &managed_for(SET),
        );
        assert_eq!(ruling, Ruling::Allowed, "{user}");
    }
}

#[test]
fn an_operator_without_a_known_account_exempts_no_account() {
    let meta = managed_for(SET);
    let asked = Asked {
        operation: Delete,
        group: "",
        resource: "services",
        subresource: "",
        user: "",
        groups: &[],
        object: None,
        old: Some(&meta),
    };
    let ruling = rule_on(&asked, &Exemptions::default(), find_set);
    assert_eq!(verdict(&ruling), "refused");
}

#[test]
fn words() {
    let mut generated = managed_for(SET);
    generated.generate_name = Some("x-0-".into());
    generated.name = None;
    let no_set = managed_for("");
    let rulings = [
        rule(Delete, "podcliques.grove.io", ALICE, &managed_for(SET)),
        rule(
            Update,
            "podcliquescalinggroups.grove.io",
            ALICE,
            &managed_for(SET),
        ),
        rule(Create, "widgets.example.com", ALICE, &generated),
        rule(Delete, "podcliques.grove.io", ALICE, &managed_for(GONE)),
        rule(Delete, "services", ALICE, &no_set),
    ];
    let lines = rulings.map(|ruling| match ruling {
        Ruling::Allowed => "allowed".to_owned(),
        Ruling::AllowedWithWarning(warning) => format!("warned: {warning}"),
        Ruling::Refused { reason } => format!("refused: {reason}"),
    });
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_length_of_a_message_is_bounded() {
    let mut meta = managed_for(&"x".repeat(1_000_000));
    let long = "é".repeat(1_000_000);
    meta.name = Some(long.clone());
    meta.namespace = Some(long.clone());
    let refuse = |_: &str, _: &str| Some(Box::<PodCliqueSet>::default());
    let asked = Asked {
        operation: Delete,
        group: &long,
        resource: &long,
        subresource: "",
        user: &long,
        groups: &[],
        object: None,
        old: Some(&meta),
    };
    let Ruling::Refused { reason } = rule_on(&asked, &exemptions(), refuse) else {
        panic!("is not refused");
    };
    assert!(reason.len() < 4_096, "{} bytes", reason.len());
}
