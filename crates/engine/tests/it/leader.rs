//! Leader election by the Lease of a store in memory, in paused time.

mod any_course;
mod store;

use std::sync::Arc;
use std::time::Duration;

use engine::clock;
use engine::leader::{Campaign, LeaseOptions, Predecessor, WriteGate};
use engine::metrics::Metrics;
use store::{Link, Store};
use tokio::time::{Instant, sleep, timeout};

const DURATION: Duration = Duration::from_secs(15);
const DEADLINE: Duration = Duration::from_secs(10);

fn operator(link: &Link, identity: &str) -> (Campaign, WriteGate) {
    let gate = WriteGate::closed();
    let options = LeaseOptions {
        namespace: store::NAMESPACE.into(),
        name: store::NAME.into(),
        identity: identity.into(),
        lease_duration: DURATION,
        renew_deadline: DEADLINE,
        retry_period: Duration::from_secs(2),
    };
    let metrics = Arc::new(Metrics::default());
    let clock = Arc::new(clock::now);
    let campaign = Campaign::new(link.client(), options, gate.clone(), clock, metrics);
    (campaign, gate)
}

#[tokio::test(start_paused = true)]
async fn leads_at_once_where_there_is_no_lease_and_stays_the_leader() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    assert!(!gate.is_open());
    campaign.win(|| true).await;
    assert!(gate.is_open());
    assert!(timeout(DURATION * 10, campaign.hold()).await.is_err());
    assert!(gate.is_open());
    assert_eq!(store.holder(), "a");
    assert_eq!(store.transitions(), 1);
}

#[tokio::test(start_paused = true)]
async fn takes_over_a_duration_after_the_last_renewal_that_it_saw() {
    let store = Store::default();
    let (mut first, _) = operator(&store.link(), "a");
    first.win(|| true).await;
    let (mut second, gate) = operator(&store.link(), "b");
    let watching = tokio::spawn(async move {
        second.win(|| true).await;
        Instant::now()
    });
    let renewing = timeout(Duration::from_mins(1), first.hold()).await;
    assert!(renewing.is_err() && !gate.is_open());
    let last = store.last_write();
    drop(first);
    let won = watching.await.unwrap();
    assert!(gate.is_open());
    let after = won - last;
    assert!(
        after >= DURATION && after < DURATION + Duration::from_secs(1),
        "{after:?}"
    );
    assert_eq!(store.transitions(), 2);
}

#[tokio::test(start_paused = true)]
async fn takes_over_a_released_lease_at_once() {
    let store = Store::default();
    let (mut first, closed) = operator(&store.link(), "a");
    first.win(|| true).await;
    let (mut second, gate) = operator(&store.link(), "b");
    let watching = tokio::spawn(async move { second.win(|| true).await });
    sleep(Duration::from_secs(5)).await;
    let stopped = Instant::now();
    first.release(DEADLINE).await;
    assert!(!closed.is_open());
    watching.await.unwrap();
    assert!(gate.is_open());
    assert!(stopped.elapsed() < Duration::from_millis(100));
}

#[tokio::test(start_paused = true)]
async fn gives_nothing_back_while_a_write_is_under_way() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    campaign.win(|| true).await;
    let write = gate.enter();
    assert!(write.is_some());
    campaign.release(DEADLINE).await;
    assert_eq!(store.holder(), "a");
    assert!(gate.enter().is_none(), "later writes are not let through");
    drop(write);
    campaign.release(DEADLINE).await;
    assert_eq!(store.holder(), "");
}

#[tokio::test(start_paused = true)]
async fn releases_a_lease_that_it_renewed_while_it_was_stopping() {
    let store = Store::default();
    let link = store.link();
    let (mut campaign, _) = operator(&link, "a");
    campaign.win(|| true).await;
    link.lose_answers(true);
    assert!(
        timeout(Duration::from_secs(3), campaign.hold())
            .await
            .is_err()
    );
    link.lose_answers(false);
    campaign.release(DEADLINE).await;
    assert_eq!(store.holder(), "");
}

#[tokio::test(start_paused = true)]
async fn writes_nothing_after_the_deadline_and_says_why_it_is_lost() {
    let store = Store::default();
    let link = store.link();
    let (mut campaign, gate) = operator(&link, "a");
    campaign.win(|| true).await;
    link.cut(true);
    let cut = Instant::now();
    let held = tokio::spawn(async move { campaign.hold().await });
    sleep(Duration::from_millis(9_999)).await;
    assert!(gate.is_open());
    sleep(Duration::from_millis(2)).await;
    assert!(!gate.is_open());
    let why = held.await.unwrap();
    assert!(cut.elapsed() < DEADLINE + Duration::from_secs(1));
    assert_eq!(why, "it could not be renewed for 10s: no answer");
}

#[tokio::test(start_paused = true)]
async fn writes_nothing_when_it_goes_on_after_it_was_stopped() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    campaign.win(|| true).await;
    // Nothing of the process runs meanwhile.
    sleep(DURATION).await;
    assert!(!gate.is_open());
    let (mut second, _) = operator(&store.link(), "b");
    second.win(|| true).await;
    assert_eq!(
        campaign.hold().await,
        "it could not be renewed for 10s: no answer"
    );
    assert_eq!(store.holder(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_finds_the_lease_in_other_hands_has_lost_it() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    campaign.win(|| true).await;
    store.put_holder("somebody");
    assert_eq!(campaign.hold().await, "somebody leads");
    assert!(!gate.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_foreign_edit_does_not_cost_the_lead() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    campaign.win(|| true).await;
    store.put_holder("a");
    assert!(timeout(DURATION * 2, campaign.hold()).await.is_err());
    assert!(gate.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_container_that_was_started_again_in_its_pod_leads_on_at_once() {
    let store = Store::default();
    let (mut before, _) = operator(&store.link(), "pod_uid");
    before.win(|| true).await;
    drop(before);
    let started = Instant::now();
    let (mut after, gate) = operator(&store.link(), "pod_uid");
    after.win(|| true).await;
    assert!(gate.is_open() && started.elapsed() < Duration::from_millis(100));
    assert_eq!(store.transitions(), 1, "nobody else led in between");
}

#[tokio::test(start_paused = true)]
async fn waits_for_a_store_that_does_not_answer_and_leads_when_it_does() {
    let store = Store::default();
    let link = store.link();
    link.cut(true);
    let (mut campaign, gate) = operator(&link, "a");
    let won = tokio::spawn(async move { campaign.win(|| true).await });
    sleep(Duration::from_secs(100)).await;
    assert!(!gate.is_open());
    link.cut(false);
    won.await.unwrap();
    assert!(gate.is_open());
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_recreated_by_the_leader() {
    let store = Store::default();
    let (mut first, gate) = operator(&store.link(), "a");
    first.win(|| true).await;
    let (mut second, closed) = operator(&store.link(), "b");
    let waiting = tokio::spawn(async move { second.win(|| true).await });
    sleep(Duration::from_secs(1)).await;
    store.delete();
    assert!(timeout(DURATION * 4, first.hold()).await.is_err());
    assert_eq!(store.holder(), "a");
    assert!(gate.is_open() && !closed.is_open() && !waiting.is_finished());
}

/// Its holder does not learn of it, and may write until its deadline.
#[tokio::test(start_paused = true)]
async fn a_lease_that_is_deleted_is_not_taken_before_its_end() {
    let store = Store::default();
    let link = store.link();
    let (mut first, gate) = operator(&link, "a");
    first.win(|| true).await;
    let last = store.last_write();
    link.cut(true);
    let (mut second, _) = operator(&store.link(), "b");
    let waiting = tokio::spawn(async move { second.win(|| true).await });
    sleep(Duration::from_secs(1)).await;
    store.delete();
    assert_eq!(waiting.await.unwrap(), Predecessor::Silent);
    assert!(last.elapsed() >= DURATION && !gate.is_open());
    assert_eq!(store.holder(), "b");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_former_leader_is_reported() {
    let store = Store::default();
    let (mut first, _) = operator(&store.link(), "a");
    assert_eq!(first.win(|| true).await, Predecessor::None);
    let (mut second, _) = operator(&store.link(), "b");
    assert_eq!(second.win(|| true).await, Predecessor::Silent);
    let link = store.link();
    let (mut third, _) = operator(&link, "c");
    let waiting = tokio::spawn(async move { third.win(|| true).await });
    sleep(Duration::from_secs(1)).await;
    link.lose_answers(true);
    second.release(DEADLINE).await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(store.holder(), "c");
    assert!(!waiting.is_finished(), "it does not know");
    link.lose_answers(false);
    assert_eq!(waiting.await.unwrap(), Predecessor::Gone);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_not_ready_leaves_the_lease_to_others_for_a_duration() {
    let store = Store::default();
    let began = Instant::now();
    let (mut unready, _) = operator(&store.link(), "a");
    let waiting = tokio::spawn(async move { unready.win(|| false).await });
    sleep(Duration::from_secs(5)).await;
    let (mut ready, _) = operator(&store.link(), "b");
    ready.win(|| true).await;
    assert!(began.elapsed() < Duration::from_secs(6));
    ready.release(DEADLINE).await;
    let free = Instant::now();
    assert_eq!(waiting.await.unwrap(), Predecessor::Gone);
    let after = free.elapsed();
    assert!(
        after >= DURATION && after < DURATION + Duration::from_secs(3),
        "{after:?}"
    );
    assert_eq!(store.holder(), "a");
}

#[tokio::test(start_paused = true)]
async fn is_taken_as_soon_as_the_standby_is_ready() {
    let store = Store::default();
    let began = Instant::now();
    let (mut campaign, _) = operator(&store.link(), "a");
    campaign
        .win(|| began.elapsed() >= Duration::from_secs(3))
        .await;
    assert!(began.elapsed() < Duration::from_millis(3_200));
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_stops_before_it_leads_leaves_a_foreign_lease_alone() {
    let store = Store::default();
    let (mut first, _) = operator(&store.link(), "a");
    first.win(|| true).await;
    let (mut second, _) = operator(&store.link(), "b");
    let stopped = timeout(Duration::from_secs(2), second.win(|| true)).await;
    assert!(stopped.is_err());
    second.release(DEADLINE).await;
    assert_eq!(store.holder(), "a");
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_stops_while_it_claims_releases_its_lease() {
    let store = Store::default();
    let link = store.link();
    let (mut campaign, _) = operator(&link, "a");
    let began = Instant::now();
    let is_ready = || began.elapsed() >= Duration::from_secs(2);
    let claiming = timeout(Duration::from_secs(3), campaign.win(is_ready));
    let losing = async {
        sleep(Duration::from_secs(1)).await;
        link.lose_answers(true);
    };
    let (stopped, ()) = tokio::join!(claiming, losing);
    assert!(stopped.is_err());
    assert_eq!(store.holder(), "a");
    link.lose_answers(false);
    campaign.release(DEADLINE).await;
    assert_eq!(store.holder(), "");
}

#[tokio::test(start_paused = true)]
async fn a_write_that_was_not_sent_in_time_is_not_sent() {
    let store = Store::default();
    let (mut campaign, gate) = operator(&store.link(), "a");
    campaign.win(|| true).await;
    let mut is_sent = false;
    let write = async {
        // The connection is made.
        sleep(DEADLINE * 2).await;
        is_sent = true;
    };
    assert_eq!(gate.while_in_time(write).await, None);
    assert!(!is_sent);
    let alone = WriteGate::open();
    assert_eq!(alone.while_in_time(async { 1 }).await, Some(1));
}
