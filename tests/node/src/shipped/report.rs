//! The measurements, and those beyond their limits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::confinement::Confinement;
use super::rest::Rest;

/// Resource usage and permissions of the images' pods.
#[derive(Debug)]
pub struct Report {
    /// Bytes of the images of operator and init container, as a registry stores them.
    pub(super) sizes: [u64; 2],
    /// From `helm install` to its end.
    pub(super) installed: Duration,
    /// From the deletion of an operator's pod until its successor was Ready.
    pub(super) replaced: Duration,
    pub(super) operators: Vec<Confinement>,
    /// Waiting init containers.
    pub(super) waiting: Vec<Confinement>,
    pub(super) rest: BTreeMap<String, Rest>,
    /// The chart's requests: processors and bytes.
    pub(super) requested: (f64, u64),
}

impl Report {
    /// A table of Markdown.
    pub fn table(&self, built: &str) -> String {
        let [operator, initc] = self.sizes.map(megabytes);
        let busiest = self.rest.values().map(|rest| rest.cpu).fold(0.0, f64::max);
        let working_set = self.rest.values().map(|rest| rest.working_set).max();
        let (cpu, memory) = self.requested;
        let resident = |processes: &[Confinement]| {
            let kib = processes.iter().map(|process| process.resident_kib).max();
            megabytes(kib.unwrap_or_default() << 10)
        };
        let rows = [
            ("image of the operator, compressed".to_owned(), operator),
            ("image of the init container, compressed".to_owned(), initc),
            (
                "`helm install` until both operators are Ready".to_owned(),
                seconds(self.installed),
            ),
            (
                "a deleted operator until its successor is Ready".to_owned(),
                seconds(self.replaced),
            ),
            (
                format!("processors at rest, the busier operator; requested {cpu}"),
                format!("{busiest:.4}"),
            ),
            (
                format!(
                    "working set, the larger operator; requested {}",
                    megabytes(memory)
                ),
                megabytes(working_set.unwrap_or_default()),
            ),
            (
                "resident memory, the larger operator".to_owned(),
                resident(&self.operators),
            ),
            (
                "resident memory of an init container that waits".to_owned(),
                resident(&self.waiting),
            ),
        ];
        let head = format!("| built: {built} | |\n|---|---:|");
        let rows = rows.map(|(what, value)| format!("| {what} | {value} |"));
        format!("{head}\n{}", rows.join("\n"))
    }

    /// Permissions that the chart rules out, and usage at rest above the requests.
    pub fn excesses(&self) -> Vec<String> {
        let (cpu, memory) = self.requested;
        let mut excesses = Vec::new();
        for (name, rest) in &self.rest {
            if rest.cpu > cpu {
                excesses.push(format!("{name} takes {} processors at rest", rest.cpu));
            }
            if rest.working_set > memory {
                let taken = megabytes(rest.working_set);
                excesses.push(format!("{name} takes {taken} of memory at rest"));
            }
        }
        let of = |name: &str, processes: &[Confinement]| {
            let freedoms = processes.iter().flat_map(Confinement::freedoms);
            freedoms
                .map(|freedom| format!("{name} {freedom}"))
                .collect::<Vec<_>>()
        };
        excesses.extend(of("grove-operator", &self.operators));
        excesses.extend(of("grove-initc", &self.waiting));
        excesses
    }
}

fn megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
