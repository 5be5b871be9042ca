//! A job made by hand, and changes of it.

use serde_json::{Value, json};
use sim::check::{Checker, Horizon, OPERATOR};
use sim::{Call, Id, Resource, Store};

/// Its creation time.
pub const NOW: &str = "2026-01-01T00:00:00Z";

/// A job of one replica with PodClique `demo-0-a` of two running pods. The operator has seen
/// everything.
pub struct Job {
    pub store: Store,
    checker: Checker,
}

impl Job {
    pub fn new() -> Self {
        let mut store = Store::new(testkit::builders::after(0));
        let spec = json!({
            "replicas": 1, "workloadType": "Training",
            "trainingSpec": {"maxRestarts": 1, "maxRuntime": "10s"},
        });
        create(&mut store, "user", Resource::PodCliqueSet, "demo", &spec);
        let mut job = Self {
            store,
            checker: Checker::default(),
        };
        job.create(Resource::PodClique, "demo-0-a", "demo", &clique_spec());
        for name in ["demo-0-a-x", "demo-0-a-y"] {
            job.pod(name);
        }
        job
    }

    /// Creates a child of the operator's.
    pub fn create(&mut self, resource: Resource, name: &str, owner: &str, spec: &Value) {
        let resource_of_owner = match owner {
            "demo" => Resource::PodCliqueSet,
            _ => Resource::PodClique,
        };
        let found = self.store.get(&Id::new(resource_of_owner, owner)).unwrap();
        let uid = found["metadata"]["uid"].clone();
        let mut body = json!({"metadata": {"name": name}, "spec": spec});
        body["metadata"]["labels"] = json!({
            "app.kubernetes.io/part-of": "demo", "grove.io/podcliqueset-replica-index": "0",
        });
        body["metadata"]["ownerReferences"] = json!([{
            "kind": resource_of_owner.to_string(), "name": owner, "uid": uid, "controller": true,
        }]);
        let call = Call::new("POST", &resource.path("default"), body);
        assert_eq!(self.store.handle(OPERATOR, &call).code, 201);
    }

    /// Creates the pod of slot 0 or 1, which runs and is Ready.
    pub fn pod(&mut self, name: &str) {
        let index = i32::from(name.ends_with('y'));
        let gates = json!([{"name": api::labels::POD_GANG_GATE}]);
        let spec = json!({
            "hostname": format!("demo-0-a-{index}"), "schedulingGates": gates,
            "restartPolicy": "Never",
        });
        self.create(Resource::Pod, name, "demo-0-a", &spec);
        self.set_pod(name, "Running", "True");
    }

    pub fn set_pod(&mut self, name: &str, phase: &str, ready: &str) {
        let conditions = json!([{"type": "Ready", "status": ready}]);
        self.store
            .edit("kubelet", &Id::new(Resource::Pod, name), |pod| {
                pod["status"] = json!({"phase": phase, "conditions": conditions});
            });
    }

    /// The container of the pod ends, and its phase does not show it yet.
    pub fn exit(&mut self, name: &str, code: i32) {
        self.set_pod(name, "Running", "False");
        self.store
            .edit("kubelet", &Id::new(Resource::Pod, name), |pod| {
                pod["status"]["containerStatuses"] = json!([{
                    "name": "main", "state": {"terminated": {"exitCode": code, "finishedAt": NOW}},
                }]);
            });
    }

    /// The operator writes a status.
    pub fn status(&mut self, path: &str, status: &Value) {
        let path = format!("/apis/grove.io/v1alpha1/namespaces/default/{path}/status");
        let call = Call::merge(&path, json!({"status": status}));
        assert_eq!(self.store.handle(OPERATOR, &call).code, 200);
    }

    pub fn breach(&mut self) {
        let breach = json!({
            "type": "MinAvailableBreached", "status": "True", "lastTransitionTime": NOW,
        });
        let status = json!({"conditions": [breach], "breachedSince": NOW});
        self.status("podcliques/demo-0-a", &status);
    }

    /// One pod failed, and the PodClique reports it.
    pub fn fail(&mut self) {
        self.set_pod("demo-0-a-x", "Failed", "False");
        self.breach();
    }

    pub fn restart(&mut self, attempt: i64, count: i64) {
        let entry = json!({"replica": 0, "attempt": attempt, "reason": "PodCliqueFailed"});
        let status = json!({"replicaAttempts": [entry], "restartCount": count});
        self.status("podcliquesets/demo", &status);
    }

    pub fn give_up(&mut self, reason: &str) {
        let failed = json!({"type": "Failed", "status": "True", "reason": reason});
        self.status("podcliquesets/demo", &json!({"conditions": [failed]}));
    }

    pub fn start(&mut self, time: &str) {
        self.status("podcliquesets/demo", &json!({"startTime": time}));
    }

    pub fn phase(&mut self, phase: &str) {
        self.status("podcliquesets/demo", &json!({"phase": phase}));
    }

    pub fn delete(&mut self, path: &str) {
        let call = Call::new("DELETE", path, Value::Null);
        assert_eq!(self.store.handle(OPERATOR, &call).code, 200);
    }

    /// Everything so far is right, and has been seen.
    pub fn settle(&mut self) {
        assert_eq!(self.checker.check(&self.store, &Horizon::default()), Ok(()));
    }

    /// Number of the invariant broken by events since it was settled.
    pub fn broken(&mut self, settled: usize) -> Option<&'static str> {
        let mut horizon = Horizon::default();
        for resource in [Resource::PodCliqueSet, Resource::PodClique, Resource::Pod] {
            horizon.set(resource, settled);
        }
        let verdict = self.checker.check(&self.store, &horizon);
        verdict.err().map(|violation| violation.invariant)
    }
}

pub fn clique_spec() -> Value {
    json!({"replicas": 2, "minAvailable": 2, "workloadType": "Training"})
}

fn create(store: &mut Store, actor: &'static str, resource: Resource, name: &str, spec: &Value) {
    let body = json!({"kind": resource.to_string(), "metadata": {"name": name}, "spec": spec});
    let call = Call::new("POST", &resource.path("default"), body);
    assert_eq!(store.handle(actor, &call).code, 201);
}
