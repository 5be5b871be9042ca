//! How many routine events of one namespace are told.

use std::time::Duration;

use engine::event_budget::{BURST, EventBudget, PERIOD};
use tokio::time::advance;

/// How many of so many events in a row are told.
fn told(budget: &EventBudget, namespace: &str, events: u32) -> usize {
    (0..events).filter(|_| budget.take(namespace)).count()
}

#[tokio::test(start_paused = true)]
async fn a_burst_and_then_one_for_each_period() {
    let budget = EventBudget::default();
    assert_eq!(told(&budget, "a", 100), 10);
    assert_eq!(told(&budget, "a", 100), 0);
    let almost = PERIOD.checked_sub(Duration::from_millis(1)).unwrap();
    advance(almost).await;
    assert_eq!(told(&budget, "a", 100), 0);
    advance(Duration::from_millis(1)).await;
    assert_eq!(told(&budget, "a", 100), 1);
    advance(PERIOD * 3).await;
    assert_eq!(told(&budget, "a", 100), 3);
    advance(PERIOD * (BURST + 5)).await;
    assert_eq!(told(&budget, "a", 100), 10, "what is not used is not saved");
}

#[tokio::test(start_paused = true)]
async fn a_minute_of_events_is_a_burst_and_thirty() {
    let budget = EventBudget::default();
    let mut all = 0;
    for _ in 0..600 {
        advance(Duration::from_millis(100)).await;
        all += told(&budget, "a", 10);
    }
    assert_eq!(all, 39);
}

#[tokio::test(start_paused = true)]
async fn one_tenant_takes_nothing_from_another() {
    let budget = EventBudget::default();
    assert_eq!(told(&budget, "a", 1000), 10);
    assert_eq!(told(&budget, "b", 5), 5);
    advance(PERIOD).await;
    assert_eq!(told(&budget, "a", 1000), 1);
    assert_eq!(told(&budget, "b", 1000), 6);
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
