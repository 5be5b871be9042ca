//! Jobs that keep running without some of their pods.

use serde_json::json;

use super::{ends, fail, is, job, pods, succeed};
use crate::harness::manifest::clique;
use crate::harness::{Namespace, same};
use crate::termination::{runs, started};

#[test]
fn a_pod_that_may_be_missing_is_replaced_alone_and_costs_no_restart() {
    let ns = Namespace::new("job-elastic");
    let mut workers = clique("a", 4);
    workers["spec"]["minAvailable"] = json!(3);
    started(&ns, &[(job("x", 0, &[workers], &[]), 1)]);
    let before = ns.look().map(|seen| pods(&seen, "x")).unwrap();
    let failed = fail(&ns, "x-0-a", 2);
    ns.until("it alone is replaced", |seen| {
        runs(seen, "x", 1)?;
        is(seen, "x", &json!({"restartCount": 0, "phase": "Running"}))?;
        is(seen, "x", &json!({"lastFailures": [{"pod": failed}]}))?;
        let now = pods(seen, "x");
        let gone = before.iter().filter(|pod| !now.contains(pod));
        let gone: Vec<_> = gone.map(|(pod, _)| pod).collect();
        same("gone", &(gone, now.len()), &(vec![&failed], 4))
    });
    succeed(&ns, &["x-0-a"]);
    ends(&ns, "x", "Succeeded", 0);
}
