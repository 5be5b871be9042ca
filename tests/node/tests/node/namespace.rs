//! The namespace of one row, deleted at its end.

pub mod report;

use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::judge::{has, text};
use super::runner::said;
use super::seen::Seen;
use super::site::Site;
use super::wait;

/// Prefix of the names of all namespaces of rows.
pub const PREFIX: &str = "row-";

/// The longest time for steps that usually take a second or two: on a busy machine kubelets are
/// slow.
const DEADLINE: Duration = Duration::from_mins(6);

/// A namespace.
pub struct Namespace {
    pub name: String,
    pub site: &'static Site,
}

impl Namespace {
    /// Runs a test in a new namespace and removes it. The report of a failure has all that a person
    /// would look at.
    pub fn with(purpose: &str, labels: &Value, test: impl FnOnce(&Self)) -> Result<(), String> {
        let namespace = Self::create(purpose, labels);
        let result = panic::catch_unwind(AssertUnwindSafe(|| test(&namespace)));
        let result = result.map_err(|panic| {
            let report = report::of(&namespace);
            format!("{}\n{report}", said(&*panic))
        });
        namespace.remove();
        result
    }

    /// A new one with these labels.
    pub fn create(purpose: &str, labels: &Value) -> Self {
        let site = Site::shared();
        let name = format!("{PREFIX}{purpose}");
        site.connection.create_namespace(&name, labels).unwrap();
        // Pods are refused until their namespace has this account.
        let account = || site.connection.objects("ServiceAccount", &name);
        let made = wait::within(DEADLINE, || {
            let is_there = !account()?.is_empty();
            is_there
                .then_some(())
                .ok_or_else(|| "the namespace has no ServiceAccount".to_owned())
        });
        made.unwrap();
        Self { name, site }
    }

    /// Deletes it; the end of the run waits for that.
    pub fn remove(&self) {
        self.site.connection.delete_namespace(&self.name).unwrap();
    }

    /// The output of kubectl in this namespace; it must succeed.
    pub fn kubectl(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {args:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A kubectl in this namespace.
    pub fn command(&self, args: &[&str]) -> Command {
        // Arguments after two hyphens are for the container.
        let end = args.iter().position(|arg| *arg == "--");
        let (own, rest) = args.split_at(end.unwrap_or(args.len()));
        let mut kubectl = self.site.cluster.tool("kubectl", own);
        kubectl.args(["--namespace", &self.name]).args(rest);
        kubectl
    }

    /// Applies manifests, which must be accepted.
    pub fn apply(&self, manifests: &[&Value]) {
        let output = self.feed(&["apply", "-f", "-"], &list(manifests));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "refused: {error}");
    }

    /// Applies manifests, which must be refused, and returns the reason.
    pub fn refused(&self, manifests: &[&Value]) -> String {
        let output = self.feed(&["apply", "-f", "-"], &list(manifests));
        assert!(!output.status.success(), "it was accepted");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Runs kubectl with this object as its input.
    pub fn feed(&self, args: &[&str], object: &Value) -> Output {
        let mut kubectl = self.command(args);
        kubectl
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = kubectl.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(object.to_string().as_bytes()).unwrap();
        drop(input);
        child.wait_with_output().unwrap()
    }

    /// The output of `kubectl grove` in one line: it is wrapped to fit a terminal. Exit code 1,
    /// "there is something to look at", is accepted.
    pub fn grove(&self, args: &[&str]) -> String {
        let output = self.command(&[&["grove"], args].concat()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let is_answer = output.status.code().is_some_and(|code| code < 2);
        assert!(is_answer, "kubectl grove {args:?}: {error}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `kubectl grove explain` of a set.
    pub fn explain(&self, set: &str) -> String {
        self.grove(&["explain", set])
    }

    /// The messages of events with that reason on any object, each with its count.
    pub fn events(&self, reason: &str) -> Vec<(String, u64)> {
        let events = self.site.connection.events(&self.name).unwrap();
        let events = events.iter().filter(|event| event["reason"] == reason);
        let said = |event: &Value| {
            let count = event["count"]
                .as_u64()
                .or(event["series"]["count"].as_u64());
            (text(&event["message"]).to_owned(), count.unwrap_or(1))
        };
        events.map(said).collect()
    }

    /// Waits for an event with that reason and all of these texts.
    pub fn until_event(&self, reason: &str, parts: &[&str]) {
        let found = wait::within(DEADLINE, || {
            let said = self.events(reason);
            let found = said.iter().any(|(text, _)| has("", text, parts).is_ok());
            found
                .then_some(())
                .ok_or_else(|| format!("no {reason} has {parts:?}: {said:?}"))
        });
        found.unwrap_or_else(|wrong| panic!("{wrong}"));
    }

    /// The messages of all events.
    pub fn all_events(&self) -> Vec<String> {
        let events = self.site.connection.events(&self.name).unwrap();
        events
            .iter()
            .map(|event| text(&event["message"]).to_owned())
            .collect()
    }

    /// All objects of the watched kinds, possibly a moment late.
    pub fn look(&self) -> Result<Seen, String> {
        let mirror = &self.site.connection.mirror;
        let kinds = mirror.objects_in(&self.name).map(Seen);
        kinds.ok_or_else(|| "not listed yet".to_owned())
    }

    /// Looks until there is a result; `Err` is the remaining problem.
    pub fn until<T>(&self, what: &str, judge: impl FnMut(&Seen) -> Result<T, String>) -> T {
        self.within(DEADLINE, what, judge)
    }

    /// The same with another deadline.
    pub fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        mut judge: impl FnMut(&Seen) -> Result<T, String>,
    ) -> T {
        let found = wait::within(limit, || judge(&self.look()?));
        found.unwrap_or_else(|wrong| panic!("{what}: {wrong}"))
    }

    /// Looks for that long and fails as soon as the check does.
    pub fn throughout(
        &self,
        time: Duration,
        what: &str,
        mut judge: impl FnMut(&Seen) -> Result<(), String>,
    ) {
        let held = wait::throughout(time, || judge(&self.look()?));
        held.unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
    }
}

fn list(manifests: &[&Value]) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": manifests})
}
