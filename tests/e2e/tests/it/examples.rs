//! The examples that users copy come to the end that their heads state.
//!
//! What no machine here has is replaced by something that needs nothing: images with their commands
//! and probes, claims of storage, Secrets, and requests: the nodes have GPUs, but too few for all
//! examples beside the other tests. Objects of Kueue, KAI Scheduler and KEDA are left out.

use serde_json::{Value, json};

use crate::harness::client::send;
use crate::harness::control_plane::CHECKOUT;
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, Seen, condition, same};
use crate::training::{ends, succeed};

/// Groups whose definitions are not installed.
const OF_OTHERS: [&str; 3] = ["keda.sh/", "scheduling.run.ai/", "kueue.x-k8s.io/"];

#[test]
fn quickstart() {
    expect_ready("quickstart", 8);
}

#[test]
fn vllm_on_several_nodes() {
    expect_ready("vllm-multinode", 2);
}

#[test]
fn sglang_on_several_nodes() {
    expect_ready("sglang-multinode", 4);
}

#[test]
fn prefill_and_decode() {
    let example = Example::apply("prefill-decode");
    let names = ["prefill-decode-0-decode", "prefill-decode-0-prefill"];
    example.ns.until("it is Ready, with autoscalers", |seen| {
        is_ready(seen, example.name, 6)?;
        seen.expect_names("HorizontalPodAutoscaler", &names)
    });
    example.delete();
}

#[test]
fn tensorrt_llm_by_mpi() {
    expect_ready("tensorrt-llm-mpi", 2);
}

#[test]
fn torchrun_elastic() {
    let podcliques = ["torchrun-elastic-0-host", "torchrun-elastic-0-node"];
    expect_succeeded("torchrun-elastic", &podcliques, 4);
}

#[test]
fn jax() {
    expect_succeeded("jax", &["jax-0-process"], 2);
}

#[test]
fn autoscalers_of_ones_own() {
    let example = Example::apply("hpa-and-keda");
    example.expect_ready(4);
    let targets = [
        ("HorizontalPodAutoscaler", "podcliques", 2),
        ("ScaledObject", "podcliquescalinggroups", 1),
    ];
    for (kind, resource, replicas) in targets {
        let autoscaler = example.objects.iter().find(|o| o["kind"] == kind).unwrap();
        let target = &autoscaler["spec"]["scaleTargetRef"];
        let (namespace, target) = (&example.ns.name, target["name"].as_str().unwrap());
        let path =
            format!("/apis/grove.io/v1alpha1/namespaces/{namespace}/{resource}/{target}/scale");
        let scale = send(
            &example.ns.control_plane.kubeconfig,
            "GET",
            &path,
            &Value::Null,
        );
        assert_eq!(scale.status, 200, "{scale:?}");
        assert_eq!(scale.body["status"]["replicas"], replicas, "{scale:?}");
        let selector = scale.body["status"]["selector"].as_str();
        assert!(selector.is_some_and(|text| !text.is_empty()), "{scale:?}");
    }
    example.delete();
}

#[test]
fn queue_of_kai() {
    let example = Example::apply("kai-queue");
    let words = "scheduler kai-scheduler has not looked at";
    example.expect_waiting("WaitingForScheduler", words, &[]);
    example.delete();
}

#[test]
fn gate_of_kueue() {
    const GATE: &str = "kueue.x-k8s.io/admission";
    let example = Example::apply("kueue-gate");
    example.expect_waiting("ForeignSchedulingGate", GATE, &[GATE]);
    let seen = example.ns.look().unwrap();
    let admit = r#"--patch=[{"op": "remove", "path": "/spec/schedulingGates/0"}]"#;
    let mut args = vec!["patch", "pods", "--type=json", admit];
    args.extend(seen.all("Pod").into_iter().map(name));
    example.ns.kubectl(&args);
    example.expect_ready(3);
    example.delete();
}

/// An example in a namespace of its own.
struct Example {
    name: &'static str,
    ns: Namespace<'static>,
    /// All that is in the file.
    objects: Vec<Value>,
}

impl Example {
    /// Asks the API server whether it would take the file as it is, and applies it with replacements.
    fn apply(name: &'static str) -> Self {
        let path = CHECKOUT.join("examples").join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        let example = Self {
            name,
            ns: Namespace::new(&format!("copy-{name}")),
            objects: serde_saphyr::from_multiple(&text).unwrap(),
        };
        example.feed(&["apply", "--dry-run=server", "-f", "-"], example.known());
        example.feed(&["apply", "-f", "-"], example.replaced());
        example
    }

    /// The objects of kinds that are installed, which name this namespace where they name one.
    fn known(&self) -> Vec<Value> {
        let is_known = |object: &&Value| {
            let version = object["apiVersion"].as_str().unwrap();
            !OF_OTHERS.iter().any(|group| version.starts_with(group))
        };
        let mut known: Vec<Value> = self.objects.iter().filter(is_known).cloned().collect();
        for object in &mut known {
            for subject in items(object, "subjects") {
                subject["namespace"] = json!(self.ns.name);
            }
        }
        known
    }

    fn replaced(&self) -> Vec<Value> {
        let mut objects = self.known();
        objects.retain(|object| object["kind"] != "PersistentVolumeClaim");
        let sets = objects.iter_mut().filter(|o| o["kind"] == "PodCliqueSet");
        sets.for_each(replace_needs);
        objects
    }

    fn feed(&self, args: &[&str], objects: Vec<Value>) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        let output = self.ns.feed(args, &list);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {error}", self.name);
    }

    fn expect_ready(&self, pods: usize) {
        let judge = |seen: &_| is_ready(seen, self.name, pods);
        self.ns.until("it is Ready", judge);
    }

    /// Waits until the set says for this reason, in these words, that nothing starts, and all pods
    /// have these gates.
    fn expect_waiting(&self, reason: &str, words: &str, held_by: &[&str]) {
        self.ns.until("it says what it waits for", |seen| {
            let set = seen.one("PodCliqueSet", self.name)?;
            let expected = format!("False/{reason}");
            same(self.name, &condition(set, "Ready"), &expected)?;
            let conditions = set["status"]["conditions"].to_string();
            same(&conditions, &conditions.contains(words), &true)?;
            let pods = seen.all("Pod");
            same("pods", &pods.len(), &3)?;
            let mut pods = pods.into_iter();
            pods.try_for_each(|pod| same(name(pod), &gates(pod).as_slice(), &held_by))
        });
    }

    /// Deletes all that was applied; the rest follows its owners.
    fn delete(self) {
        self.feed(&["delete", "--wait=false", "-f", "-"], self.replaced());
    }
}

fn expect_ready(name: &'static str, pods: usize) {
    let example = Example::apply(name);
    example.expect_ready(pods);
    example.delete();
}

/// It runs, and is over when its pods have exited with 0.
fn expect_succeeded(name: &'static str, podcliques: &[&str], pods: usize) {
    let example = Example::apply(name);
    example.expect_ready(pods);
    succeed(&example.ns, podcliques);
    ends(&example.ns, name, "Succeeded", 0);
    example.delete();
}

fn is_ready(seen: &Seen, set: &str, pods: usize) -> Result<(), String> {
    let ready = condition(seen.one("PodCliqueSet", set)?, "Ready");
    same(set, &ready.as_str(), &"True/AllReady")?;
    seen.expect_ready_pods(pods)
}

/// The set, with pods that run on any node and do nothing.
fn replace_needs(set: &mut Value) {
    for clique in set["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        let pod = &mut clique["spec"]["podSpec"];
        for container in pod["containers"].as_array_mut().unwrap() {
            let container = container.as_object_mut().unwrap();
            container.retain(|key, _| !is_need(key));
            container.insert("image".to_owned(), json!("registry.k8s.io/pause:3.10"));
        }
        for volume in items(pod, "volumes") {
            let is_missing =
                ["persistentVolumeClaim", "secret"].map(|kind| !volume[kind].is_null());
            if is_missing.contains(&true) {
                *volume = json!({"name": volume["name"], "emptyDir": {}});
            }
        }
    }
}

/// The items of a list that need not be there.
fn items<'a>(object: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn is_need(key: &str) -> bool {
    key == "command" || key == "args" || key == "resources" || key.ends_with("Probe")
}
