//! A watch of a namespace's pods, independent of both contenders.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::calls;
use crate::curve::Curve;
use crate::progress::say;
use crate::watching::{Event, Metadata, Object, Watch};

/// No measurement may take longer; 10,000 pods on two cores take some minutes, the pods at rest
/// longer.
const DEADLINE: Duration = Duration::from_hours(1);
const BETWEEN_REPORTS: Duration = Duration::from_secs(10);

/// The observed moments, each when the last pod reached the state.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// All pods were created.
    pub created: Option<Instant>,
    /// None has a gate.
    pub ungated: Option<Instant>,
    /// All are Ready.
    pub ready: Option<Instant>,
    /// None of the created pods is left.
    pub gone: Option<Instant>,
    /// Number of all pods so far; more than expected if one was replaced.
    pub names: u32,
    /// Pods in each state over time, until all were Ready.
    pub curve: Curve,
    counts: [u32; 3],
}

impl Seen {
    /// Now, if that many are Ready.
    pub fn has_ready(&self, count: u32) -> Option<Instant> {
        let [.., ready] = self.counts;
        (ready >= count).then(Instant::now)
    }
}

/// A running watch; dropping the value ends it.
#[derive(Debug)]
pub struct Observer {
    seen: watch::Receiver<Seen>,
    task: JoinHandle<()>,
}

impl Observer {
    /// Watches until `expected` pods came and went. The namespace is empty at the start.
    pub async fn start(client: &Client, namespace: &str, expected: u32) -> Result<Self> {
        let path = calls::path("api/v1", namespace, "pods");
        let (tell, seen) = watch::channel(Seen::default());
        let mut tally = Tally::new(expected);
        let mut pods = Watch::begin(client, &path, "", "0").await?;
        let task = tokio::spawn(async move {
            loop {
                match pods.next().await {
                    Ok(event) => tell.send_modify(|seen| tally.take(event, seen, Instant::now())),
                    Err(error) => return say(&format!("    the watch failed: {error:#}")),
                }
            }
        });
        Ok(Self { seen, task })
    }

    /// Waits for a moment that [`Seen`] has.
    pub async fn until(
        &mut self,
        what: &str,
        moment: impl Fn(&Seen) -> Option<Instant>,
    ) -> Result<Instant> {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let wait = self.seen.wait_for(|seen| moment(seen).is_some());
            let waited = tokio::time::timeout(BETWEEN_REPORTS, wait).await;
            match waited.map(|seen| seen.ok().and_then(|seen| moment(&seen))) {
                Ok(Some(moment)) => return Ok(moment),
                Ok(None) => bail!("the watch of pods ended before: {what}"),
                Err(_) if Instant::now() > deadline => bail!("not within {DEADLINE:?}: {what}"),
                Err(_) => self.report(what),
            }
        }
    }

    /// The observed moments so far.
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    fn report(&self, what: &str) {
        let Seen {
            names,
            counts: [live, ungated, ready],
            ..
        } = self.seen();
        say(&format!(
            "    waiting until {what}: {names} pods created; of {live} there are {ungated} \
             without a gate, {ready} Ready"
        ));
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Pods by name: whether each is without gates, whether it is Ready.
#[derive(Debug)]
struct Tally {
    expected: u32,
    pods: HashMap<String, (bool, bool)>,
}

impl Tally {
    fn new(expected: u32) -> Self {
        Self {
            expected,
            pods: HashMap::new(),
        }
    }

    fn take(&mut self, event: Event<Pod>, seen: &mut Seen, now: Instant) {
        let (before, after) = match event {
            Event::Is(pod) => {
                let after = (pod.spec.scheduling_gates.is_empty(), pod.is_ready());
                let before = self.pods.insert(pod.metadata.name, after);
                seen.names += u32::from(before.is_none());
                (before, Some(after))
            }
            Event::Gone(name) => (self.pods.remove(&name), None),
        };
        seen.counts = change(seen.counts, before, after);
        let [live, ungated, ready] = seen.counts;
        if seen.ready.is_none() {
            seen.curve.add(now, [seen.names, ungated, ready]);
        }
        let all = self.expected;
        for (moment, is_now) in [
            (&mut seen.created, seen.names >= all),
            (&mut seen.ungated, ungated >= all),
            (&mut seen.ready, ready >= all),
            (&mut seen.gone, seen.names >= all && live == 0),
        ] {
            if is_now {
                moment.get_or_insert(now);
            }
        }
    }
}

/// Counts of pods that exist, have no gate, and are Ready, after one pod changed.
fn change([live, ungated, ready]: [u32; 3], before: Facts, after: Facts) -> [u32; 3] {
    let count = |facts: Facts| facts.map_or([0; 3], |(u, r)| [1, u32::from(u), u32::from(r)]);
    let ([l0, u0, r0], [l1, u1, r1]) = (count(before), count(after));
    [live + l1 - l0, ungated + u1 - u0, ready + r1 - r0]
}

type Facts = Option<(bool, bool)>;

/// The fields of a pod that the benchmark reads.
#[derive(Clone, Debug, Deserialize)]
pub struct Pod {
    /// Its metadata.
    pub metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

impl Pod {
    /// Whether its kubelet reports it as Ready.
    pub fn is_ready(&self) -> bool {
        self.status.is_ready()
    }
}

impl Object for Pod {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    scheduling_gates: Vec<IgnoredAny>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, Deserialize)]
struct Condition {
    #[serde(rename = "type")]
    type_: String,
    status: String,
}

impl Status {
    fn is_ready(&self) -> bool {
        self.conditions
            .iter()
            .any(|c| c.type_ == "Ready" && c.status == "True")
    }
}
