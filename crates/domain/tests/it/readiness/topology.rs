//! Gangs whose pods have to share a topology domain, and pods whose claims are missing.

use api::PodGang;
use api::conditions::{self, Reason, Status};
use api::labels;
use api::podgang::{GangTopologyConstraint, NamespacedName, PackConstraint, PodGroup};
use domain::health::readiness::{Start, find_start, ready_condition};
use domain::object::pod::PodClaim;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, podclique, stored};

use super::{NO_GPU, all, describe, ready, unschedulable};

const NO_DOMAIN: &str = "pod group is unschedulable, 0/4 placements are available, first placement \
                         status: minCount (5) cannot be satisfied: 1 scheduled, 3 remaining";

fn packed(no_domain: Option<&str>) -> Start {
    Start::Packed {
        no_domain: no_domain.map(str::to_owned),
    }
}

/// The words of kube-scheduler 1.37.1 and of KAI Scheduler.
#[rstest]
#[case::several(NO_DOMAIN, "none of 4 topology domains has room for the gang")]
#[case::one(
    "pod group is unschedulable, 0/1 placements are available, first placement status: pod group is \
     unschedulable",
    "the one topology domain in question has no room for the gang"
)]
#[case::no_label(
    "no feasible placements found",
    "no node has the label of the topology level"
)]
#[case::lost_label(
    "cannot determine domain for already scheduled pods: no topology domain found for pod \
     default/demo-0-worker-x",
    "pod demo-0-worker-x is on a node without the label of its topology level"
)]
#[case::scattered(
    "cannot determine domain for already scheduled pods: more than 1 domain found for pod group: r0, \
     r1",
    "its pods are not in one topology domain: more than 1 domain found for pod group: r0, r1"
)]
#[case::kai(
    "Unable to schedule podgroup: node-group z0.r0 can allocate only 1 of 5 required pods. \nnode-group \
     z0.r1 can allocate only 4 of 5 required pods. \nnode-group z1.r0 can allocate only 4 of 5 required \
     pods. \ntopology fabric, requirement example.com/rack couldn't be satisfied for job \
     <default/demo-0>, subgroup g-0.",
    "no domain of example.com/rack has room for 5 pods: the best, z0.r1, has room for 4, 1 too few"
)]
#[case::kai_without_numbers(
    "Unable to schedule podgroup: 2 node-group(s) didn't have enough resources: GPUs. \ntopology fabric, \
     requirement example.com/rack couldn't be satisfied for job <default/demo-0>.",
    "no domain of example.com/rack has room for the gang"
)]
#[case::kai_in_no_domain_of_any_level(
    "Unable to schedule podgroup: topology fabric, requirement example.com/rack couldn't be satisfied \
     for job <default/demo-0>: not enough resources in the cluster to allocate the job.",
    "no domain of example.com/rack has room for the gang: not enough resources in the cluster to \
     allocate the job"
)]
fn a_gang_without_a_domain_is_reported_in_plain_words(
    #[case] message: &'static str,
    #[case] text: &str,
) {
    let said = all(packed(None), &unschedulable(message));
    let expected = format!("False TopologyNoDomain: 0/2 pods scheduled: {text}");
    assert_eq!(said, expected);
}

/// KAI speaks of a preferred level in the same words, and requires nothing.
#[rstest]
#[case::preferred(
    "Unable to schedule podgroup: topology fabric, requirement  couldn't be satisfied for job \
     <default/demo-0>: not enough resources in the cluster to allocate the job."
)]
#[case::kubernetes_without_a_constraint(
    "pod group is unschedulable, 0/1 placements are available, first placement status: pod group is \
     unschedulable"
)]
fn without_a_required_level_it_is_another_cause(#[case] message: &'static str) {
    let said = all(Start::Started, &unschedulable(message));
    assert!(said.starts_with("False Unschedulable: "), "{said}");
}

/// Other pods of the same gang name what they lacked in one of the domains.
#[test]
fn the_whole_gang_has_the_cause_whatever_its_other_pods_say() {
    let (gpu, domain) = (unschedulable(NO_GPU), unschedulable(NO_DOMAIN));
    let verdict = ready(packed(None), &[], &[&gpu, &gpu, &domain]);
    assert_eq!(verdict.reason, Reason::TopologyNoDomain);
}

#[rstest]
#[case::another_pod_lacks_a_domain(NO_GPU, Reason::TopologyNoDomain)]
#[case::the_pod_lacks_a_domain(NO_DOMAIN, Reason::TopologyNoDomain)]
#[case::the_pod_lacks_more(
    "0/4 nodes are available: persistentvolumeclaim \"data\" not found.",
    Reason::VolumeUnavailable
)]
fn the_words_of_the_podgang_count(#[case] message: &'static str, #[case] reason: Reason) {
    let told = "no rack can hold 5 pods";
    let pod = unschedulable(message);
    let verdict = ready(packed(Some(told)), &[], &[&pod, &pod, &pod]);
    assert_eq!((verdict.status, verdict.reason), (Status::False, reason));
    let has_words = verdict.message == format!("0/2 pods scheduled: {told}");
    assert_eq!(
        has_words,
        reason == Reason::TopologyNoDomain,
        "{}",
        verdict.message
    );
}

/// The gang of one part, whose pods have to share a rack or not; `Ready` has this reason.
fn gang(required: Option<&str>, reason: Reason) -> PodGang {
    let mut gang = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    let key = labels::GATES_RELEASED_BY_LIST.to_owned();
    gang.metadata.annotations = Some([(key, "true".to_owned())].into());
    gang.spec.pod_groups = vec![PodGroup {
        name: "demo-0-worker".to_owned(),
        pod_references: vec![NamespacedName::default()],
        ..PodGroup::default()
    }];
    gang.spec.topology_constraint = required.map(|key| GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: Some(key.to_owned()),
            preferred: None,
        }),
    });
    let verdict = ready_condition(false, reason, "no rack can hold 5 pods".to_owned());
    let status = gang.status.get_or_insert_default();
    conditions::set(&mut status.conditions, verdict, None, after(0));
    gang
}

#[rstest]
#[case::without_constraint(None, Reason::Unschedulable, Start::Started)]
#[case::with_a_domain(Some("rack"), Reason::CrashLoop, packed(None))]
#[case::without_a_domain(
    Some("rack"),
    Reason::TopologyNoDomain,
    packed(Some("no rack can hold 5 pods"))
)]
fn a_started_part_knows_whether_its_gang_has_to_share_a_domain(
    #[case] required: Option<&str>,
    #[case] reason: Reason,
    #[case] expected: Start,
) {
    let podclique = podclique("demo-0-worker").build();
    let gang = gang(required, reason);
    assert_eq!(find_start(&podclique, Some(&gang), |_| true), expected);
}

#[rstest]
#[case::by_name(&[(Some("data"), None)], "claim data")]
#[case::by_template(&[(None, Some("gpu"))], "a claim of template gpu")]
#[case::several(
    &[(Some("a"), None), (Some("b"), None), (Some("c"), None), (Some("d"), None)],
    "claim a, claim b, claim c and 1 more"
)]
fn a_pod_without_a_verdict_names_its_claims(
    #[case] claims: &[(Option<&str>, Option<&str>)],
    #[case] named: &str,
) {
    let claims: Vec<PodClaim> = claims
        .iter()
        .map(|(claim, template)| PodClaim {
            name: "gpu".to_owned(),
            resource_claim_name: claim.map(str::to_owned),
            resource_claim_template_name: template.map(str::to_owned),
        })
        .collect();
    let adapt = |p: PodBuilder| {
        p.ungated()
            .with(|p| p.spec.resource_claims.clone_from(&claims))
    };
    let said = describe(&ready(Start::Started, &[], &[&adapt, &adapt, &adapt]));
    let expected = format!(
        "False WaitingForScheduler: 0/2 pods scheduled: no scheduler named default-scheduler has \
         picked up demo-0-worker-p0 yet; it names {named}: a scheduler says nothing of a pod whose \
         claim is missing or being deleted"
    );
    assert_eq!(said, expected);
}
