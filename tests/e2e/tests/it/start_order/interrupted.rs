//! The operator is away when it could send start signals.

use serde_json::json;

use super::{expect_count, expect_signalled, expect_waiting, get_ready};
use crate::harness::lane::Lane;
use crate::harness::manifest::{clique, held_clique, set};
use crate::harness::same;
use crate::harness::seen::{gates, name};
use crate::harness::starts::Starts;

#[test]
fn a_restarted_operator_sends_the_due_start_signals() {
    let lane = Lane::start("order-away");
    let ns = lane.namespace();
    let mut starts = Starts::of(&ns);
    let cliques = [held_clique("first", 1), clique("second", 3)];
    let mut svc = set("svc", &cliques, &[]);
    svc["spec"]["template"]["cliqueStartupType"] = json!("CliqueStartupTypeInOrder");
    ns.apply(&svc);
    ns.until("all but the first wait", |seen| {
        expect_waiting(seen, &[("svc-0-second", "svc-0-first:1")])?;
        // Nothing else removes its gate.
        same(
            "gates of the first",
            &gates(seen.pods("svc-0-first")[0]).len(),
            &0,
        )
    });
    lane.operator.kill();
    get_ready(&ns, "svc-0-first", 0);
    // The annotation with its dependencies was removed.
    let stripped = name(ns.look().unwrap().pods("svc-0-second")[1]).to_owned();
    ns.kubectl(&["annotate", "pod", &stripped, "grove.io/starts-after-"]);
    expect_count(&mut starts, 0);

    lane.operator.start_again().unwrap();
    ns.until("they start", |seen| {
        same("pods", &seen.pods("svc-0-second").len(), &3)?;
        expect_signalled(seen, &["svc-0-second"])
    });
    expect_count(&mut starts, 3);
}
