//! The budget of routine events of one namespace.

use std::time::Duration;

use engine::event_budget::{BURST, EventBudget, PERIOD};
use tokio::time::advance;

/// How many of this many events in a row are posted.
fn count_posted(budget: &EventBudget, namespace: &str, events: u32) -> usize {
    (0..events).filter(|_| budget.take(namespace)).count()
}

#[tokio::test(start_paused = true)]
async fn a_burst_and_then_one_for_each_period() {
    let budget = EventBudget::default();
    assert_eq!(count_posted(&budget, "a", 100), 10);
    assert_eq!(count_posted(&budget, "a", 100), 0);
    let almost = PERIOD.checked_sub(Duration::from_millis(1)).unwrap();
    advance(almost).await;
    assert_eq!(count_posted(&budget, "a", 100), 0);
    advance(Duration::from_millis(1)).await;
    assert_eq!(count_posted(&budget, "a", 100), 1);
    advance(PERIOD * 3).await;
    assert_eq!(count_posted(&budget, "a", 100), 3);
    advance(PERIOD * (BURST + 5)).await;
    assert_eq!(
        count_posted(&budget, "a", 100),
        10,
        "an unused budget is not saved"
    );
}

#[tokio::test(start_paused = true)]
async fn a_minute_of_events_is_a_burst_and_thirty() {
    let budget = EventBudget::default();
    let mut all = 0;
    for _ in 0..600 {
        advance(Duration::from_millis(100)).await;
        all += count_posted(&budget, "a", 10);
    }
    assert_eq!(all, 39);
}

#[tokio::test(start_paused = true)]
async fn one_tenant_takes_nothing_from_another() {
    let budget = EventBudget::default();
    assert_eq!(count_posted(&budget, "a", 1000), 10);
    assert_eq!(count_posted(&budget, "b", 5), 5);
    advance(PERIOD).await;
    assert_eq!(count_posted(&budget, "a", 1000), 1);
    assert_eq!(count_posted(&budget, "b", 1000), 6);
}

#[tokio::test(start_paused = true)]
async fn namespaces_that_are_at_rest_are_forgotten() {
    let budget = EventBudget::default();
    for round in 0..50 {
        for number in 0..100 {
            assert!(budget.take(&format!("{round}-{number}")));
        }
        advance(PERIOD).await;
    }
    let most = usize::try_from(2 * BURST * 100).unwrap();
    assert!(budget.remembered() <= most, "{}", budget.remembered());
    advance(PERIOD * BURST).await;
    assert!(budget.take("last"));
    assert_eq!(budget.remembered(), 1);
}
