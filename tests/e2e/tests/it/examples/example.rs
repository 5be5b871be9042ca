//! An example, as applied here.

use serde_json::{Value, json};

use crate::cli::plan::objects::{expect_planned, plan_manifest};
use crate::harness::client::send;
use crate::harness::control_plane::CHECKOUT;
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, Seen, condition, same};

/// Groups whose definitions are not installed.
const OF_OTHERS: [&str; 3] = ["keda.sh/", "scheduling.run.ai/", "kueue.x-k8s.io/"];

/// An example in its own namespace.
pub struct Example {
    pub name: &'static str,
    pub ns: Namespace<'static>,
    /// All objects of the file.
    objects: Vec<Value>,
    /// The objects that `kubectl grove plan` predicts.
    planned: Vec<Value>,
}

impl Example {
    /// Sends the unchanged file to the API server as a dry run, plans it with replacements, and
    /// applies that.
    pub fn apply(name: &'static str) -> Self {
        let path = CHECKOUT.join("examples").join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut example = Self {
            name,
            ns: Namespace::new(&format!("copy-{name}")),
            objects: serde_saphyr::from_multiple(&text).unwrap(),
            planned: Vec::new(),
        };
        example.feed(&["apply", "--dry-run=server", "-f", "-"], &example.known());
        let replaced = example.replaced();
        example.planned = plan_manifest(&example.ns, &list_of(&replaced));
        example.feed(&["apply", "-f", "-"], &replaced);
        example
    }

    /// The objects of installed kinds, with this namespace where they name one.
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

    fn feed(&self, args: &[&str], objects: &[Value]) {
        let output = self.ns.feed(args, &list_of(objects));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {error}", self.name);
    }

    /// Waits until the set is Ready with that many pods, and all objects are as planned.
    pub fn expect_ready(&self, pods: usize) {
        self.ns.until("it is Ready, as planned", |seen| {
            is_ready(seen, self.name, pods)?;
            self.is_as_planned(seen)
        });
    }

    /// Fails unless the operator's objects are the planned ones; the user's own objects of the same
    /// kinds are ignored.
    fn is_as_planned(&self, seen: &Seen) -> Result<(), String> {
        let is_applied = |found: &Value| {
            let mut applied = self.objects.iter();
            applied.any(|o| o["kind"] == found["kind"] && name(o) == name(found))
        };
        let made = seen.everything().into_iter().filter(|o| !is_applied(o));
        expect_planned(&Seen::of(made), &self.planned)
    }

    /// Waits until the set reports this reason with these words, all pods have these gates, and all
    /// objects are as planned.
    pub fn expect_waiting(&self, reason: &str, words: &str, held_by: &[&str]) {
        self.ns
            .until("it names the object that it waits for", |seen| {
                let set = seen.one("PodCliqueSet", self.name)?;
                let expected = format!("False/{reason}");
                same(self.name, &condition(set, "Ready"), &expected)?;
                let conditions = set["status"]["conditions"].to_string();
                same(&conditions, &conditions.contains(words), &true)?;
                let pods = seen.all("Pod");
                same("pods", &pods.len(), &3)?;
                let mut pods = pods.into_iter();
                pods.try_for_each(|pod| same(name(pod), &gates(pod).as_slice(), &held_by))?;
                self.is_as_planned(seen)
            });
    }

    /// Waits until the target of the autoscaler of that kind can be scaled, has that many replicas,
    /// and names its pods. The set is Ready as soon as its pods are; the status of the target may
    /// follow later.
    pub fn expect_target(&self, autoscaler: &str, replicas: u32) {
        let path = self.scale_of_target(autoscaler);
        let kubeconfig = &self.ns.control_plane.kubeconfig;
        self.ns.until("its target can be scaled", |_| {
            let scale = send(kubeconfig, "GET", &path, &Value::Null);
            same(&path, &scale.status, &200)?;
            let status = &scale.body["status"];
            same(&path, &status["replicas"], &json!(replicas))?;
            let selector = status["selector"].as_str();
            same(&path, &selector.is_some_and(|text| !text.is_empty()), &true)
        });
    }

    /// The path of the subresource that the autoscaler of that kind writes to.
    fn scale_of_target(&self, autoscaler: &str) -> String {
        let mut objects = self.objects.iter();
        let autoscaler = objects.find(|o| o["kind"] == autoscaler).unwrap();
        let target = &autoscaler["spec"]["scaleTargetRef"];
        let text = |key: &str| target[key].as_str().unwrap();
        let (version, name) = (text("apiVersion"), text("name"));
        let resource = format!("{}s", text("kind").to_lowercase());
        let namespace = &self.ns.name;
        format!("/apis/{version}/namespaces/{namespace}/{resource}/{name}/scale")
    }

    /// Deletes all applied objects; the others follow their owners.
    pub fn delete(self) {
        self.feed(&["delete", "--wait=false", "-f", "-"], &self.replaced());
    }
}

/// Fails unless the set is Ready, with that many pods.
pub fn is_ready(seen: &Seen, set: &str, pods: usize) -> Result<(), String> {
    let ready = condition(seen.one("PodCliqueSet", set)?, "Ready");
    same(set, &ready.as_str(), &"True/AllReady")?;
    seen.expect_ready_pods(pods)
}

fn list_of(objects: &[Value]) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": objects})
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
            let missing = ["persistentVolumeClaim", "secret"];
            if missing.iter().any(|kind| !volume[*kind].is_null()) {
                *volume = json!({"name": volume["name"], "emptyDir": {}});
            }
        }
    }
}

/// The items of an optional list.
fn items<'a>(object: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = object.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn is_need(key: &str) -> bool {
    key == "command" || key == "args" || key == "resources" || key.ends_with("Probe")
}
