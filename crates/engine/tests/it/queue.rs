//! The queue and the back-off.

use std::time::Duration;

use domain::Key;
use engine::queue::Queue;
use futures::{FutureExt, StreamExt};

fn key(name: &str) -> Key {
    Key::new("default", name)
}

#[tokio::test]
async fn holds_each_key_once_and_in_order() {
    let queue = Queue::default();
    for name in ["b", "a", "b", "a"] {
        queue.push(key(name));
    }
    assert_eq!(queue.len(), 2);
    let mut keys = Box::pin(queue.clone().keys());
    assert_eq!(keys.next().await, Some(key("b")));
    queue.push(key("b"));
    assert_eq!(keys.next().await, Some(key("a")));
    assert_eq!(
        keys.next().await,
        Some(key("b")),
        "a key that was taken may come again"
    );
}

#[tokio::test]
async fn wakes_a_consumer_that_waits() {
    let queue = Queue::default();
    let waiting = tokio::spawn(Box::pin(queue.clone().keys()).into_future());
    tokio::task::yield_now().await;
    queue.push(key("a"));
    assert_eq!(waiting.await.unwrap().0, Some(key("a")));
}

#[tokio::test(start_paused = true)]
async fn lets_a_key_rest_that_came_a_moment_ago() {
    const REST: Duration = Duration::from_millis(20);
    let queue = Queue::default();
    let mut keys = Box::pin(queue.clone().paced_keys(REST));
    let began = tokio::time::Instant::now();
    queue.push(key("a"));
    assert_eq!(keys.next().await, Some(key("a")));
    assert_eq!(began.elapsed(), Duration::ZERO, "the first comes at once");

    queue.push(key("a"));
    assert!(keys.next().now_or_never().is_none(), "it rests");
    queue.push(key("a"));
    queue.push(key("b"));
    assert_eq!(queue.len(), 2, "a key that rests waits, and waits once");
    assert_eq!(keys.next().await, Some(key("b")), "others pass it");
    assert_eq!(keys.next().await, Some(key("a")));
    assert_eq!(began.elapsed(), REST);
    assert!(queue.is_empty());
    assert!(keys.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn does_not_let_a_key_rest_that_came_long_ago() {
    const REST: Duration = Duration::from_millis(20);
    let queue = Queue::default();
    let mut keys = Box::pin(queue.clone().paced_keys(REST));
    queue.push(key("a"));
    assert_eq!(keys.next().await, Some(key("a")));
    tokio::time::advance(REST).await;
    queue.push(key("a"));
    assert_eq!(keys.next().now_or_never(), Some(Some(key("a"))));
}
