//! A job whose set is deleted with `--cascade=orphan` and applied again.

use super::{ends, job, succeed};
use crate::harness::manifest::{clique, group};
use crate::harness::{Namespace, same};
use crate::orphans::{is_owned, wait_for_the_garbage_collector};
use crate::termination::started;

#[test]
fn a_finished_job_adopts_its_orphans_and_leaves_nothing_behind() {
    let ns = Namespace::new("job-orphaned");
    let cliques = [clique("a", 2), clique("b", 1)];
    let x = job("x", 0, &cliques, &[group("g", "b", 1, 1)]);
    started(&ns, &[(x.clone(), 1)]);
    wait_for_the_garbage_collector(&ns);
    succeed(&ns, &["x-0-a", "x-0-g-0-b"]);
    ends(&ns, "x", "Succeeded", 0);
    ns.kubectl(&["delete", "pcs/x", "--cascade=orphan", "--timeout=180s"]);
    ns.apply(&x);
    ns.until("all of it has an owner", |seen| {
        is_owned(seen, "PodCliqueScalingGroup", "x-0-g", "PodCliqueSet")?;
        is_owned(seen, "PodClique", "x-0-a", "PodCliqueSet")?;
        is_owned(seen, "PodClique", "x-0-g-0-b", "PodCliqueScalingGroup")?;
        is_owned(seen, "Service", "x-0", "PodCliqueSet")?;
        is_owned(seen, "PodGang", "x-0", "PodCliqueSet")
    });
    ends(&ns, "x", "Succeeded", 0);
    ns.kubectl(&["delete", "pcs/x", "--timeout=180s"]);
    let kinds = [
        "PodCliqueScalingGroup",
        "PodClique",
        "PodGang",
        "Service",
        "Pod",
    ];
    ns.until("nothing is left", |seen| {
        let left = kinds.iter().map(|kind| seen.all(kind).len());
        same("left", &left.sum(), &0)
    });
}
