//! The limit of writes under way.

use std::time::Duration;

use engine::flow::{Flow, Permit, SLOW, WriteHealth};
use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// As many writes as get through now, of a namespace that was answered before.
fn enter(flow: &Flow, namespace: &str, tries: usize) -> Vec<Permit> {
    if flow.write_health(namespace) == WriteHealth::Unknown {
        drop(flow.enter(namespace).now_or_never());
    }
    send(flow, namespace, tries)
}

/// As many writes as get through now.
fn send(flow: &Flow, namespace: &str, tries: usize) -> Vec<Permit> {
    let tries = (0..tries).filter_map(|_| flow.enter(namespace).now_or_never());
    tries.collect()
}

#[tokio::test(start_paused = true)]
async fn one_namespace_leaves_three_quarters_to_the_others() {
    let flow = Flow::default();
    let hung = enter(&flow, "a", 100);
    assert_eq!(hung.len(), 8);
    let rest = ["b", "c", "d"].map(|namespace| enter(&flow, namespace, 100));
    let came = rest.each_ref().map(Vec::len);
    assert_eq!(came, [8, 8, 7], "the last place is for another namespace");
    let last = enter(&flow, "e", 100);
    assert_eq!(last.len(), 1);
    assert_eq!(enter(&flow, "f", 1).len(), 0, "32 at most");
    drop(rest);
    assert_eq!(enter(&flow, "f", 1).len(), 1);
}

/// Lets all of them hang until this is dropped.
fn hang(permits: Vec<Permit>) -> Vec<AbortOnDropHandle<()>> {
    let hang = |mut permit: Permit| {
        tokio::spawn(async move { permit.write(std::future::pending::<()>()).await })
    };
    let all = permits.into_iter().map(hang);
    all.map(AbortOnDropHandle::new).collect()
}

async fn wait_until_slow() {
    tokio::time::sleep(SLOW + Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_write_leaves_its_place_to_others_but_not_to_its_own_namespace() {
    let flow = Flow::default();
    let hung = hang(fill(&flow));
    tokio::time::sleep(Duration::from_millis(999)).await;
    assert_eq!(enter(&flow, "c", 1).len(), 0);
    wait_until_slow().await;
    assert_eq!(enter(&flow, "a", 8).len(), 0, "it has its share");
    assert_eq!(enter(&flow, "c", 100).len(), 8);
    drop(hung);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_request_gets_the_place_of_a_slow_one_at_once() {
    let flow = Flow::default();
    let _hung = hang(fill(&flow));
    let began = Instant::now();
    drop(flow.enter("c").await);
    assert_eq!(began.elapsed(), SLOW);
}

/// Their names; they are known to hang.
async fn hang_once(flow: &Flow, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|i| format!("hangs-{i}")).collect();
    for name in &names {
        let hung = hang(send(flow, name, 1));
        wait_until_slow().await;
        drop(hung);
        tokio::task::yield_now().await;
    }
    names
}

#[tokio::test(start_paused = true)]
async fn namespaces_that_had_slow_writes_have_half_of_the_places_together() {
    let flow = Flow::default();
    let names = hang_once(&flow, 40).await;
    let again: Vec<Permit> = names.iter().flat_map(|name| send(&flow, name, 8)).collect();
    assert_eq!(again.len(), 16);
    drop(again);
    tokio::time::advance(Duration::from_mins(5)).await;
    assert_eq!(
        flow.write_health("hangs-0"),
        WriteHealth::Answered,
        "it is forgotten"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_namespace_of_which_nothing_is_known_one_write_is_sent_first() {
    let flow = Flow::default();
    let first = send(&flow, "new", 100);
    assert_eq!(first.len(), 1);
    let others: Vec<Permit> = (0..100)
        .flat_map(|i| send(&flow, &format!("new-{i}"), 2))
        .collect();
    assert_eq!(others.len(), 23, "three quarters of the places");
    drop(first);
    assert_eq!(send(&flow, "new", 100).len(), 8);
}

#[tokio::test(start_paused = true)]
async fn all_slow_writes_together_have_a_limit() {
    let flow = Flow::default();
    let names = hang_once(&flow, 64).await;
    let mut hung = Vec::new();
    for _ in 0..40 {
        for name in &names {
            hung.extend(hang(send(&flow, name, 8)));
        }
        wait_until_slow().await;
    }
    assert!((64..=208).contains(&hung.len()), "{}", hung.len());
    assert_eq!(enter(&flow, "other", 100).len(), 8);
}

/// All of the limit is under way.
fn fill(flow: &Flow) -> Vec<Permit> {
    let all = ["a", "b", "x", "y", "z"].map(|namespace| enter(flow, namespace, 8));
    all.into_iter().flatten().collect()
}

#[tokio::test(start_paused = true)]
async fn whose_namespace_has_least_under_way_comes_next() {
    let flow = Flow::default();
    let mut busy = enter(&flow, "a", 7);
    for (namespace, count) in [("b", 8), ("x", 8), ("y", 8), ("z", 1)] {
        busy.extend(enter(&flow, namespace, count));
    }
    let waiting = [flow.enter("b"), flow.enter("a"), flow.enter("c")];
    let mut waiting = waiting.map(Box::pin);
    for turn in &mut waiting {
        assert!(turn.as_mut().now_or_never().is_none());
    }
    drop(busy.pop());
    let came = waiting
        .each_mut()
        .map(|turn| turn.as_mut().now_or_never().is_some());
    assert_eq!(came, [false, false, true]);
}

#[tokio::test(start_paused = true)]
async fn is_halved_once_for_all_that_were_sent_together_and_grows_slowly() {
    let flow = Flow::default();
    let sent = Instant::now();
    tokio::time::advance(Duration::from_millis(5)).await;
    for _ in 0..10 {
        flow.throttled(sent, Duration::ZERO);
    }
    assert_eq!(flow.limit(), 16);
    for _ in 0..10 {
        tokio::time::advance(Duration::from_millis(5)).await;
        flow.throttled(Instant::now(), Duration::ZERO);
    }
    assert_eq!(flow.limit(), 2, "nobody is shut out");
    for _ in 0..5 {
        flow.answered();
    }
    assert_eq!(flow.limit(), 3);
    for _ in 0..2000 {
        flow.answered();
    }
    assert_eq!(flow.limit(), 32);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_while_the_server_asks_to_wait() {
    let flow = Flow::default();
    let began = Instant::now();
    flow.throttled(began, Duration::from_secs(3));
    drop(flow.enter("a").await);
    assert_eq!(began.elapsed(), Duration::from_secs(3));
    flow.throttled(Instant::now(), Duration::from_secs(4000));
    drop(flow.enter("a").await);
    assert_eq!(
        began.elapsed(),
        Duration::from_secs(63),
        "never for longer than a minute"
    );
}

/// A hanging webhook is no sign of an overloaded server.
#[tokio::test(start_paused = true)]
async fn a_write_without_answer_counts_only_if_nobody_is_answered() {
    let flow = Flow::default();
    let sent = Instant::now();
    tokio::time::advance(Duration::from_secs(10)).await;
    flow.answered();
    tokio::time::advance(Duration::from_secs(20)).await;
    flow.unanswered(sent);
    assert_eq!(flow.limit(), 32);
    let sent = Instant::now();
    tokio::time::advance(Duration::from_secs(30)).await;
    flow.unanswered(sent);
    assert_eq!(flow.limit(), 16);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_does_not_wait_any_more_takes_no_place() {
    let flow = Flow::default();
    let busy = fill(&flow);
    assert_eq!(busy.len(), 32);
    assert_eq!(enter(&flow, "c", 50).len(), 0);
    drop(busy);
    assert_eq!(enter(&flow, "c", 50).len(), 8);
}

/// A request that gives up must not get its turn while the one before gets its own.
#[tokio::test(start_paused = true)]
async fn those_that_gave_up_are_passed_over_however_many_they_are() {
    let flow = Flow::default();
    let mut busy = fill(&flow);
    for _ in 0..50_000 {
        assert!(flow.enter("c").now_or_never().is_none());
    }
    let mut late = Box::pin(flow.enter("c"));
    assert!(late.as_mut().now_or_never().is_none());
    drop(busy.pop());
    assert!(late.now_or_never().is_some());
}
