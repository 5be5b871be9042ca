//! A cluster in which the operator has created everything of a set, written object by object.

use std::collections::BTreeMap;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use cli::plan::{StoredWorkload, Surroundings};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::outline_in;

/// When everything was created.
const CREATED: &str = "2025-12-31T23:00:00Z";

/// All objects of the set, with Ready pods; a pod is called `<podclique>-p<index>`.
pub struct Cluster {
    set: Value,
    objects: Vec<Value>,
}

impl Cluster {
    /// A cluster in which this file was applied.
    pub fn of(file: &Value) -> Self {
        Self::around(file, &Surroundings::default())
    }

    /// The same, with these bindings.
    pub fn around(file: &Value, around: &Surroundings) -> Self {
        let outline = outline_in(file, around);
        let mut set = file.clone();
        set["metadata"]["namespace"] = json!("default");
        set["metadata"]["finalizers"] = json!(["grove.io/podcliqueset.grove.io"]);
        set["metadata"]["annotations"] =
            json!({"kubectl.kubernetes.io/last-applied-configuration": file.to_string()});
        let mut objects = outline.objects;
        objects.iter_mut().for_each(name_pods);
        let all = [&mut set].into_iter().chain(&mut objects);
        for (number, object) in all.enumerate() {
            store(object, number);
        }
        Self { set, objects }
    }

    /// Changes the object of that kind and name.
    pub fn edit(mut self, kind: &str, name: &str, edit: impl FnOnce(&mut Value)) -> Self {
        let all = self.objects.iter_mut().chain([&mut self.set]);
        let is_it = |o: &&mut Value| o["kind"] == kind && o["metadata"]["name"] == name;
        edit(all.into_iter().find(is_it).unwrap());
        self
    }

    /// In the form in which kubectl-grove reads it.
    pub fn found(&self) -> StoredWorkload {
        let set: PodCliqueSet = serde_json::from_value(self.set.clone()).unwrap();
        let mut found = StoredWorkload::of(&set).unwrap();
        self.add::<PodCliqueScalingGroup>(&mut found);
        self.add::<PodClique>(&mut found);
        self.add::<PodGang>(&mut found);
        self.add::<Pod>(&mut found);
        self.add::<Service>(&mut found);
        self.add::<HorizontalPodAutoscaler>(&mut found);
        self.add::<PodGroup>(&mut found);
        self.add::<CompositePodGroup>(&mut found);
        self.add::<Workload>(&mut found);
        found
    }

    fn add<K>(&self, found: &mut StoredWorkload)
    where
        K: Resource<DynamicType = ()> + Serialize + DeserializeOwned,
    {
        let of_kind = self.objects.iter().filter(|o| o["kind"] == *K::kind(&()));
        let objects: Vec<K> = of_kind.map(|o| K::deserialize(o).unwrap()).collect();
        found.add(&objects).unwrap();
    }
}

fn store(object: &mut Value, number: usize) {
    let uid = |kind: &Value, name: &Value| json!(format!("uid-{kind}-{name}").replace('"', ""));
    let meta = &mut object["metadata"];
    meta["resourceVersion"] = json!((1000 + number).to_string());
    meta["creationTimestamp"] = json!(CREATED);
    meta["generation"] = json!(1);
    for owner in meta["ownerReferences"].as_array_mut().into_iter().flatten() {
        owner["uid"] = uid(&owner["kind"], &owner["name"]);
    }
    object["metadata"]["uid"] = uid(&object["kind"], &object["metadata"]["name"]);
    if object["kind"] == "Pod" {
        object["spec"]["nodeName"] = json!("node-0");
        set_ready(object, true);
    }
}

/// Whether the pod is Ready.
pub fn set_ready(pod: &mut Value, is_ready: bool) {
    let status = if is_ready { "True" } else { "False" };
    let condition = |type_: &str, status: &str| json!({"type": type_, "status": status});
    pod["status"] = json!({
        "phase": "Running",
        "conditions": [condition("PodScheduled", "True"), condition("Ready", status)],
        "containerStatuses": [{
            "name": "main", "image": "", "imageID": "", "ready": is_ready, "restartCount": 0,
            "state": {"running": {"startedAt": CREATED}},
        }],
    });
}

fn name_pods(object: &mut Value) {
    if object["kind"] == "Pod" {
        let labels = &object["metadata"]["labels"];
        let text = |key: &str| labels[key].as_str().unwrap().to_owned();
        let index = text("grove.io/podclique-pod-index");
        let name = format!("{}-p{index}", text("grove.io/podclique"));
        object["metadata"]["name"] = json!(name);
    }
    let groups = object.pointer_mut("/spec/podgroups");
    for group in groups.and_then(Value::as_array_mut).into_iter().flatten() {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for pod in group["podReferences"].as_array_mut().unwrap() {
            let podclique = pod["name"]
                .as_str()
                .unwrap()
                .trim_end_matches("-?????")
                .to_owned();
            let place = places.entry(podclique.clone()).or_default();
            pod["name"] = json!(format!("{podclique}-p{place}"));
            *place += 1;
        }
    }
}
