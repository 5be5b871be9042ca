//! Containers that end again and again.

use serde_json::{Value, json};

use super::judge::{has, lacks, not_ready};
use super::namespace::Namespace;
use super::row::{Row, row};
use super::seen::message;
use super::sets::{clique, container, serving, sh, sidecar, with};

/// A container that ends again and again, and the expected report.
struct Loop {
    name: &'static str,
    /// Texts in its `Ready` condition and in `explain`.
    said: &'static [&'static str],
    containers: fn() -> Vec<Value>,
}

/// Texts that do not describe a crash loop.
const NOT_SAID: &[&str] = &[
    "ContainerConfigError",
    "create the ConfigMap, the Secret or the key",
];

const LOOPS: [Loop; 6] = [
    Loop {
        name: "exit_0",
        said: &["exit code 0"],
        containers: || vec![sh("sleep 0.3")],
    },
    Loop {
        name: "exit_1",
        said: &["exit code 1"],
        containers: || vec![sh("echo the-last-word > /dev/termination-log; exit 1")],
    },
    Loop {
        name: "signal",
        said: &["exit code 139"],
        containers: || vec![sh("sh -c 'kill -SEGV $$'; exit 139")],
    },
    Loop {
        name: "oom",
        said: &["OOMKilled"],
        containers: || {
            let limit = json!({"resources": {"limits": {"memory": "12Mi"}}});
            vec![with(sh("exec tail /dev/zero"), &limit)]
        },
    },
    Loop {
        name: "one_of_two_exits_0",
        said: &["container side", "exit code 0"],
        containers: || vec![sh("sleep 1000"), container("side", "sleep 0.3")],
    },
    Loop {
        name: "sidecar",
        said: &["container side", "exit code 3"],
        containers: || vec![sh("sleep 1000"), sidecar("side", "exit 3")],
    },
];

/// The rows of this theme.
pub fn rows() -> Vec<Row> {
    let of = |looped: Loop| {
        let name = format!("crash_loops::{}", looped.name);
        row(&name, "5", move |ns| is_called_a_crash_loop(ns, &looped))
    };
    LOOPS.into_iter().map(of).collect()
}

/// Finding 5: a loop is a crash loop with any exit code; the report has the code and a useful
/// remedy.
fn is_called_a_crash_loop(ns: &Namespace, looped: &Loop) {
    let mut one = clique("w", 1, &(looped.containers)());
    let sidecars = |c: &&Value| c["restartPolicy"] == "Always";
    let containers = one["spec"]["podSpec"]["containers"]
        .as_array()
        .unwrap()
        .clone();
    let (init, app): (Vec<_>, Vec<_>) = containers.iter().partition(sidecars);
    one["spec"]["podSpec"]["containers"] = json!(app);
    one["spec"]["podSpec"]["initContainers"] = json!(init);
    ns.apply(&[&serving("a", &[one])]);
    ns.until("its crash loop is named", |seen| {
        not_ready(seen, "a", "CrashLoop")?;
        let said = message(seen.set("a")?, "Ready").to_owned();
        has("Ready", &said, looped.said)?;
        lacks("Ready", &said, NOT_SAID)
    });
    let explained = ns.explain("a");
    has("explain", &explained, looped.said).unwrap();
    lacks("explain", &explained, NOT_SAID).unwrap();
}
