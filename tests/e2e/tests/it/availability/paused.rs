//! The leader is stopped for longer than its lease, and continues.

use super::pair::{Pair, soon};
use super::writers::{Moment, writes_in};
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, same, wait};

const TIMES: usize = 4;
/// The exit code of an operator that cannot continue.
const FAILED: Option<i32> = Some(6);

#[test]
fn a_leader_that_stood_still_writes_nothing_when_it_goes_on_and_ends() {
    let pair = Pair::start("pair-paused", &soon());
    let ns = pair.namespace();
    for i in 0..TIMES {
        pair.first.wait_until_leads();
        let name = format!("svc{i}");
        pause_at_work(&pair, &ns, &name);
        pair.second.wait_until_leads();
        ns.until("the other continues", |seen| {
            let status = &seen.one("PodCliqueSet", &name)?["status"];
            same("available", &status["availableReplicas"], &20.into())
        });
        // The API server may have read earlier requests a little later.
        let went_on = Moment::now();
        pair.first.pause(false);
        let ended = wait::until(|| pair.first.ended().ok_or("it goes on".to_owned()));
        assert_eq!(ended.unwrap().code(), FAILED);
        let lost = pair.first.log_end(&["the lease is lost"]);
        assert_eq!(lost.lines().count(), i + 1, "{lost}");
        let late: Vec<_> = writes_in(&ns.name, &went_on)
            .into_iter()
            .filter(|write| write.by == pair.first.identity())
            .collect();
        assert!(late.is_empty(), "{late:#?}");
        // The roles are the same as before.
        pair.first.start_again().unwrap();
        pair.first.wait_until_ready().unwrap();
        pair.second.terminate();
        pair.first.wait_until_leads();
        pair.second.start_again().unwrap();
        pair.second.wait_until_ready().unwrap();
        ns.kubectl(&["delete", "pcs", &name]);
    }
}

/// Creates a set and stops the leader while it creates pods.
fn pause_at_work(pair: &Pair, ns: &Namespace<'_>, name: &str) {
    let mut many = set(name, &[clique("a", 2)], &[]);
    many["spec"]["replicas"] = 20.into();
    let began = Moment::now();
    ns.apply(&many);
    let at_work = wait::until(|| {
        let writes = writes_in(&ns.name, &began).len();
        (writes > 5).then_some(()).ok_or(format!("{writes} writes"))
    });
    at_work.unwrap();
    pair.first.pause(true);
}
