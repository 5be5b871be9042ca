//! The namespace of one test, deleted at its end.

use std::process::{self, Output};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::{CHECKOUT, ControlPlane, fed, printed};
use super::operator::Operator;
use super::seen::{Seen, Source};
use super::site;
use super::{cleanup, client, report, wait};

/// A namespace.
#[derive(Debug)]
pub struct Namespace<'a> {
    pub name: String,
    pub control_plane: &'a ControlPlane,
    pub operator: &'a Operator,
    is_deleted: bool,
}

/// The name of the namespace with this purpose.
pub fn called(purpose: &str) -> String {
    format!("e2e-{purpose}-{}", process::id())
}

/// Creates the namespace with this purpose and returns its name, once pods can be created in it.
pub fn make(control_plane: &ControlPlane, purpose: &str) -> String {
    let name = called(purpose);
    client::create_namespace(&control_plane.kubeconfig, &name).unwrap();
    name
}

impl Namespace<'static> {
    /// A new namespace on the shared control plane.
    pub fn new(purpose: &str) -> Self {
        let site = site::shared();
        Self::on(&site.control_plane, &site.operator, purpose)
    }
}

impl<'a> Namespace<'a> {
    /// A new namespace on this control plane.
    pub fn on(control_plane: &'a ControlPlane, operator: &'a Operator, purpose: &str) -> Self {
        Self::existing(make(control_plane, purpose), control_plane, operator)
    }

    /// A namespace created by [`make`].
    pub fn existing(name: String, control_plane: &'a ControlPlane, operator: &'a Operator) -> Self {
        Self {
            name,
            control_plane,
            operator,
            is_deleted: false,
        }
    }

    /// The output of kubectl in this namespace; it must succeed.
    pub fn kubectl(&self, args: &[&str]) -> String {
        printed(&mut self.command(args))
    }

    /// A kubectl in this namespace.
    pub fn command(&self, args: &[&str]) -> process::Command {
        let mut kubectl = self.control_plane.tool("kubectl", args);
        kubectl.args(["--namespace", &self.name]);
        kubectl
    }

    /// Applies the manifest, which must be accepted.
    pub fn apply(&self, manifest: &Value) {
        let output = self.feed(&["apply", "-f", "-"], manifest);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{manifest} was refused: {error}");
    }

    /// Applies a manifest of this checkout, which must be accepted.
    pub fn apply_file(&self, path: &str) {
        self.kubectl(&["apply", "-f", CHECKOUT.join(path).to_str().unwrap()]);
    }

    /// Runs kubectl with the manifest as its input.
    pub fn feed(&self, args: &[&str], manifest: &Value) -> Output {
        fed(&mut self.command(args), manifest)
    }

    /// Running pods of that PodClique become unready.
    pub fn break_pods(&self, podclique: &str) {
        let selector = format!("--selector=grove.io/podclique={podclique}");
        let names = "--output=jsonpath={.items[*].metadata.name}";
        let names = self.kubectl(&["get", "pods", &selector, names]);
        // All at once: pods that are left when the operator sees the breach may be deleted for it.
        let patch = format!("--patch={}", unready());
        let mut args = vec!["patch", "pods", "--subresource=status", &patch];
        args.extend(names.split_whitespace());
        self.kubectl(&args);
    }

    /// Sets the status of a pod that KWOK leaves alone.
    pub fn set_pod_ready(&self, pod: &str) {
        let now = self.kubectl(&[
            "get",
            "pod",
            pod,
            "--output=jsonpath={.metadata.creationTimestamp}",
        ]);
        let ready =
            |type_: &str| json!({"type": type_, "status": "True", "lastTransitionTime": now});
        let status = json!({"status": {
            "phase": "Running",
            "conditions": [ready("Ready"), ready("ContainersReady"), ready("Initialized")],
        }});
        let patch = format!("--patch={status}");
        self.kubectl(&["patch", "pod", pod, "--subresource=status", &patch]);
    }

    /// Messages of the object's events of that reason.
    pub fn events(&self, object: &str, reason: &str) -> Vec<String> {
        let kubeconfig = &self.control_plane.kubeconfig;
        let events = client::events(kubeconfig, &self.name, object, reason).unwrap();
        let messages = events.iter().map(|event| event["message"].as_str());
        messages.map(|text| text.unwrap().to_owned()).collect()
    }

    /// All objects of the kinds that are read, except those of every namespace, and the chart's.
    pub fn look(&self) -> Result<Seen, String> {
        self.look_at("")
    }

    /// The objects among them that this selector selects.
    fn look_at(&self, selector: &str) -> Result<Seen, String> {
        let kubeconfig = &self.control_plane.kubeconfig;
        let kinds = client::read(kubeconfig, &self.name, selector)?.into_iter();
        let shared = kinds.map(|objects| objects.into_iter().map(Arc::new).collect());
        Ok(Seen::of_kinds(shared.collect()))
    }

    /// The same from watches, possibly a moment late.
    pub(super) fn glance(&self) -> Result<Seen, String> {
        match self.control_plane.mirror().objects_in(&self.name) {
            Some(kinds) => Ok(Seen::of_kinds(kinds)),
            None => self.look(),
        }
    }

    /// The existing objects, read kind by kind on request.
    pub(super) fn look_on_demand(&self) -> Seen {
        Seen::on_demand(Source {
            kubeconfig: self.control_plane.kubeconfig.clone(),
            namespace: self.name.clone(),
        })
    }

    /// Looks until there is a result; `Err` is the remaining problem.
    pub fn until<T>(&self, what: &str, judge: impl FnMut(&Seen) -> Result<T, String>) -> T {
        self.within(wait::DEADLINE, what, judge)
    }

    /// The same with another deadline, for steps during which the operator itself waits.
    pub fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        mut judge: impl FnMut(&Seen) -> Result<T, String>,
    ) -> T {
        match wait::within(limit, || self.judge(&mut judge)) {
            Ok(found) => found,
            Err(wrong) => panic!("{what}: {wrong}"),
        }
    }

    /// Judges the objects of the watches, and the stored ones if those pass: a test that waits does not
    /// list all objects several times a second.
    pub fn judge<T>(&self, mut judge: impl FnMut(&Seen) -> Result<T, String>) -> Result<T, String> {
        judge(&self.glance()?)?;
        let there = self.look_on_demand();
        let judged = judge(&there);
        there.expect_read()?;
        judged
    }

    /// The same for the objects with this label.
    pub fn judge_labelled<T>(
        &self,
        (label, value): (&str, &str),
        mut judge: impl FnMut(&Seen) -> Result<T, String>,
    ) -> Result<T, String> {
        judge(&self.glance()?.labelled(label, value))?;
        judge(&self.look_at(&format!("{label}={value}"))?)
    }

    /// Looks until all objects of the kinds that are read are gone.
    pub fn until_nothing_is_left(&self) {
        self.until("nothing is left", Seen::expect_nothing);
    }

    /// Deletes the empty namespace of a cluster that stays: Kubernetes searches it for objects of
    /// every kind, which a local cluster that is about to end need not do for each test.
    fn remove(&self) -> Result<(), String> {
        if self.control_plane.is_local() {
            return Ok(());
        }
        client::delete_namespace(&self.control_plane.kubeconfig, &self.name)
    }

    /// Deletes the namespace with its objects and waits until it is gone.
    pub fn delete(mut self) {
        self.is_deleted = true;
        self.kubectl(&[
            "delete",
            "namespace",
            &self.name,
            "--wait=true",
            "--timeout=180s",
        ]);
    }
}

/// The patch that makes a pod unready.
pub fn unready() -> Value {
    let not =
        |type_: &str| json!({"type": type_, "status": "False", "reason": "ContainersNotReady"});
    json!({"status": {"conditions": [not("Ready"), not("ContainersReady")]}})
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        let failed = thread::panicking();
        if failed {
            report::print(self);
        } else if self.is_deleted {
            return;
        }
        let cleared = cleanup::clear(self);
        let deleted = self.remove();
        if failed {
            return;
        }
        if let Err(left) = cleared {
            report::print(self);
            panic!("{left}");
        }
        deleted.unwrap();
    }
}
