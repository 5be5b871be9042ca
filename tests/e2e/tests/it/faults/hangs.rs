//! Requests are accepted and not answered, or answers stop.

use std::time::{Duration, Instant};

use crate::faults::{runs, scale, service};
use crate::harness::lane::Lane;
use crate::harness::proxy::{Asked, Fault};
use crate::harness::seen::name;
use crate::harness::{same, wait};

/// The time within which the operator sees a change, whatever the watches deliver.
const SEEN: Duration = Duration::from_secs(90);

#[test]
fn watches_that_are_never_answered_hide_nothing_for_long() {
    what_watches_hide_is_seen("hang", &Fault::Hang);
}

#[test]
fn silent_watches_hide_nothing_for_long() {
    what_watches_hide_is_seen("silent", &Fault::Silence);
}

/// All kinds at once, each with a change that only its watch shows.
fn what_watches_hide_is_seen(purpose: &str, fault: &Fault) {
    let lane = Lane::start(purpose);
    let ns = lane.namespace();
    ns.apply(&service("x"));
    let lost = ns.until("it runs", |seen| {
        runs(seen, "x", 3, 2)?;
        Ok(name(seen.pods("x-0-a")[1]).to_owned())
    });
    let of_watches = fault.clone();
    lane.proxy
        .disturb(move |asked| of_watches.clone().when(asked.verb == "watch"));
    lane.proxy.cut_watches();
    ns.kubectl(&["delete", "pod", &lost, "--wait=false"]);
    ns.kubectl(&["delete", "service", "x-0", "--wait=false"]);
    ns.kubectl(&["delete", "podgang", "x-0-g-0", "--wait=false"]);
    scale(&ns, "x", 4);
    ns.apply(&service("y"));
    ns.within(SEEN, "the hidden changes are seen", |seen| {
        let is_kept = seen.names("Pod").contains(lost.as_str());
        same("whether the lost pod is there", &is_kept, &false)?;
        same("pods of the clique", &seen.pods("x-0-a").len(), &4)?;
        seen.one("PodClique", "x-0-g-3-b")?;
        seen.one("Service", "x-0")?;
        seen.one("PodGang", "x-0-g-0")?;
        same("pods of the new set", &seen.pods("y-0-a").len(), &3)
    });
    lane.expect_alive();

    lane.proxy.disturb_no_more();
    ns.within(SEEN, "it is over", |seen| {
        runs(seen, "x", 4, 4)?;
        runs(seen, "y", 3, 2)
    });
    lane.operator.wait_until_ready().unwrap();
}

#[test]
fn a_refused_status_is_tried_a_few_times_and_reported() {
    const REFUSED: Duration = Duration::from_secs(45);
    let lane = Lane::start("refused-status");
    let ns = lane.namespace();
    let is_status = |asked: &Asked| {
        asked.is("update", "podcliques") && asked.subresource == "status" && asked.name == "x-0-a"
    };
    lane.proxy
        .disturb(move |asked| Fault::Answer(422).when(is_status(asked)));
    let since = Instant::now();
    ns.apply(&service("x"));
    let told = wait::within(2 * REFUSED, || {
        let events = ns.events("x-0-a", "StatusUpdateFailed");
        let is_over = !events.is_empty() && since.elapsed() > REFUSED;
        is_over.then_some(()).ok_or_else(|| format!("{events:?}"))
    });
    told.unwrap();
    let tried = lane.proxy.count(is_status);
    let most = 8 + usize::try_from(since.elapsed().as_secs() / 60).unwrap();
    assert!((3..=most).contains(&tried), "{tried} times");
    lane.proxy.disturb_no_more();
    ns.within(SEEN, "it is over", |seen| runs(seen, "x", 3, 2));
}
