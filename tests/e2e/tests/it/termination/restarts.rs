//! Termination across restarts of the operator, and pods that do not end.

use super::{attempts_of, breach, break_pod, pair, runs, started, uids};
use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::operator::Operator;
use crate::harness::seen::name;
use crate::harness::{Namespace, same, site};

#[test]
fn a_replica_due_while_the_operator_is_down_is_terminated_unless_it_recovered() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("gt-down-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "gt-down");
    started(&ns, &[(pair("back", "1h"), 1), (pair("broken", "1h"), 1)]);
    let before = ns.look().map(|seen| uids(&seen, "")).unwrap();
    let back = break_pod(&ns, "back-0-a", 0);
    break_pod(&ns, "broken-0-a", 0);
    ns.until("both are breached", |seen| {
        for podclique in ["back-0-a", "broken-0-a"] {
            let is = breach(seen.one("PodClique", podclique)?);
            same(podclique, &is, &"True/InsufficientReadyPods".to_owned())?;
        }
        Ok(())
    });
    operator.kill();
    for set in ["back", "broken"] {
        let patch = r#"--patch={"spec": {"template": {"terminationDelay": "1s"}}}"#;
        ns.kubectl(&["patch", "pcs", set, "--type=merge", patch]);
    }
    ns.set_pod_ready(&back);
    operator.start_again().unwrap();
    ns.until("only the broken one is terminated", |seen| {
        same(
            "broken",
            &attempts_of(seen, "PodCliqueSet", "broken")?,
            &vec![(0, 1)],
        )?;
        same("back", &attempts_of(seen, "PodCliqueSet", "back")?, &vec![])?;
        runs(seen, "broken", 1)?;
        runs(seen, "back", 1)?;
        same(
            "kept",
            &uids(seen, "back-0-a")["back-0-a"],
            &before["back-0-a"],
        )
    });
}

#[test]
fn pods_that_hang_in_terminating_do_not_stop_it() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let folder = folder("gt-stuck-operator");
    let config = "stuckPodTimeout: 4s\n";
    let operator = Operator::start_with(&installation, &folder, config).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "gt-stuck");
    started(&ns, &[(pair("x", "1s"), 1)]);
    let old = ns.until("it runs", |seen| {
        Ok(seen
            .pods("x-0-a")
            .into_iter()
            .map(|p| name(p).to_owned())
            .collect::<Vec<_>>())
    });
    let hold = r#"--patch={"metadata": {"finalizers": ["example.com/dead-node"]}}"#;
    for pod in &old {
        ns.kubectl(&["patch", "pod", pod, "--type=merge", hold]);
    }
    break_pod(&ns, "x-0-a", 0);
    ns.until("new pods run beside the old ones", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )?;
        runs(seen, "x", 1)?;
        let there = old
            .iter()
            .filter(|pod| seen.names("Pod").contains(pod.as_str()));
        same("old pods", &there.count(), &2)?;
        // A rank's DNS name never leads to two pods.
        let all = seen.all("Pod").into_iter();
        let selected = all.filter(|pod| {
            !pod["metadata"]["labels"]["grove.io/podcliqueset-replica-index"].is_null()
        });
        same("pods that the Service selects", &selected.count(), &2)
    });
    assert_eq!(ns.events("x", "GangTerminated").len(), 1);
    let release = r#"--patch={"metadata": {"finalizers": null}}"#;
    for pod in &old {
        ns.kubectl(&["patch", "pod", pod, "--type=merge", release]);
    }
}
