//! By default only fields that are known to be harmless stay.

use cli::bundle::{Redacted, Shown, redact};
use rstest::rstest;
use serde_json::{Value, json};

const SECRET: &str = "hunter2";

fn hide(value: Value) -> Redacted {
    redact(value, &Shown::default())
}

/// Places in which a review found readable secrets (docs/decisions.md, 130).
#[rstest]
#[case(json!(["--pass=hunter2"]), json!(["--pass=<hidden: 7 characters>"]))]
#[case(json!(["--pass", "hunter2"]), json!(["--pass", "<hidden: 7 characters>"]))]
#[case(json!(["DB_PASS=hunter2"]), json!(["<hidden: 15 characters>"]))]
#[case(json!(["REDIS_PASS=hunter2"]), json!(["<hidden: 18 characters>"]))]
#[case(json!(["--requirepass", "hunter2"]), json!(["--requirepass", "<hidden: 7 characters>"]))]
#[case(json!(["--master-key=hunter2"]), json!(["--master-key=<hidden: 7 characters>"]))]
#[case(json!(["--license-key", "hunter2"]), json!(["--license-key", "<hidden: 7 characters>"]))]
#[case(json!(["--set", "db.pw=hunter2"]), json!(["--set", "<hidden: 13 characters>"]))]
#[case(json!(["nvapi-hunter2"]), json!(["<hidden: 13 characters>"]))]
#[case(json!(["--otp=123456"]), json!(["--otp=<hidden: 6 characters>"]))]
#[case(json!(["--key=hunter2"]), json!(["--key=<hidden: 7 characters>"]))]
#[case(json!(["--salt=hunter2"]), json!(["--salt=<hidden: 7 characters>"]))]
#[case(json!(["--webhook=https://hooks.example.com/hunter2"]),
       json!(["--webhook=<hidden: 33 characters>"]))]
#[case(json!(["https://a.example.com/x?sig=hunter2"]), json!(["<hidden: 35 characters>"]))]
#[case(json!(["curl", "-u", "a:hunter2"]),
       json!(["<hidden: 4 characters>", "-u", "<hidden: 9 characters>"]))]
#[case(json!(["-phunter2"]), json!(["-p<hidden: 7 characters>"]))]
#[case(json!(["-p=hunter2"]), json!(["-p=<hidden: 7 characters>"]))]
#[case(json!(["sh", "-c", "wandb login hunter2"]), json!(["sh", "-c", "<hidden: 19 characters>"]))]
#[case(json!(["bash", "-c", "hunter2"]), json!(["bash", "-c", "<hidden: 7 characters>"]))]
#[case(json!(["-c", "cat <<E\npassword: |\n  hunter2\nE"]), json!(["-c", "<hidden: 31 characters>"]))]
#[case(json!(["-c", "os.environ['HF_TOKEN']='hunter2'"]), json!(["-c", "<hidden: 32 characters>"]))]
#[case(json!(["--set KEY hunter2"]), json!(["<hidden: 17 characters>"]))]
#[case(json!(["--x hunter2=1"]), json!(["<hidden: 13 characters>"]))]
#[case(json!(["--token=$(HF_TOKEN)", "$(hunter2)"]),
       json!(["--token=$(HF_TOKEN)", "<hidden: 10 characters>"]))]
#[case(json!(["", "-", "--", "--verbose", "-v"]), json!(["", "-", "--", "--verbose", "-v"]))]
fn of_arguments_the_names_of_flags_stay(#[case] before: Value, #[case] after: Value) {
    for key in ["args", "command"] {
        for place in [
            json!({"containers": [{key: before}]}),
            json!({"livenessProbe": {"exec": {key: before}}}),
        ] {
            let redacted = hide(place.clone());
            let text = redacted.value.to_string();
            assert!(!text.contains(SECRET), "{text}");
            let shown = redacted.value.pointer(&format!("/containers/0/{key}"));
            let shown = shown.or(redacted
                .value
                .pointer(&format!("/livenessProbe/exec/{key}")));
            assert_eq!(shown, Some(&after));
            assert_eq!(redacted.counts.arguments > 0, before != after);
            assert_eq!(
                hide(redacted.value.clone()).value,
                redacted.value,
                "hidden twice"
            );
        }
    }
}

#[rstest]
#[case(json!({"workingDir": "/srv/hunter2"}))]
#[case(json!({"metadata": {"annotations": {"example.com/note": "hunter2"}}}))]
#[case(json!({"metadata": {"annotations": {"note": "hunter2"}}}))]
#[case(json!({"metadata": {"annotations": {"evilgrove.io/note": "hunter2"}}}))]
#[case(json!({"metadata": {"annotations": {"kubernetes.io/change-cause": "kubectl --x=hunter2"}}}))]
#[case(json!({"metadata": {"annotations": {"grove.io/any": "{\"args\": [\"hunter2\"]}"}}}))]
#[case(json!({"metadata": {"labels": {"example.com/api-key": "hunter2"}}}))]
#[case(json!({"metadata": {"labels": {"pass": "hunter2"}}}))]
#[case(json!({"message": "cannot log in as hunter2"}))]
#[case(json!({"message": "password=hunter2 is wrong"}))]
#[case(json!({"state": {"terminated": {"message": "the pod is gone", "x": "hunter2"}}}))]
#[case(json!({"lastFailures": [{"message": "hunter2"}]}))]
#[case(json!({"metadata": {"annotations": {"grove.io/restart-replica": "{\"reason\":\"hunter2\"}"}}}))]
#[case(json!({"replicaAttempts": [{"message": "restart on demand: hunter2"}]}))]
#[case(json!({"replicaAttempts": [{"cause": {"pod": "a", "message": "the pod hunter2"}}]}))]
#[case(json!({"breachCause": {"pod": {"name": "a", "lastWords": "hunter2"}}}))]
#[case(json!({"securityContext": {"sysctls": [{"name": "net.x", "value": "hunter2"}]}}))]
#[case(json!({"securityContext": {"seLinuxOptions": {"type": "hunter2", "level": "hunter2"}}}))]
#[case(json!({"volumes": [{"hostPath": {"path": "/hunter2"}}]}))]
#[case(json!({"volumes": [{"csi": {"driver": "d.io", "volumeAttributes": {"x": "hunter2"}}}]}))]
#[case(json!({"volumeMounts": [{"name": "a", "mountPath": "/hunter2"}]}))]
#[case(json!({"nodeSelector": {"pool": "hunter2"}}))]
#[case(json!({"tolerations": [{"key": "pool", "value": "hunter2"}]}))]
#[case(json!({"matchExpressions": [{"key": "pool", "values": ["hunter2"]}]}))]
#[case(json!({"limits": {"cpu": "hunter2"}}))]
#[case(json!({"port": "hunter 2 hunter2"}))]
#[case(json!({"name": "PASSWORD=hunter2"}))]
#[case(json!({"podIP": "hunter2", "new": {"field": ["hunter2"]}}))]
fn unknown_text_is_hidden(#[case] object: Value) {
    let redacted = hide(object);
    let text = redacted.value.to_string();
    assert!(!text.contains(SECRET), "{text}");
    assert_eq!(
        hide(redacted.value.clone()).value,
        redacted.value,
        "hidden twice"
    );
}

/// The fields that a reader needs to understand why a gang does not start.
#[rstest]
#[case(json!({"metadata": {
    "name": "svc-0-a-x", "namespace": "ml", "uid": "6c5d3c3e-6a0a-4b0e-9f3e-0d6a5a5a7c11",
    "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"team": "ml-1"},
    "annotations": {"grove.io/starts-after": "svc-0-a:1,svc-0-b:2", "grove.io/start": "now"},
    "ownerReferences": [{"kind": "PodClique", "name": "svc-0-a", "uid": "u-1"}],
}}))]
#[case(json!({"containers": [{
    "name": "main", "image": "registry.local/token:1.2@sha256:abc", "imagePullPolicy": "Always",
    "resources": {"limits": {"nvidia.com/gpu": "8", "memory": "4Gi"}},
    "ports": [{"containerPort": 80, "protocol": "TCP", "name": "http"}],
    "readinessProbe": {"httpGet": {"port": "http", "scheme": "HTTP"}},
    "volumeMounts": [{"name": "data"}],
}]}))]
#[case(json!({"nodeSelector": {"nvidia.com/gpu.product": "H100", "topology.kubernetes.io/zone": "a"}}))]
#[case(json!({"tolerations": [{
    "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
}]}))]
#[case(json!({"conditions": [{
    "type": "MinAvailableBreached", "status": "True", "reason": "NeverAvailable",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
    "message": "1 of 3 pods are ready: 0/20 nodes are available: 5 Insufficient nvidia.com/gpu, \
                2 node(s) didn't match Pod's node affinity/selector.",
}]}))]
#[case(json!({"spec": {
    "terminationDelay": "4h30m", "cliqueStartupType": "CliqueStartupTypeAnyOrder",
    "priorityClassName": "high", "schedulerName": "kai-scheduler", "maxUnavailable": "25%",
}, "status": {"selector": "grove.io/podclique=a,app=b", "completedIndices": "0-3,5"}}))]
#[case(json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}))]
fn fields_that_explain_why_a_gang_does_not_start_stay(#[case] object: Value) {
    let redacted = hide(object.clone());
    assert_eq!(redacted.value, object);
    assert_eq!(redacted.counts.to_string(), "nothing");
}

/// A word that is a name elsewhere in the archive is no secret in a message.
#[test]
fn messages_may_repeat_the_names_of_the_archive() {
    let pod = json!({"metadata": {"name": "svc-0-a-x"}, "spec": {"nodeName": "n1"}});
    let shown = Shown::new(false).with_names([&pod]);
    let message =
        "pod svc-0-a-x on node \"n1\" failed: cannot reach db.internal as hunter2, exit 3";
    let redacted = redact(json!({"message": message}), &shown);
    let left = "pod svc-0-a-x on node \"n1\" failed: cannot reach <hidden: 11 characters> as \
                <hidden: 8 characters> exit 3";
    assert_eq!(redacted.value["message"], left);
}
