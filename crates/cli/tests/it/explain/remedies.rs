//! Remedies equal those of docs/operations.md, and their commands have the names of the objects.

use std::collections::BTreeMap;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::labels;
use cli::explain::{Named, hold_up_remedy, remedy_of};
use cli::workload::Workload;
use domain::health::readiness::states;
use rstest::rstest;
use serde_json::json;
use strum::IntoEnumIterator as _;
use testkit::builders::after;

use super::explain;
use crate::read::{demo_with, gated, on_node};

const MANUAL: &str = include_str!("../../../../../docs/operations.md");

/// The remedy of each reason in the manual's tables: rows of reason, meaning and remedy.
fn documented() -> BTreeMap<&'static str, &'static str> {
    let rows = MANUAL.lines().filter_map(|line| {
        let cells = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (reason, rest) = cells.split_once("` | ")?;
        let (_, remedy) = rest.split_once(" | ")?;
        reason.parse::<Reason>().is_ok().then_some((reason, remedy))
    });
    rows.collect()
}

#[test]
fn each_remedy_is_that_of_the_manual_word_for_word() {
    let documented = documented();
    assert!(documented.len() > 20, "{documented:?}");
    for reason in Reason::iter() {
        let word = reason.to_string();
        assert_eq!(remedy_of(reason), documented.get(&*word).copied(), "{word}");
    }
}

#[test]
fn each_cause_has_a_remedy() {
    let causes = Reason::iter().filter(|r| r.priority() < usize::MAX);
    let without: Vec<Reason> = causes.filter(|r| remedy_of(*r).is_none()).collect();
    assert_eq!(without, vec![]);
}

/// A clause with "what" leaves the name of the thing to the reader.
#[test]
fn no_remedy_has_a_clause_in_place_of_a_noun() {
    let all = Reason::iter().filter_map(remedy_of);
    let vague = all.filter(|text| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| ["what", "who", "whose"].contains(&word))
    });
    assert_eq!(vague.collect::<Vec<_>>(), Vec::<&str>::new());
}

const HOLD_UPS: [&str; 5] = [
    "FailedMount",
    "FailedMapVolume",
    "FailedAttachVolume",
    "FailedResourceClaimCreation",
    "FailedCreatePodSandBox",
];

/// Words in capitals that stand for names.
const PLACEHOLDERS: [&str; 15] = [
    "SET",
    "NAMESPACE",
    "POD",
    "CONTAINER",
    "NODE",
    "GANG",
    "BASE",
    "GATE",
    "SCHEDULER",
    "ACCOUNT",
    "CLASS",
    "QUOTA",
    "CLAIM",
    "TYPE",
    "NAME",
];

/// All remedies as they stand in the tables.
fn tables() -> Vec<&'static str> {
    let of_causes = Reason::iter().filter_map(remedy_of);
    let of_states = states().iter().filter_map(|state| state.remedy);
    let of_events = HOLD_UPS.into_iter().filter_map(hold_up_remedy);
    of_causes.chain(of_states).chain(of_events).collect()
}

/// The first word in capitals, without names of products.
fn find_placeholder(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|word| {
        let is_capital = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
        is_capital && !["API", "DRA", "NVIDIA"].contains(word)
    })
}

#[test]
fn each_remedy_has_a_command_or_a_field() {
    let without = tables().into_iter().filter(|text| !text.contains('`'));
    assert_eq!(without.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn each_command_about_an_object_of_a_namespace_names_the_namespace() {
    let of_namespace = [
        "SET", "POD", "GANG", "BASE", "ACCOUNT", "QUOTA", "CLAIM", "NAME",
    ];
    let all = tables();
    let commands = all
        .iter()
        .flat_map(|text| text.split('`').skip(1).step_by(2));
    let astray = commands.filter(|command| {
        let mut words = command.split([' ', '=']);
        let is_namespaced = words.any(|word| of_namespace.contains(&word));
        is_namespaced && !command.contains(" -n NAMESPACE")
    });
    assert_eq!(astray.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn no_placeholder_is_left_in_a_remedy_whose_names_are_known() {
    let all = PLACEHOLDERS.into_iter().chain(["QUEUES", "KEY"]);
    let named = all.fold(Named::default(), |named, placeholder| {
        named.with(placeholder, Some("x"))
    });
    for text in tables() {
        let filled = named.fill(text);
        assert_eq!(find_placeholder(&filled), None, "{filled}");
    }
}

/// The words of the API server, of schedulers and of the operator about missing and taken objects.
const NOT_FOUND: &str = "create PodClique demo-0-worker: NameConflict: this name is taken by an object that \
    belongs to PodCliqueSet other; error looking up service account default/trainer: serviceaccount \
    \"trainer\" not found; no PriorityClass with name high was found; exceeded quota: few-pods, requested: \
    pods=1; persistentvolumeclaim \"weights\" not found; queue team-a, set by kai.scheduler/queue, does not \
    exist: create the queue, or use one that `kubectl get queues.scheduling.run.ai` lists";

/// Set `demo` is not ready for this reason; its pods have a node, a container that crashes, a gate of
/// another controller and a base gang.
fn stuck_for(reason: Reason) -> Workload {
    let crash = json!({"waiting": {"reason": "CrashLoopBackOff"}});
    let mut pod = on_node(&crash, &json!({}), 4);
    pod["spec"]["schedulingGates"] = json!([{"name": "example.com/queue"}]);
    let mut workload = demo_with(&[pod.clone(), pod], &[]);
    let meta = &mut workload.podcliques[0].metadata;
    let all = meta.labels.get_or_insert_default();
    all.insert(labels::BASE_POD_GANG.to_owned(), "demo-base".to_owned());
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::False,
        reason,
        message: NOT_FOUND.to_owned(),
    };
    let status = workload.set.status.get_or_insert_default();
    conditions::set(&mut status.conditions, verdict, Some(1), after(5));
    workload
}

#[test]
fn explain_knows_the_names_of_each_remedy() {
    for reason in Reason::iter().filter(|reason| remedy_of(*reason).is_some()) {
        let answer = explain(&stuck_for(reason), &[]);
        let remedy = answer.remedy.unwrap();
        assert_eq!(find_placeholder(&remedy), None, "{reason}: {remedy}");
    }
}

#[rstest]
#[case::name_taken(
    Reason::NameTaken,
    "the message names the owner of that object: if it does not need it, `kubectl delete podclique \
     demo-0-worker -n default`; otherwise apply this set under another name"
)]
#[case::account(
    Reason::ServiceAccountMissing,
    "`kubectl create serviceaccount trainer -n default`, or correct `podSpec.serviceAccountName` in the \
     template of the PodCliqueSet"
)]
#[case::priority_class(
    Reason::PriorityClassMissing,
    "`kubectl create priorityclass high --value=1000`, or write one that `kubectl get priorityclasses` \
     lists into `spec.template.priorityClassName`"
)]
#[case::quota(
    Reason::QuotaExceeded,
    "raise the quota, or free some of it: `kubectl describe resourcequota few-pods -n default` shows its \
     use; the operator tries again within a minute"
)]
#[case::queue(
    Reason::QueueNotFound,
    "write a queue that `kubectl get queues.scheduling.run.ai` lists into kai.scheduler/queue in the \
     metadata of the PodCliqueSet, or create the missing one"
)]
#[case::claim(
    Reason::VolumeUnavailable,
    "`kubectl describe pvc weights -n default` shows why it is not bound; if it does not exist, create it, \
     or correct `claimName` in the template of the PodCliqueSet"
)]
#[case::base_gang(
    Reason::BaseGangNotReady,
    "correct the cause of the base gang first: `kubectl describe podgang demo-base -n default` shows it"
)]
#[case::quota_of_a_gang(
    Reason::QuotaEvicted,
    "none: the gang starts again by itself once its quota is there; `kubectl describe \
     workloads.kueue.x-k8s.io demo-0 -n default` has Kueue's words"
)]
#[case::suspended(
    Reason::Suspended,
    "`kubectl grove resume demo -n default`, or set `spec.suspend` to false"
)]
#[case::scheduler(
    Reason::WaitingForScheduler,
    "check that scheduler default-scheduler runs: `kubectl get pods -A` lists its pods; or correct \
     `schedulerName` in the template of the PodCliqueSet"
)]
fn a_remedy_has_the_names_of_the_objects(#[case] reason: Reason, #[case] remedy: &str) {
    let answer = explain(&stuck_for(reason), &[]);
    assert_eq!(answer.remedy.as_deref(), Some(remedy));
}

/// Policies and webhooks have nothing to do with a right that the operator lacks.
#[rstest]
#[case::of_the_core_group(
    "cannot create resource \"pods\" in API group \"\" in the namespace \"default\"",
    "create pods",
    "create pods -n default"
)]
#[case::of_a_group(
    "cannot patch resource \"podgangs\" in API group \"scheduler.grove.io\" in the namespace \"default\"",
    "patch podgangs.scheduler.grove.io",
    "patch podgangs.scheduler.grove.io -n default"
)]
#[case::of_a_subresource(
    "cannot patch resource \"podcliques/status\" in API group \"grove.io\" in the namespace \"default\"",
    "patch podcliques.grove.io",
    "patch podcliques.grove.io --subresource=status -n default"
)]
fn a_right_that_the_operator_lacks_is_granted(
    #[case] words: &str,
    #[case] right: &str,
    #[case] asked: &str,
) {
    let mut workload = stuck_for(Reason::RequestRefused);
    let account = "system:serviceaccount:grove-system:grove-operator";
    let message = format!("create Pod a: pods is forbidden: User \"{account}\" {words}");
    let status = workload.set.status.get_or_insert_default();
    for condition in &mut status.conditions {
        condition.message.clone_from(&message);
    }
    let expected = format!(
        "the operator itself may not {right}: `helm upgrade` writes its ClusterRole again (Helm 4 with \
         `--force-conflicts`); or add the right to the role that `kubectl get clusterroles,roles -A -l \
         app.kubernetes.io/name=grove-operator` lists, until `kubectl auth can-i {asked} --as={account}` \
         says yes"
    );
    assert_eq!(explain(&workload, &[]).remedy, Some(expected));
}

/// The scheduler names no claim that is not bound.
#[test]
fn a_claim_that_no_message_names_is_that_of_the_pod() {
    let mut workload = stuck_for(Reason::VolumeUnavailable);
    let status = workload.set.status.get_or_insert_default();
    for condition in &mut status.conditions {
        "pod has unbound immediate PersistentVolumeClaims".clone_into(&mut condition.message);
    }
    for pod in &mut workload.pods {
        let spec = pod.spec.get_or_insert_default();
        let volume = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "models"}}]);
        spec.volumes = serde_json::from_value(volume).unwrap();
    }
    let remedy = explain(&workload, &[]).remedy.unwrap();
    assert!(
        remedy.starts_with("`kubectl describe pvc models -n default`"),
        "{remedy}"
    );
}

/// Kueue's pod integration takes the pods one by one, and the operator's queues need none of it.
#[test]
fn a_gate_of_kueue_has_its_own_remedy() {
    let kueue = "list `PodCliqueSet.v1alpha1.grove.io`, `PodCliqueScalingGroup.v1alpha1.grove.io` and \
        `PodClique.v1alpha1.grove.io` under `integrations.externalFrameworks` in Kueue's configuration: \
        `kubectl edit configmap kueue-manager-config -n kueue-system`, then `kubectl rollout restart \
        deployment kueue-controller-manager -n kueue-system`; a pod keeps the gate until `kubectl delete \
        pod POD -n NAMESPACE`, and its successor has none";
    assert!(MANUAL.contains(&format!(" | `ForeignSchedulingGate` | {kueue} |\n")));
    let pod = gated(&["example.com/other", "kueue.x-k8s.io/admission"]);
    let answer = explain(&demo_with(&[pod.clone(), pod], &[]), &[]);
    assert_eq!(answer.reason, "ForeignSchedulingGate");
    let expected = kueue.replace("POD -n NAMESPACE", "demo-0-worker-bcdf0 -n default");
    assert_eq!(answer.remedy, Some(expected));
}
