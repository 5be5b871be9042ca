//! The operators' requests to a local API server, as that server records them: `tests/rights.rs`
//! reads them after all tests.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use e2e::AUDIT;
use serde_json::Value;

use super::control_plane::{CHECKOUT, ControlPlane};
use super::installation::SYSTEM;

/// Flags of an API server that records each request of the chart's account and no other.
pub fn flags(name: &str) -> Vec<String> {
    let folder = folder();
    fs::create_dir_all(&folder).unwrap();
    let policy = folder.join("policy.yaml");
    fs::write(&policy, policy_text()).unwrap();
    let log = folder.join(format!("{name}.log"));
    vec![
        format!("--audit-policy-file={}", policy.display()),
        format!("--audit-log-path={}", log.display()),
        // In MB; a longer log would begin a second file.
        "--audit-log-maxsize=10000".into(),
    ]
}

/// The requests that an API server records from a point in time on.
#[derive(Debug)]
pub struct Record {
    log: PathBuf,
    begin: u64,
}

impl Record {
    /// From now on; none of a user's API server, which keeps its log to itself.
    pub fn begin(control_plane: &ControlPlane) -> Option<Self> {
        let name = control_plane.dir.file_name()?.to_str()?;
        let log = folder().join(format!("{name}.log"));
        let begin = || fs::metadata(&log).unwrap().len();
        let begin = control_plane.is_local().then(begin)?;
        Some(Self { log, begin })
    }

    /// The verbs of the writes to these objects that the API server accepted, even if they changed
    /// nothing. It records a request before it answers.
    pub fn writes(&self, namespace: &str, resource: &str) -> Vec<String> {
        let text = self.text();
        // The last line may be incomplete.
        let events = text
            .lines()
            .filter(|line| line.contains(namespace))
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_meant = |event: &Value| {
            let object = &event["objectRef"];
            let is_read = ["get", "list", "watch"].iter().any(|v| event["verb"] == *v);
            let is_accepted = event["responseStatus"]["code"].as_u64() < Some(300);
            let is_of_kind = object["resource"] == resource && object["namespace"] == namespace;
            is_of_kind && is_accepted && !is_read
        };
        let writes = events.filter(is_meant);
        writes
            .map(|event| event["verb"].as_str().unwrap().to_owned())
            .collect()
    }

    /// How many times the operator listed this kind, whatever the answer.
    pub fn lists(&self, resource: &str) -> usize {
        let resource = format!("\"resource\":\"{resource}\"");
        let text = self.text();
        let lists = text
            .lines()
            .filter(|line| line.contains("\"verb\":\"list\"") && line.contains(&resource));
        lists.count()
    }

    /// The recorded lines; the first and the last one may be incomplete.
    pub fn text(&self) -> String {
        let mut file = File::open(&self.log).unwrap();
        file.seek(SeekFrom::Start(self.begin)).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Removes the logs of another run.
pub fn forget() {
    let _ = fs::remove_dir_all(folder());
}

fn folder() -> PathBuf {
    CHECKOUT.join(AUDIT)
}

fn policy_text() -> String {
    format!(
        "apiVersion: audit.k8s.io/v1\n\
         kind: Policy\n\
         omitStages: [RequestReceived]\n\
         rules:\n\
         - level: Metadata\n  userGroups: [\"system:serviceaccounts:{SYSTEM}\"]\n\
         - level: None\n"
    )
}
