//! Events of both APIs: one has counts and two times, the other a series.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;

/// Time of the first occurrence.
pub fn first_time(event: &Event) -> Option<Timestamp> {
    event
        .first_timestamp
        .as_ref()
        .map(|t| t.0)
        .or_else(|| event.event_time.as_ref().map(|t| t.0))
        .or_else(|| event.metadata.creation_timestamp.as_ref().map(|t| t.0))
}

/// Time of the last occurrence.
pub fn last_time(event: &Event) -> Option<Timestamp> {
    let series = event.series.as_ref();
    let repeated = series.and_then(|s| s.last_observed_time.as_ref());
    let last = event.last_timestamp.as_ref().map(|t| t.0);
    repeated.map(|t| t.0).or(last).or_else(|| first_time(event))
}

/// Number of occurrences.
pub fn count(event: &Event) -> i32 {
    let series = event.series.as_ref().and_then(|s| s.count);
    series.or(event.count).unwrap_or(1).max(1)
}

/// Whether it needs attention.
pub fn is_warning(event: &Event) -> bool {
    event.type_.as_deref() == Some("Warning")
}

/// Its reason.
pub fn reason(event: &Event) -> &str {
    event.reason.as_deref().unwrap_or_default()
}

/// Its message, in one line.
pub fn message(event: &Event) -> String {
    let message = event.message.as_deref().unwrap_or_default();
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
