//! The operators' requests to a local API server, as that server records them: `tests/rights.rs`
//! reads them after all tests.

use std::fs;
use std::path::PathBuf;

use e2e::AUDIT;

use super::control_plane::CHECKOUT;
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
