//! The replacements for images, claims and devices.

use node_tests::images::BUSYBOX;
use serde_json::{Value, json};

/// Groups whose definitions are not installed.
const OF_OTHERS: [&str; 3] = ["keda.sh/", "scheduling.run.ai/", "kueue.x-k8s.io/"];

/// The objects in a form that runs here. The pods of a job end after a moment; others listen.
pub fn replaced(objects: &[Value], is_job: bool) -> Vec<Value> {
    let is_known = |object: &&Value| {
        let version = object["apiVersion"].as_str().unwrap_or_default();
        let is_of_others = OF_OTHERS.iter().any(|group| version.starts_with(group));
        !is_of_others && object["kind"] != "PersistentVolumeClaim"
    };
    let mut known: Vec<Value> = objects.iter().filter(is_known).cloned().collect();
    for object in &mut known {
        for subject in items(object, "subjects") {
            subject.as_object_mut().unwrap().remove("namespace");
        }
        if object["kind"] == "PodCliqueSet" {
            for clique in items(&mut object["spec"]["template"], "cliques") {
                replace_pod(&mut clique["spec"]["podSpec"], is_job);
            }
        }
    }
    known.retain(|object| object["kind"] != "RoleBinding");
    known
}

fn replace_pod(pod: &mut Value, is_job: bool) {
    pod["terminationGracePeriodSeconds"] = json!(1);
    for container in items(pod, "containers") {
        let script = if is_job {
            "sleep 2".to_owned()
        } else {
            listening(container)
        };
        let container = container.as_object_mut().unwrap();
        container.retain(|key, _| {
            !["args", "resources", "lifecycle", "securityContext"].contains(&&**key)
        });
        container.insert("image".to_owned(), json!(BUSYBOX));
        container.insert("command".to_owned(), json!(["sh", "-c", script]));
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            replace_probe(container.get_mut(probe));
        }
    }
    for volume in items(pod, "volumes") {
        let missing = ["persistentVolumeClaim", "secret"];
        if missing.iter().any(|kind| !volume[*kind].is_null()) || volume["emptyDir"].is_object() {
            *volume = json!({"name": volume["name"], "emptyDir": {}});
        }
    }
}

/// Answers every request on each port of the container, and has the probed files.
fn listening(container: &Value) -> String {
    let ports = container["ports"].as_array().into_iter().flatten();
    let serve = |port: &Value| {
        let port = &port["containerPort"];
        format!("httpd -p {port} -h /tmp/w; ")
    };
    let servers: String = ports.map(serve).collect();
    format!(
        "mkdir -p /tmp/w; echo up > /tmp/w/index.html; echo up > /tmp/w/health; touch /tmp/ready; \
         {servers}exec sleep 1000"
    )
}

/// Replaces shells that the stub does not have, and their way to test a port.
fn replace_probe(probe: Option<&mut Value>) {
    let Some(probe) = probe else { return };
    probe["periodSeconds"] = json!(1);
    let command = &mut probe["exec"]["command"];
    if command[0] == "bash" {
        let script = command[2].as_str().unwrap_or_default();
        let address = script.split("/dev/tcp/").nth(1).unwrap_or_default();
        let (host, port) = address
            .trim_end_matches('"')
            .split_once('/')
            .unwrap_or_default();
        *command = json!(["sh", "-c", format!("nc -w 1 {host} {port} < /dev/null")]);
    } else if command.is_null() {
        probe.as_object_mut().unwrap().remove("exec");
    }
}

/// The items of an optional list.
fn items<'a>(object: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}
