//! The manifest that users begin with.

use serde_json::{Value, json};

use super::{ends, fail, is, succeed};
use crate::harness::seen::index;
use crate::harness::{Namespace, same};
use crate::termination::runs;

const EXAMPLE: &str = "examples/training-pytorch.yaml";
const LAUNCHER: &str = "training-pytorch-0-launcher";
const WORKERS: [&str; 2] = [
    "training-pytorch-0-nodes-0-worker",
    "training-pytorch-0-nodes-1-worker",
];

#[test]
fn the_example_survives_a_lost_worker_and_succeeds() {
    let ns = Namespace::new("job-example");
    ns.apply_file(EXAMPLE);
    ns.until("it runs", |seen| runs(seen, "training-pytorch", 1));
    knows_its_peers(&ns);
    fail(&ns, WORKERS[1], 0);
    ns.until("all of it is started again", |seen| {
        is(seen, "training-pytorch", &json!({"restartCount": 1}))?;
        runs(seen, "training-pytorch", 1)
    });
    succeed(&ns, &[LAUNCHER, WORKERS[0], WORKERS[1]]);
    ends(&ns, "training-pytorch", "Succeeded", 1);
}

/// The base of the example's commands: the variables and the DNS name of the launcher.
fn knows_its_peers(ns: &Namespace<'_>) {
    let seen = ns.look().unwrap();
    let worker = seen.pods(WORKERS[1])[1];
    let env = worker["spec"]["containers"][0]["env"].as_array().unwrap();
    let value = |name: &str| {
        let found = env.iter().find(|v| v["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let service = format!("training-pytorch-0.{}.svc.cluster.local", ns.name);
    let found = value("GROVE_HEADLESS_SERVICE")["value"].clone();
    assert_eq!(found, json!(service));
    for (variable, label) in [
        (
            "GROVE_PCSG_INDEX",
            "grove.io/podcliquescalinggroup-replica-index",
        ),
        ("GROVE_PCLQ_POD_INDEX", "grove.io/podclique-pod-index"),
    ] {
        let path = format!("metadata.labels['{label}']");
        let from = &value(variable)["valueFrom"]["fieldRef"]["fieldPath"];
        assert_eq!(from, &json!(path));
    }
    let launcher = &seen.pods(LAUNCHER)[0]["spec"];
    same(
        "host",
        &launcher["hostname"],
        &json!(format!("{LAUNCHER}-0")),
    )
    .unwrap();
    let subdomain = Value::from("training-pytorch-0");
    same("subdomain", &launcher["subdomain"], &subdomain).unwrap();
    same("policy", &launcher["restartPolicy"], &json!("Never")).unwrap();
    assert_eq!(index(worker), 1);
}
