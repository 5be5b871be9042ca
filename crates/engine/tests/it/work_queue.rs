//! The order of turns.

use std::time::Duration;

use domain::Key;
use engine::flow::WriteHealth;
use engine::work_queue::{LEAST_REST, SLOW, Turn, TurnEnd, Work, WorkQueue, rest_after};
use futures::FutureExt;
use tokio::time::{Instant, advance};

/// Three slots for one namespace; the last one is kept for others.
const SLOTS: usize = 4;

fn key(name: &str) -> Key {
    in_namespace("default", name)
}

fn in_namespace(namespace: &str, name: &str) -> Key {
    Key::new(namespace, name)
}

/// Writes to all namespaces are answered.
fn answered(_: &str) -> WriteHealth {
    WriteHealth::Answered
}

fn add(queue: &WorkQueue, names: &[&str]) {
    for name in names {
        queue.add(key(name));
    }
}

/// Names of the keys that get a turn now.
fn handed_out(queue: &WorkQueue) -> Vec<String> {
    let next = || queue.next(SLOTS, answered).now_or_never();
    std::iter::from_fn(next)
        .map(|turn: Turn| turn.key.name)
        .collect()
}

fn finish(queue: &WorkQueue, name: &str) {
    queue.finish(&key(name), TurnEnd::default());
}

#[tokio::test(start_paused = true)]
async fn hands_out_each_key_once_and_in_order() {
    let queue = WorkQueue::default();
    add(&queue, &["b", "a", "b", "a"]);
    assert_eq!(queue.depth(), 2);
    assert_eq!(handed_out(&queue), ["b", "a"]);
    assert_eq!((queue.depth(), queue.under_way()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn notifies_a_consumer_that_waits() {
    let queue = WorkQueue::default();
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.next(SLOTS, answered).await }
    });
    tokio::task::yield_now().await;
    add(&queue, &["a"]);
    assert_eq!(waiting.await.unwrap().key, key("a"));
}

#[tokio::test(start_paused = true)]
async fn hands_out_no_more_than_there_are_slots() {
    let queue = WorkQueue::default();
    add(&queue, &["a", "b", "c", "d", "e"]);
    assert_eq!(handed_out(&queue), ["a", "b", "c"]);
    assert_eq!(queue.depth(), 2);
    finish(&queue, "b");
    assert_eq!(handed_out(&queue), ["d"]);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_comes_during_its_turn_comes_again_after_a_rest() {
    let queue = WorkQueue::default();
    add(&queue, &["a"]);
    assert_eq!(handed_out(&queue), ["a"]);
    add(&queue, &["a", "a"]);
    assert_eq!(handed_out(&queue), [""; 0], "never twice at once");
    finish(&queue, "a");
    assert_eq!(handed_out(&queue), [""; 0], "it rests");
    let began = Instant::now();
    assert_eq!(queue.next(SLOTS, answered).await.key, key("a"));
    assert_eq!(began.elapsed(), LEAST_REST);
    finish(&queue, "a");
    advance(Duration::from_secs(1)).await;
    assert_eq!(handed_out(&queue), [""; 0], "once");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_rested_comes_at_once() {
    let queue = WorkQueue::default();
    add(&queue, &["a"]);
    handed_out(&queue);
    finish(&queue, "a");
    advance(LEAST_REST).await;
    add(&queue, &["a"]);
    assert_eq!(handed_out(&queue), ["a"]);
}

#[test]
fn the_rest_grows_with_the_time_of_the_decision() {
    let ms = Duration::from_millis;
    for (deciding, rest) in [
        (0, 20),
        (1, 100),
        (2, 200),
        (5, 500),
        (100, 500),
        (200, 1000),
    ] {
        assert_eq!(rest_after(ms(deciding)), ms(rest), "{deciding} ms");
    }
}

/// Finishes a turn of this length; the key is due again after that time.
async fn decide_long(queue: &WorkQueue, again: Option<Duration>) -> Instant {
    add(queue, &["a"]);
    handed_out(queue);
    let deciding = Duration::from_millis(100);
    advance(deciding).await;
    queue.finish(&key("a"), TurnEnd { deciding, again });
    add(queue, &["a"]);
    Instant::now()
}

#[tokio::test(start_paused = true)]
async fn events_wait_for_the_end_of_the_rest() {
    let queue = WorkQueue::default();
    let began = decide_long(&queue, None).await;
    queue.next(SLOTS, answered).await;
    assert_eq!(began.elapsed(), Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn a_key_due_at_a_time_is_not_delayed_by_a_rest() {
    for (due, handed_out) in [(300, 300), (700, 500), (5, 20)] {
        let queue = WorkQueue::default();
        let due = Duration::from_millis(due);
        let began = decide_long(&queue, Some(due)).await;
        queue.next(SLOTS, answered).await;
        assert_eq!(began.elapsed(), Duration::from_millis(handed_out));
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_comes_again_when_it_asked_to_unless_something_happens_before() {
    let queue = WorkQueue::default();
    let ask_again = || {
        let end = TurnEnd {
            again: Some(Duration::from_mins(1)),
            ..TurnEnd::default()
        };
        queue.finish(&key("a"), end);
    };
    add(&queue, &["a"]);
    handed_out(&queue);
    ask_again();
    assert_eq!(queue.depth(), 0, "it is not due");
    let began = Instant::now();
    queue.next(SLOTS, answered).await;
    assert_eq!(began.elapsed(), Duration::from_mins(1));
    ask_again();
    advance(Duration::from_secs(1)).await;
    add(&queue, &["a"]);
    assert_eq!(handed_out(&queue), ["a"]);
    finish(&queue, "a");
    advance(Duration::from_mins(2)).await;
    assert_eq!(
        handed_out(&queue),
        [""; 0],
        "the last turn asked for nothing"
    );
}

/// Its turn was longer than its rest, it was triggered meanwhile, and it is due again at a time:
/// that time is over while it has the next turn.
#[tokio::test(start_paused = true)]
async fn a_key_that_is_due_during_its_turn_comes_after_it_and_never_twice_at_once() {
    let queue = WorkQueue::default();
    add(&queue, &["a"]);
    handed_out(&queue);
    add(&queue, &["a"]);
    advance(Duration::from_secs(1)).await;
    let again = Some(Duration::from_secs(2));
    let end = |again| TurnEnd {
        again,
        ..TurnEnd::default()
    };
    queue.finish(&key("a"), end(again));
    assert_eq!(handed_out(&queue), ["a"]);
    advance(Duration::from_secs(2)).await;
    assert_eq!(handed_out(&queue), [""; 0], "it has its turn");
    queue.finish(&key("a"), end(again));
    advance(LEAST_REST).await;
    assert_eq!(handed_out(&queue), ["a"], "for the time that is over");
    finish(&queue, "a");
    advance(Duration::from_secs(2)).await;
    assert_eq!(
        handed_out(&queue),
        ["a"],
        "as the turn before the last asked"
    );
}

/// A key that waits for a slot and is due at a time meanwhile waits once.
#[tokio::test(start_paused = true)]
async fn a_key_that_waits_is_not_added_again_when_it_is_due() {
    let queue = WorkQueue::default();
    add(&queue, &["a"]);
    handed_out(&queue);
    add(&queue, &["a", "b", "c", "d"]);
    advance(Duration::from_secs(1)).await;
    let again = Some(Duration::from_millis(100));
    let end = TurnEnd {
        again,
        ..TurnEnd::default()
    };
    queue.finish(&key("a"), end);
    advance(Duration::from_millis(100)).await;
    assert_eq!(queue.depth(), 4);
    assert_eq!(handed_out(&queue), ["b", "c", "d"]);
    finish(&queue, "b");
    assert_eq!(handed_out(&queue), ["a"]);
    finish(&queue, "c");
    assert_eq!(handed_out(&queue), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn namespaces_take_turns() {
    let queue = WorkQueue::default();
    for name in ["a", "b", "c", "d"] {
        queue.add(in_namespace("busy", name));
    }
    queue.add(in_namespace("other", "x"));
    assert_eq!(handed_out(&queue), ["a", "x", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_last_free_slot_is_kept_for_a_namespace_that_has_none() {
    let queue = WorkQueue::default();
    for name in ["a", "b", "c", "d"] {
        queue.add(in_namespace("busy", name));
    }
    assert_eq!(handed_out(&queue), ["a", "b", "c"]);
    queue.add(in_namespace("other", "x"));
    assert_eq!(handed_out(&queue), ["x"]);
    queue.add(in_namespace("third", "y"));
    assert_eq!(handed_out(&queue), [""; 0], "all slots are taken");
    queue.finish(&in_namespace("other", "x"), TurnEnd::default());
    assert_eq!(handed_out(&queue), ["y"], "not d");
}

#[tokio::test(start_paused = true)]
async fn one_slot_is_free_for_a_new_key() {
    let queue = WorkQueue::default();
    add(&queue, &["a", "b"]);
    assert_eq!(queue.next(1, answered).await.key.name, "a");
    assert_eq!(queue.next(1, answered).now_or_never(), None);
    finish(&queue, "a");
    assert_eq!(queue.next(1, answered).await.key.name, "b");
}

/// A tenant of twelve objects that are worked on and changed all the time, each for 50 ms.
#[tokio::test(start_paused = true)]
async fn a_cold_key_is_decided_within_100_ms_beside_twelve_that_are_always_hot() {
    const TEN_SLOTS: usize = 10;
    let queue = WorkQueue::default();
    let hot = |i: u32| in_namespace("hot", &i.to_string());
    for i in 0..12 {
        queue.add(hot(i));
    }
    let consumer = queue.clone();
    let work = async {
        loop {
            let turn = consumer.next(TEN_SLOTS, answered).await;
            if turn.key.namespace == "cold" {
                return turn;
            }
            let queue = consumer.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                queue.add(turn.key.clone());
                queue.finish(&turn.key, TurnEnd::default());
            });
        }
    };
    let change = async {
        tokio::time::sleep(Duration::from_millis(1010)).await;
        assert!(queue.depth() > 0, "the hot ones want all slots");
        queue.add(in_namespace("cold", "x"));
        Instant::now()
    };
    let (turn, changed) = futures::future::join(work, change).await;
    assert!(changed.elapsed() <= Duration::from_millis(100));
    assert!(turn.waited <= Duration::from_millis(100), "{turn:?}");
}

/// They wait for an admission webhook that hangs.
#[tokio::test(start_paused = true)]
async fn slow_ones_leave_their_slots_and_hold_up_only_their_own_namespace() {
    let queue = WorkQueue::default();
    for i in 0..40 {
        queue.add(in_namespace("hangs", &i.to_string()));
    }
    assert_eq!(handed_out(&queue).len(), SLOTS - 1);
    queue.add(in_namespace("other", "x"));
    queue.add(in_namespace("other", "y"));
    assert_eq!(handed_out(&queue), ["x"], "all slots are taken");
    let began = Instant::now();
    let next = queue.next(SLOTS, answered).await.key;
    assert_eq!((next.name.as_str(), began.elapsed()), ("3", SLOW));
    assert_eq!(handed_out(&queue), ["y"]);
    advance(Duration::from_secs(10)).await;
    assert_eq!(handed_out(&queue), [""; 0], "the namespace has its share");
    queue.add(in_namespace("other", "z"));
    assert_eq!(handed_out(&queue), ["z"]);
    queue.finish(&in_namespace("hangs", "0"), TurnEnd::default());
    assert_eq!(handed_out(&queue), ["4"]);
}

#[tokio::test(start_paused = true)]
async fn reports_how_many_are_due_and_how_long_the_first_has_waited() {
    let queue = WorkQueue::default();
    add(&queue, &["a", "b", "c", "d"]);
    handed_out(&queue);
    advance(Duration::from_millis(300)).await;
    add(&queue, &["e"]);
    assert_eq!(queue.depth(), 2);
    assert_eq!(queue.longest_wait(), Duration::from_millis(300));
    finish(&queue, "a");
    let turn = queue.next(SLOTS, answered).await;
    assert_eq!(turn.waited, Duration::from_millis(300));
}

#[tokio::test(start_paused = true)]
async fn counts_added_keys_and_the_time_of_running_ones() {
    let queue = WorkQueue::default();
    add(&queue, &["a", "a", "b"]);
    assert_eq!(queue.added(), 2, "a waits already");
    assert_eq!(queue.work_under_way(), Work::default());
    assert_eq!(handed_out(&queue).len(), 2);
    advance(Duration::from_secs(3)).await;
    finish(&queue, "a");
    advance(Duration::from_secs(4)).await;
    let work = queue.work_under_way();
    let seven = Duration::from_secs(7);
    assert_eq!((work.total, work.longest), (seven, seven));
}

#[tokio::test(start_paused = true)]
async fn slow_namespaces_share_one_half_and_unknown_ones_leave_a_quarter() {
    const EIGHT_SLOTS: usize = 8;
    for (of_strangers, count) in [(WriteHealth::Slow, 4), (WriteHealth::Unknown, 6)] {
        let queue = WorkQueue::default();
        let health = |namespace: &str| match namespace {
            "known" => WriteHealth::Answered,
            _ => of_strangers,
        };
        for i in 0..20 {
            queue.add(in_namespace(&format!("strange-{i}"), "x"));
        }
        let next = || queue.next(EIGHT_SLOTS, health).now_or_never();
        assert_eq!(std::iter::from_fn(next).count(), count, "{of_strangers:?}");
        queue.add(in_namespace("known", "x"));
        assert_eq!(next().unwrap().key.namespace, "known");
    }
}
