//! The cause of a PodClique that is not ready: one sentence for each way to be stuck, and which of
//! several causes is reported.

use api::LastError;
use api::conditions::{ConditionUpdate, Reason, Status};
use domain::Pod;
use domain::health::readiness::{CliqueView, Start, judge_podclique, refusal};
use domain::object::pod::{
    Container, ContainerState, ContainerStatus, Gate, Running, Terminated, Waiting,
};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique};

mod pull_failure;
mod start_order;
mod topology;

const NO_GPU: &str = "0/20 nodes are available: 20 Insufficient nvidia.com/gpu. no new claims to \
                      deallocate, preemption: 0/20 nodes are available: 20 Preemption is not \
                      helpful for scheduling.";

fn unschedulable(message: &'static str) -> impl Fn(PodBuilder) -> PodBuilder {
    move |p| {
        let pod = p.ungated().condition("PodScheduled", "False");
        pod.with(|p| {
            let condition = p.status.conditions.last_mut().unwrap();
            condition.reason = Some("Unschedulable".into());
            condition.message = Some(message.into());
        })
    }
}

/// On a node, its only container in these states.
fn container(
    waiting: Option<(&'static str, &'static str)>,
    last: Option<(i32, &'static str)>,
) -> impl Fn(PodBuilder) -> PodBuilder {
    move |p| {
        let waiting = waiting.map(|(reason, message)| Waiting {
            reason: Some(reason.into()),
            message: (!message.is_empty()).then(|| message.into()),
        });
        let ended = last.map(|(exit_code, reason)| Terminated {
            exit_code,
            reason: Some(reason.into()),
            ..Terminated::default()
        });
        let is_running = waiting.is_none();
        let status = ContainerStatus {
            name: "main".into(),
            restart_count: i32::from(last.is_some()) * 3,
            state: ContainerState {
                waiting,
                running: is_running.then(Default::default),
                ..ContainerState::default()
            },
            last_state: ContainerState {
                terminated: ended,
                ..ContainerState::default()
            },
            ..ContainerStatus::default()
        };
        let pod = p.bound().phase("Running").condition("Ready", "False");
        pod.with(|p| {
            p.status.container_statuses = vec![status];
            p.spec.containers = vec![spec("main", "example/main:1")];
        })
    }
}

fn spec(name: &str, image: &str) -> Container {
    Container {
        name: name.into(),
        image: image.into(),
        ..Container::default()
    }
}

fn foreign_gate(p: PodBuilder) -> PodBuilder {
    p.ungated().with(|p| {
        p.spec.scheduling_gates.push(Gate {
            name: "kueue.x-k8s.io/topology".into(),
        });
    })
}

fn evicted(p: PodBuilder) -> PodBuilder {
    p.bound().phase("Failed").with(|p| {
        p.status.reason = Some("Evicted".into());
        p.status.message = Some("The node was low on resource: memory".into());
    })
}

/// `Ready` of a clique with one pod for each adaption; 3 pods wanted, 2 required.
fn ready(
    start: Start,
    errors: &[&str],
    pods: &[&dyn Fn(PodBuilder) -> PodBuilder],
) -> ConditionUpdate {
    let podclique = podclique("demo-0-worker").size(3, 2).with(|c| {
        let status = c.status.get_or_insert_default();
        status.last_errors = errors.iter().map(|text| error(text)).collect();
    });
    let podclique = podclique.build();
    let pods = (0..).zip(pods).map(|(k, adapt)| adapt(pod(&podclique, k)));
    let pods: Vec<_> = pods.map(PodBuilder::build).collect();
    judge_podclique(&CliqueView {
        podclique: &podclique,
        pods: pods.iter().map(|p| -> &Pod { p }).collect(),
        start,
        now: after(0),
    })
}

fn error(text: &str) -> LastError {
    LastError {
        code: "ERR_CREATE_POD".into(),
        description: text.into(),
        observed_at: Time(after(0)),
    }
}

fn describe(verdict: &ConditionUpdate) -> String {
    format!("{} {}: {}", verdict.status, verdict.reason, verdict.message)
}

/// All pods alike.
fn all(start: Start, adapt: &dyn Fn(PodBuilder) -> PodBuilder) -> String {
    describe(&ready(start, &[], &[adapt, adapt, adapt]))
}

/// The text of kube-scheduler 1.37.1, which is about its internals.
#[rstest]
#[case::too_few(
    "pod group is unschedulable, 0/1 placements are available, first placement status: minCount \
     (5) cannot be satisfied: 4 scheduled, 0 remaining, pod group preemption: No preemption victims \
     found for incoming preemptor",
    ": 4 of 5 found a place"
)]
#[case::given_up_early(
    "pod group is unschedulable, 0/1 placements are available, first placement status: minCount \
     (5) cannot be satisfied: 1 scheduled, 3 remaining",
    ""
)]
#[case::of_one_of_several_domains(
    "pod group is unschedulable, 0/4 placements are available, first placement status: minCount \
     (5) cannot be satisfied: 4 scheduled, 0 remaining",
    ""
)]
#[case::of_groups(
    "pod group is unschedulable, 0/1 placements are available, first placement status: pod group is \
     unschedulable",
    ""
)]
fn a_group_that_finds_no_room_is_reported_in_plain_words(
    #[case] message: &'static str,
    #[case] numbers: &str,
) {
    let said = all(Start::Started, &unschedulable(message));
    let room = "there is no room for all pods that must be placed together";
    let expected = format!("False Unschedulable: 0/2 pods scheduled: {room}{numbers}");
    assert_eq!(said, expected);
}

#[test]
fn each_way_to_be_stuck_has_its_sentence() {
    let base = || Start::AwaitsBase {
        gang: "demo-0-g-0".into(),
        base: "demo-0".into(),
    };
    let incomplete = |base: Option<&str>| Start::Incomplete {
        gang: "demo-0".into(),
        base: base.map(str::to_owned),
    };
    let joins = Start::Joins {
        gang: "demo-0".into(),
    };
    let on = Start::Started;
    let selector = "0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector. \
                    preemption: 0/4 nodes are available: 4 Preemption is not helpful.";
    let claim = "0/4 nodes are available: persistentvolumeclaim \"data\" not found.";
    let taint = "0/4 nodes are available: 4 node(s) had untolerated taint(s).";
    let image = container(Some(("ImagePullBackOff", "Back-off pulling image")), None);
    let crash = container(
        Some(("CrashLoopBackOff", "back-off 5m0s")),
        Some((137, "OOMKilled")),
    );
    let config = container(
        Some((
            "CreateContainerConfigError",
            "configmap \"settings\" not found",
        )),
        None,
    );
    let creating = container(Some(("ContainerCreating", "")), None);
    let lines = [
        all(on.clone(), &unschedulable(NO_GPU)),
        all(on.clone(), &unschedulable(selector)),
        all(on.clone(), &unschedulable(claim)),
        all(on.clone(), &unschedulable(taint)),
        all(on.clone(), &foreign_gate),
        all(on.clone(), &image),
        all(on.clone(), &crash),
        all(on.clone(), &config),
        all(on.clone(), &creating),
        all(on.clone(), &container(None, None)),
        all(on.clone(), &evicted),
        all(on.clone(), &PodBuilder::ungated),
        all(incomplete(None), &|p| p),
        all(incomplete(Some("demo")), &|p| p),
        all(joins, &|p| p),
        all(base(), &|p| p),
        describe(&ready(Start::Terminating, &[], &[])),
        describe(&ready(incomplete(None), &[], &[&|p| p])),
        describe(&ready(
            on,
            &[],
            &[&|p: PodBuilder| p.bound().terminating(5)],
        )),
    ];
    assert_snapshot!(lines.join("\n"));
}

#[rstest]
#[case::quota("pods \"a\" is forbidden: exceeded quota: q", Reason::QuotaExceeded)]
#[case::account(
    "pods \"a\" is forbidden: error looking up service account ns/x: serviceaccount \"x\" not found",
    Reason::ServiceAccountMissing
)]
#[case::priority(
    "pods \"a\" is forbidden: no PriorityClass with name x was found",
    Reason::PriorityClassMissing
)]
#[case::anything_else("admission webhook \"x\" denied the request", Reason::RequestRefused)]
fn a_refusal_is_reported_in_the_words_of_the_api_server(
    #[case] text: &str,
    #[case] reason: Reason,
) {
    let verdict = ready(Start::Started, &[text], &[&PodBuilder::ready]);
    assert_eq!((verdict.status, verdict.reason), (Status::False, reason));
    assert!(verdict.message.contains(text), "{}", verdict.message);
    assert!(
        verdict.message.starts_with("1/2 pods created: "),
        "{}",
        verdict.message
    );
}

/// The write is repeated soon, so users need no report.
#[test]
fn a_server_that_does_not_answer_is_no_cause() {
    let mut silent = error("the API server gave no answer: timeout");
    silent.code = "ERR_API_UNAVAILABLE".into();
    assert_eq!(refusal(&[silent]), None);
}

/// The check that finds it reports path and value; a moment after the correction it is still
/// stored.
#[test]
fn an_error_of_an_older_spec_is_no_refusal() {
    for code in ["ERR_INVALID_SPEC", "ERR_LIMIT_EXCEEDED"] {
        let mut mended = error("spec.replicas: -1: must not be negative");
        mended.code = code.into();
        assert_eq!(refusal(&[mended]), None, "{code}");
    }
}

#[test]
fn between_two_crashes_it_is_the_same_trouble() {
    let crashes = [
        container(
            Some(("CrashLoopBackOff", "back-off 20s")),
            Some((1, "Error")),
        ),
        container(None, Some((1, "Error"))),
    ];
    let [first, second] = crashes.map(|c| all(Start::Started, &c));
    assert_eq!(first, second);
}

/// It has been Ready for weeks since the crash.
#[test]
fn a_crash_that_is_over_is_not_reported() {
    let crashed = container(None, Some((137, "OOMKilled")));
    let running_since = |started: i64, flipped: i64| {
        let crashed = &crashed;
        move |p: PodBuilder| {
            crashed(p).with(|p| {
                let running = Running {
                    started_at: Some(Time(after(started))),
                };
                p.status.container_statuses[0].state.running = Some(running);
                let ready = p.status.conditions.iter_mut().find(|c| c.type_ == "Ready");
                ready.unwrap().last_transition_time = Some(Time(after(flipped)));
            })
        }
    };
    let over = all(Start::Started, &running_since(10, 50));
    assert_snapshot!(over, @"False ContainersNotReady: 0/2 pods ready: demo-0-worker-p0: container main: is running but not ready");
    let crash = all(Start::Started, &running_since(50, 10));
    assert_snapshot!(crash, @"False CrashLoop: 0/2 pods ready: demo-0-worker-p0: container main: crashed with OOMKilled, exit code 137, restarted 3 times");
}

#[test]
fn a_node_that_is_lost_takes_back_ready_alone() {
    let lost = |p: PodBuilder| {
        let pod = container(None, None)(p.condition("ContainersReady", "True"));
        pod.with(|p| p.status.container_statuses[0].ready = true)
    };
    assert_snapshot!(all(Start::Started, &lost), @"False PodNotReady: 0/2 pods ready: demo-0-worker-p0 is not ready, though its containers are: its node node-0 is lost");
}

/// On a node, its containers held back by an init container in this state.
fn held_back(change: impl Fn(&mut ContainerStatus)) -> impl Fn(PodBuilder) -> PodBuilder {
    move |p| {
        let mut init = ContainerStatus {
            name: "grove-initc".into(),
            ..ContainerStatus::default()
        };
        change(&mut init);
        let pod = container(Some(("PodInitializing", "")), None)(p);
        pod.with(|p| {
            p.spec.init_containers = vec![spec(&init.name, "grove-initc:0.1.0")];
            p.status.init_container_statuses = vec![init];
        })
    }
}

/// It has no readiness probe that could fail.
#[test]
fn an_init_container_that_works_is_a_start() {
    let downloads = held_back(|c| {
        c.name = "download".into();
        c.state.running = Some(Running::default());
    });
    assert_snapshot!(all(Start::Started, &downloads), @"False PodsStarting: 0/2 pods ready: demo-0-worker-p0: container download: runs, and the others start after it");
}

#[test]
fn between_two_pulls_it_is_the_same_trouble() {
    let pulls = ["ErrImagePull", "ImagePullBackOff"].map(|r| container(Some((r, r)), None));
    let [first, second] = pulls.map(|c| all(Start::Started, &c));
    assert_eq!(first, second);
}

#[test]
fn of_several_causes_the_first_in_the_list_is_reported_wherever_it_is() {
    let creating = container(Some(("ContainerCreating", "")), None);
    let crash = container(Some(("CrashLoopBackOff", "")), Some((1, "Error")));
    let verdict = ready(
        Start::Started,
        &[],
        &[&creating, &unschedulable(NO_GPU), &crash],
    );
    assert_eq!(verdict.reason, Reason::CrashLoop);
}

#[test]
fn pods_beyond_the_minimum_are_no_reason_not_to_be_ready() {
    let gpu = unschedulable(NO_GPU);
    let creating = container(Some(("ContainerCreating", "")), None);
    let starting = ready(Start::Started, &[], &[&creating, &creating, &gpu]);
    assert_eq!(starting.reason, Reason::PodsStarting);
    let up = ready(
        Start::Started,
        &[],
        &[&PodBuilder::ready, &PodBuilder::ready, &gpu],
    );
    assert_snapshot!(describe(&up));
    let whole = all(Start::Started, &PodBuilder::ready);
    assert_snapshot!(whole, @"True AllReady: 3/3 pods ready");
}
