//! The API server is absent for a while.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::faults::{runs, scale, service};
use crate::harness::history::History;
use crate::harness::lane::Lane;
use crate::harness::seen::name;
use crate::harness::wait;

const GONE: Duration = Duration::from_secs(30);

#[test]
fn without_an_api_server_for_half_a_minute_it_stays_and_makes_up_for_it() {
    let lane = Lane::start("gone");
    let ns = lane.namespace();
    ns.apply(&service("x"));
    let lost = ns.until("it runs", |seen| {
        runs(seen, "x", 3, 2)?;
        let pods = seen.pods("x-0-a");
        Ok([name(pods[0]), name(pods[2])].map(str::to_owned))
    });
    let mut history = History::of(&ns);
    history.catch_up(&ns);

    // In the middle of it.
    scale(&ns, "x", 4);
    lane.proxy.vanish();
    let since = Instant::now();
    ns.kubectl(
        &[
            &["delete", "pod", "--wait=false"],
            &lost.each_ref().map(String::as_str)[..],
        ]
        .concat(),
    );
    scale(&ns, "x", 5);
    let is_over = wait::until(|| {
        lane.expect_alive();
        let is_over = since.elapsed() > GONE;
        is_over.then_some(()).ok_or_else(|| "the pause".to_owned())
    });
    is_over.unwrap();
    let (code, said) = lane.operator.get("/readyz").unwrap();
    assert_eq!(code, 503, "{said}");
    assert!(
        said.contains("PodClique: ") && said.contains("is the API server up"),
        "{said}"
    );

    lane.proxy.come_back();
    ns.until("as it was scaled", |seen| runs(seen, "x", 5, 5));
    lane.operator.wait_until_ready().unwrap();
    lane.expect_alive();
    history.catch_up(&ns);
    let lost = BTreeSet::from(["x-0-a#0", "x-0-a#2"]);
    assert_eq!(history.slots_deleted(), lost);
    assert_eq!(history.slots_held_twice(), lost);
}
