//! Pods that are about to succeed, and pods whose success does not count.

use serde_json::{Value, json};

use super::{
    container, ends, hold, is, job, not_ready, pair, pods, pods_of, release, set_status, succeed,
    terminated, witness,
};
use crate::harness::manifest::clique;
use crate::harness::{Namespace, same};
use crate::termination::{breach, runs, started};

#[test]
fn neither_a_slow_kubelet_nor_a_sidecar_makes_a_good_end_a_failure() {
    let ns = Namespace::new("job-finishing");
    let mut with_sidecar = clique("a", 2);
    let image = "registry.k8s.io/pause:3.10";
    let containers = ["main", "sidecar"].map(|name| json!({"name": name, "image": image}));
    with_sidecar["spec"]["podSpec"]["containers"] = json!(containers);
    let sidecar = job("sidecar", 1, &[with_sidecar], &[]);
    started(&ns, &[(pair("slow", 1), 1), (sidecar, 1)]);
    let before = ns.look().unwrap();
    let done = container("main", &terminated(0, "Completed", ""));
    let mut finishing = not_ready("ContainersNotReady");
    finishing["phase"] = json!("Running");
    finishing["containerStatuses"] = json!([done]);
    set_status(&ns, &pods_of(&ns, &["slow-0-a"]), &finishing);
    let runs_on = json!({"running": {}});
    finishing["containerStatuses"] = json!([done, container("sidecar", &runs_on)]);
    set_status(&ns, &pods_of(&ns, &["sidecar-0-a"]), &finishing);

    witness(&ns, "witness");
    let seen = ns.look().unwrap();
    for set in ["slow", "sidecar"] {
        is(&seen, set, &json!({"phase": "Running", "restartCount": 0})).unwrap();
        assert_eq!(pods(&seen, set), pods(&before, set));
        let podclique = seen.one("PodClique", &format!("{set}-0-a")).unwrap();
        assert_eq!(breach(podclique), "False/SufficientReadyPods");
        assert_eq!(ns.events(set, "PodCliqueFailed"), Vec::<String>::new());
    }
    succeed(&ns, &["slow-0-a", "sidecar-0-a"]);
    ends(&ns, "slow", "Succeeded", 0);
    ends(&ns, "sidecar", "Succeeded", 0);
    for set in ["pcs/slow", "pcs/sidecar"] {
        ns.kubectl(&["wait", "--for=condition=Succeeded", set, "--timeout=30s"]);
    }
}

#[test]
fn a_pod_that_is_deleted_has_not_done_its_work_though_it_ends_well() {
    let ns = Namespace::new("job-drained");
    let mut elastic = clique("a", 3);
    elastic["spec"]["minAvailable"] = json!(2);
    let elastic = job("elastic", 1, &[elastic], &[]);
    started(&ns, &[(pair("rigid", 1), 1), (elastic, 1)]);
    let of = |podclique: &str| pods_of(&ns, &[podclique])[..1].to_vec();
    let drained = [of("rigid-0-a"), of("elastic-0-a")].concat();
    hold(&ns, &drained);
    let mut delete = vec!["delete", "pods", "--wait=false"];
    delete.extend(drained.iter().map(String::as_str));
    ns.kubectl(&delete);
    super::exit(&ns, &drained, 0, "");
    release(&ns, &drained);
    ns.until("they are run again", |seen| {
        is(seen, "rigid", &json!({"restartCount": 1}))?;
        is(seen, "elastic", &json!({"restartCount": 0}))?;
        runs(seen, "rigid", 1)?;
        runs(seen, "elastic", 1)?;
        for podclique in ["rigid-0-a", "elastic-0-a"] {
            let status = &seen.one("PodClique", podclique)?["status"];
            same("completed", &status["completedIndices"], &Value::Null)?;
        }
        Ok(())
    });
    succeed(&ns, &["rigid-0-a", "elastic-0-a"]);
    ends(&ns, "rigid", "Succeeded", 1);
    ends(&ns, "elastic", "Succeeded", 0);
}
