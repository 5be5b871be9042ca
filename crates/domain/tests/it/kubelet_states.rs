//! The sentence for each state that kubelets and schedulers report: one recorded example for each
//! row of the table, and a written one where a recording leaves the state out.

use api::conditions::Reason;
use domain::Pod;
use domain::health::readiness::{Cause, Setting, Start, find_pod_cause, states};
use insta::assert_snapshot;
use jiff::Timestamp;
use rstest::rstest;
use serde_json::{Value, json};
use strum::IntoEnumIterator as _;

/// A pod as it was seen at one time.
pub fn seen_pod(recording: &str, step: usize) -> (Value, Timestamp) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit/recordings");
    let text = std::fs::read_to_string(format!("{folder}/{recording}.jsonl")).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let line = &lines[step];
    let sidecars = lines[0]["sidecars"].as_array().cloned().unwrap_or_default();
    let init = sidecars
        .iter()
        .map(|name| json!({"name": name, "restartPolicy": "Always"}));
    let time = format!("2026-11-27T{}Z", line["t"].as_str().unwrap());
    let pod = json!({
        "metadata": {"name": line["name"]},
        "spec": {
            "nodeName": line["node"].as_bool().filter(|n| *n).map(|_| "node-2"),
            "initContainers": init.collect::<Vec<_>>(),
            "containers": [{"name": "main", "image": "example/main:1"}],
        },
        "status": line["status"],
    });
    (pod, time.parse().unwrap())
}

/// The cause; of a job where the recording is of one.
fn explain(pod: &Value, is_training: bool, now: Timestamp) -> Option<Cause> {
    let pod: Pod = serde_json::from_value(pod.clone()).unwrap();
    let setting = Setting {
        start: &Start::Started,
        is_training,
        now,
    };
    find_pod_cause(&pod, &setting)
}

type Example = (&'static str, Value, Timestamp);

fn recorded(name: &'static str, recording: &str, step: usize) -> Example {
    let (pod, now) = seen_pod(recording, step);
    (name, pod, now)
}

/// With this value at that place.
fn changed(example: Example, at: &str, value: Value) -> Example {
    let (name, mut pod, now) = example;
    *pod.pointer_mut(at).unwrap() = value;
    (name, pod, now)
}

/// The recording leaves out the rest of the message.
fn waiting(name: &'static str, recording: &str, reason: &str, message: &str) -> Example {
    let state = json!({"waiting": {"reason": reason, "message": message}});
    let at = "/status/containerStatuses/0/state";
    changed(recorded(name, recording, 4), at, state)
}

fn refused(name: &'static str, message: &str) -> Example {
    let no = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": message});
    let example = recorded(name, "never-scheduled-then-bound", 3);
    changed(example, "/status/conditions/0", no)
}

/// Messages of schedulers.
fn of_schedulers() -> Vec<Example> {
    let pinned = json!({"name": "a-0-w-x", "annotations": {
        "grove.io/pinned": "{\"example.com/rack\":\"r1\",\"example.com/zone\":\"z0\"}",
    }});
    vec![
        refused(
            "the scheduler: no topology domain has room for the gang",
            "Unable to schedule podgroup: node-group z0.r0 can allocate only 2 of 5 required pods. \
             \nnode-group z0.r1 can allocate only 4 of 5 required pods. \ntopology fabric, \
             requirement example.com/rack couldn't be satisfied for job <default/demo-0>.",
        ),
        refused(
            "the scheduler: no room for a group of pods",
            "pod group is unschedulable, 0/1 placements are available, first placement status: \
             minCount (5) cannot be satisfied: 4 scheduled, 0 remaining",
        ),
        refused(
            "the scheduler: 256 pods use a resource claim",
            "running PreBind plugin \"DynamicResources\": add reservation to claim default/demo-all-gpu: \
             ResourceClaim \"demo-all-gpu\" is invalid: status.reservedFor: Too many: 257: must have at \
             most 256 items",
        ),
        refused(
            "the scheduler: a volume",
            "0/2 nodes are available: persistentvolumeclaim \"data\" not found. not found",
        ),
        changed(
            refused(
                "the scheduler: no room in the topology domain that a pod has to join",
                "0/16 nodes are available: 12 node(s) didn't match Pod's node affinity/selector, 4 \
                 Insufficient nvidia.com/gpu.",
            ),
            "/metadata",
            pinned,
        ),
        refused(
            "the scheduler: `Insufficient ...`",
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no \
             new claims to deallocate",
        ),
        refused(
            "the scheduler: no free devices for a resource claim",
            "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable",
        ),
        recorded("the scheduler: a taint", "never-scheduled-then-bound", 3),
        refused(
            "the scheduler: nodeSelector or affinity",
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
        ),
        refused(
            "the scheduler: anything else",
            "0/2 nodes are available: 2 node(s) were unschedulable.",
        ),
    ]
}

/// Containers that wait.
fn of_waiting_containers() -> Vec<Example> {
    vec![
        waiting(
            "a container waits: `InvalidImageName`",
            "image-name-invalid",
            "InvalidImageName",
            "Failed to apply default image tag \"A B\": couldn't parse image name \"A B\"",
        ),
        waiting(
            "a container waits: `ErrImageNeverPull`",
            "image-never-pull",
            "ErrImageNeverPull",
            "Container image \"localhost/none:1\" is not present with pull policy of Never",
        ),
        recorded(
            "a container waits: `ErrImagePull`, `ImagePullBackOff` or another trouble with its image",
            "image-pull-backoff",
            7,
        ),
        waiting(
            "a container waits: `CreateContainerConfigError`, something is not found",
            "configmap-missing",
            "CreateContainerConfigError",
            "configmap \"nothere\" not found",
        ),
        recorded(
            "a container waits: `CreateContainerConfigError`, it would run as root",
            "run-as-root-refused",
            6,
        ),
        waiting(
            "a container waits: `CreateContainerError`",
            "no-command",
            "CreateContainerError",
            "failed to generate container \"x\" spec: no command specified",
        ),
    ]
}

/// Containers that ended, or were never started.
fn of_ended_containers() -> Vec<Example> {
    vec![
        recorded(
            "a container cannot be started: `RunContainerError`, `StartError`",
            "bad-command",
            8,
        ),
        recorded(
            "a container's hook fails: `PostStartHookError`",
            "poststart-fails",
            6,
        ),
        waiting(
            "a container waits for another reason",
            "no-command",
            "CreateContainerConfigError",
            "failed to prepare subPath for volumeMount \"data\"",
        ),
        recorded(
            "a container was lost with its node: `Unknown`, `ContainerStatusUnknown`",
            "node-rebooted-inference",
            3,
        ),
        changed(
            recorded(
                "a container with a postStart hook is killed: exit code 137",
                "poststart-fails",
                8,
            ),
            "/spec/containers/0",
            json!({"name": "main", "lifecycle": {"postStart": {"exec": {}}}}),
        ),
        changed(
            recorded(
                "a container with a liveness or startup probe is ended: exit code 137 or 143",
                "liveness-fails",
                11,
            ),
            "/spec/containers/0",
            json!({"name": "main", "livenessProbe": {"httpGet": {}}}),
        ),
        recorded("a container ends: `OOMKilled`", "crashloop-oom", 10),
        recorded("a container ends with exit code 0", "crashloop-exit0", 10),
        recorded(
            "a container ends with another exit code, or by a signal",
            "sidecar-crashes",
            11,
        ),
    ]
}

/// Containers that start.
fn of_starting_containers() -> Vec<Example> {
    vec![
        recorded("an init container runs", "node-rebooted-inference", 5),
        recorded("a container is running but not ready", "readiness-flaps", 9),
        recorded(
            "a container waits for a minute: `ContainerCreating`, `PodInitializing`",
            "secret-volume-missing",
            5,
        ),
        recorded("a container starts", "secret-volume-missing", 4),
    ]
}

/// Pods as a whole.
fn of_pods() -> Vec<Example> {
    vec![
        recorded(
            "a pod ended: `Evicted`, or another reason of the pod itself",
            "evicted-emptydir-job",
            4,
        ),
        recorded("a pod ended as its node restarted", "node-rebooted-job", 3),
        recorded(
            "a pod that is not of a job ended with exit code 0",
            "never-exit0",
            7,
        ),
        recorded(
            "a pod ended with another exit code",
            "job-exit-before-seen-running",
            6,
        ),
        recorded(
            "a pod is not ready, its containers are: a readiness gate is closed",
            "readiness-gate",
            2,
        ),
        changed(
            recorded(
                "a pod is not ready, its containers are: another reason of the pod itself",
                "readiness-gate",
                2,
            ),
            "/status/conditions/2/reason",
            json!("SomethingElse"),
        ),
        recorded(
            "a pod is not ready, its containers are, and no reason: its node is lost",
            "partitioned-and-back",
            3,
        ),
        recorded("a pod starts", "bad-command", 3),
    ]
}

/// An example of each row, in their order.
fn examples() -> Vec<Example> {
    let all = [
        of_schedulers(),
        of_waiting_containers(),
        of_ended_containers(),
        of_starting_containers(),
        of_pods(),
    ];
    all.into_iter().flatten().collect()
}

#[test]
fn each_state_has_its_sentence_and_its_remedy() {
    let mut lines = Vec::new();
    for (state, (name, pod, now)) in states().iter().zip(examples()) {
        assert_eq!(state.name, name);
        let cause = explain(&pod, false, now).unwrap();
        let found = (cause.reason, cause.remedy);
        assert_eq!(
            found,
            (state.reason, state.remedy),
            "{name}: {}",
            cause.text
        );
        lines.push(format!("{}: {}", cause.reason, cause.text));
    }
    assert_eq!(lines.len(), states().len());
    assert_snapshot!(lines.join("\n"));
}

/// Through all statuses that a kubelet writes of it, whatever the pause is.
#[rstest]
#[case::with_exit_code_0("crashloop-exit0", &[7, 9, 10, 12, 13])]
#[case::with_another("crashloop-exit1", &[7, 9, 10, 12, 13])]
#[case::of_a_sidecar("sidecar-crashes", &[8, 10, 11])]
#[case::of_one_container("one-of-two-exits0", &[7, 9, 10, 11, 12])]
#[case::that_never_starts("bad-command", &[6, 7, 8, 9])]
#[case::of_a_hook("poststart-fails", &[6, 7, 8, 9])]
#[case::of_a_startup_probe("startup-fails", &[8, 9])]
fn a_crash_loop_keeps_its_name(#[case] recording: &str, #[case] steps: &[usize]) {
    for step in steps {
        let (pod, now) = seen_pod(recording, *step);
        let cause = explain(&pod, false, now).unwrap();
        assert_eq!(cause.reason, Reason::CrashLoop, "{step}: {}", cause.text);
        assert!(!cause.text.contains("back-off"), "{}", cause.text);
    }
}

/// Its end is no trouble, in whatever phase the kubelet shows it.
#[rstest]
#[case::running("job-exit0", 7)]
#[case::succeeded("job-exit0", 8)]
#[case::restarted_node("node-rebooted-job-completed", 3)]
fn a_pod_of_a_job_that_ends_well_lacks_nothing(#[case] recording: &str, #[case] step: usize) {
    let (pod, now) = seen_pod(recording, step);
    assert_eq!(explain(&pod, true, now), None);
}

/// The kubelet had not reported it as running.
#[test]
fn a_pod_of_a_job_that_ended_before_the_first_report_lacks_nothing() {
    let (mut pod, now) = seen_pod("job-exit-before-seen-running", 6);
    pod["status"]["containerStatuses"][0]["state"]["terminated"] = json!({"exitCode": 0});
    assert_eq!(explain(&pod, true, now), None);
}

/// The other containers do not wait for its end.
#[test]
fn an_init_container_that_restarts_always_does_not_end_well() {
    let (mut pod, now) = seen_pod("sidecar-crashes", 11);
    pod["status"]["initContainerStatuses"][0]["lastState"]["terminated"]["exitCode"] = json!(0);
    let text = explain(&pod, false, now).unwrap().text;
    assert_snapshot!(text, @"a-0-w-mtfn9: container side: ends with exit code 0, restarted once: its command ends; a server must keep running");
}

/// The image of an earlier start does not count any more.
#[test]
fn the_image_that_cannot_be_pulled_is_that_of_the_spec() {
    let (mut pod, now) = seen_pod("image-changed-in-place", 4);
    pod["spec"]["containers"][0]["image"] = json!("example/none:1");
    let text = explain(&pod, false, now).unwrap().text;
    assert_snapshot!(text, @"inf-0-b-824l9: container main: image example/none:1 cannot be pulled");
}

/// The same in docs/operations.md, word for word.
#[test]
fn each_state_is_documented() {
    let manual = include_str!("../../../../docs/operations.md");
    let rows = states().iter().map(|state| {
        let remedy = state.remedy.unwrap_or("as above");
        format!("\n| {} | `{}` | {remedy} |", state.name, state.reason)
    });
    let rows: String = rows.collect();
    assert!(manual.contains(&rows), "{rows}");
}

/// The table of docs/operations.md is the documented list: every reason, in the order in which
/// causes are reported.
#[test]
fn every_cause_is_documented_in_its_order() {
    let manual = include_str!("../../../../docs/operations.md");
    let mut causes: Vec<Reason> = Reason::iter().collect();
    causes.retain(|r| r.priority() < usize::MAX);
    causes.sort_by_key(|r| r.priority());
    let position = |reason: Reason| {
        let row = format!("\n| `{reason}` |");
        manual.find(&row).unwrap_or_else(|| panic!("{reason}"))
    };
    let found: Vec<usize> = causes.into_iter().map(position).collect();
    assert!(found.is_sorted());
}
