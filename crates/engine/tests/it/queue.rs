//! The queue and the back-off.

use std::time::Duration;

use domain::Key;
use engine::backoff::Backoff;
use engine::queue::Queue;
use futures::StreamExt;

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

#[test]
fn waits_longer_each_time_up_to_five_seconds_and_forgets_on_success() {
    let backoff = Backoff::default();
    let waits: Vec<u128> = (0..9)
        .map(|_| backoff.failed(&key("a")).1.as_millis())
        .collect();
    assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    assert_eq!(
        backoff.failed(&key("b")).1,
        Duration::from_millis(50),
        "each object alone"
    );
    backoff.succeeded(&key("a"));
    assert_eq!(backoff.failed(&key("a")), (1, Duration::from_millis(50)));
}
