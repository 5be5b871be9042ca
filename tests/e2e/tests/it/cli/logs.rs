//! `logs`. KWOK runs no containers and serves no logs: these are tests of what comes before them.

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, same};

/// Exit code and one line, which names the flags that choose fewer pods.
#[test]
fn no_more_than_50_pods_are_followed_together() {
    let ns = Namespace::new("cli-logs");
    ns.apply(&set("svc", &[clique("web", 51)], &[]));
    ns.until("its pods exist", |seen| {
        same("pods", &seen.all("Pod").len(), &51)
    });
    let output = ns.grove_command(&["logs", "svc", "-f"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("51 pods cannot be followed together"),
        "{error}"
    );
    assert!(error.contains("--clique or --rank"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}
