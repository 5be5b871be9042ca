//! Statuses of pods as kubelets wrote them: `recordings/*.jsonl`; `recordings/README.md` describes
//! their form.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// The events of one pod, from its creation to its end.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the file, without its ending.
    pub name: String,
    /// The pod.
    pub about: About,
    /// The events, in order.
    pub steps: Vec<RecordedStep>,
}

/// The first line of a recording.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct About {
    /// The behaviour of the pod, or the event that it is subject to.
    pub about: String,
    date: Date,
    /// `Training` or `Inference`.
    pub workload: String,
    /// `restartPolicy` of the pod.
    pub restart_policy: String,
    /// Init containers that run on.
    #[serde(default)]
    pub sidecars: BTreeSet<String>,
    /// `livenessProbe`, `startupProbe` or `postStart`: the cause that ended container `main`, if it
    /// was one of these.
    pub main_has: Option<String>,
    may_start: Option<Time>,
    deleted_by: Option<String>,
}

/// One event of the watch.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// When it was seen.
    pub at: Timestamp,
    /// Whether the pod was gone after it.
    pub is_end: bool,
    /// `deletionTimestamp` and grace period in seconds, once deletion was requested.
    pub deletion: Option<(Timestamp, i64)>,
    /// Whether the pod was bound to a node.
    pub is_bound: bool,
    /// The status, as it is in the API.
    pub status: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RecordedLine {
    t: Time,
    ev: String,
    #[serde(rename = "name")]
    _name: String,
    deletion_timestamp: Option<Timestamp>,
    #[serde(default)]
    deletion_grace_period_seconds: i64,
    node: bool,
    #[serde(rename = "gates", default)]
    _gates: u32,
    status: Value,
}

impl Recording {
    /// When the first event was seen.
    pub fn began(&self) -> Timestamp {
        self.steps.first().map_or(Timestamp::UNIX_EPOCH, |s| s.at)
    }

    /// When its dependencies were available; `None` if it has none.
    pub fn may_start(&self) -> Option<Timestamp> {
        let time = self.about.may_start?;
        Some(at(self.about.date, time))
    }

    /// Whether the operator of that day deleted the pod because of its state.
    pub fn is_deleted_by_operator(&self) -> bool {
        self.about.deleted_by.as_deref() == Some("operator")
    }

    /// Names of its init containers, in order.
    pub fn init_containers(&self) -> Vec<&str> {
        self.containers("initContainerStatuses")
    }

    /// Names of its app containers, in order.
    pub fn app_containers(&self) -> Vec<&str> {
        self.containers("containerStatuses")
    }

    /// The containers of the first status that has them.
    fn containers(&self, list: &str) -> Vec<&str> {
        let mut lists = self
            .steps
            .iter()
            .filter_map(|s| s.status.get(list)?.as_array());
        let first = lists.next().into_iter().flatten();
        first.filter_map(|c| c.get("name")?.as_str()).collect()
    }
}

/// All recordings, by name.
///
/// # Panics
/// If a file cannot be read or has another form.
pub fn all() -> Vec<Recording> {
    let entries = fs::read_dir(folder()).unwrap_or_else(|e| panic!("{}: {e}", folder().display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// The recording of that name.
///
/// # Panics
/// If there is none.
pub fn find(name: &str) -> Recording {
    read(&folder().join(format!("{name}.jsonl")))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings")
}

fn read(path: &Path) -> Recording {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&name, &text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads a recording.
///
/// # Errors
/// If a line has another form.
pub fn parse(name: &str, text: &str) -> Result<Recording, serde_json::Error> {
    let mut lines = text.lines();
    let about: About = serde_json::from_str(lines.next().unwrap_or_default())?;
    let lines: Result<Vec<RecordedLine>, _> = lines.map(serde_json::from_str).collect();
    let (mut day, mut before) = (about.date, Time::MIN);
    let step = |line: RecordedLine| {
        if line.t < before {
            day = day.tomorrow().unwrap_or(day);
        }
        before = line.t;
        let grace = line.deletion_grace_period_seconds;
        RecordedStep {
            at: at(day, line.t),
            is_end: line.ev == "DELETED",
            deletion: line.deletion_timestamp.map(|t| (t, grace)),
            is_bound: line.node,
            status: line.status,
        }
    };
    Ok(Recording {
        name: name.to_owned(),
        steps: lines?.into_iter().map(step).collect(),
        about,
    })
}

fn at(day: Date, time: Time) -> Timestamp {
    let whole = Offset::UTC.to_timestamp(day.to_datetime(time));
    whole.unwrap_or_default()
}

/// The time between two steps.
pub fn gap(earlier: &RecordedStep, later: &RecordedStep) -> SignedDuration {
    later.at.duration_since(earlier.at)
}
