//! The latest events about the objects of the chain that belong to the cause.

use api::conditions::Reason;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Event as FullEvent;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::explain::answer::{Event, Link};
use crate::workload::event;

/// Events that are listed of one object.
const MOST: usize = 3;
/// The event of the change itself comes this much later at most.
const A_MOMENT: SignedDuration = SignedDuration::from_secs(5);

/// When an event about the object first had that reason after its condition got its status.
pub fn first_report(
    object: &ObjectMeta,
    reason: &str,
    since: Option<Timestamp>,
    events: &[FullEvent],
) -> Option<Timestamp> {
    let about = |e: &&FullEvent| object.uid.is_some() && e.involved_object.uid == object.uid;
    let of_reason = events.iter().filter(about);
    let of_reason = of_reason.filter(|e| event::reason(e) == reason);
    let times = of_reason.filter_map(event::first_time);
    let is_later = |at: &Timestamp| since.is_none_or(|since| at.duration_since(since) > A_MOMENT);
    times.filter(is_later).min()
}

/// The latest event of each reason, object after object: of a pod all warnings, or else its last
/// event; of its owners only events about the cause, because others may be about an older one.
pub fn latest(chain: &[Link], events: &[FullEvent], reason: Option<Reason>) -> Vec<Event> {
    chain
        .iter()
        .flat_map(|link| of_object(link, events, reason))
        .collect()
}

fn of_object(link: &Link, events: &[FullEvent], reason: Option<Reason>) -> Vec<Event> {
    let about = |e: &&FullEvent| link.uid.is_some() && e.involved_object.uid == link.uid;
    let mut own: Vec<&FullEvent> = events.iter().filter(about).collect();
    own.sort_by_key(|e| std::cmp::Reverse(event::last_time(e)));
    let mut chosen: Vec<&FullEvent> = Vec::new();
    for event in &own {
        let is_known = chosen.iter().any(|e| e.reason == event.reason);
        if !is_known && belongs(link, event, reason) {
            chosen.push(event);
        }
    }
    if chosen.is_empty() && link.kind == "Pod" {
        chosen.extend(own.first());
    }
    chosen
        .into_iter()
        .take(MOST)
        .map(|e| shorten(link, e))
        .collect()
}

fn belongs(link: &Link, event: &FullEvent, reason: Option<Reason>) -> bool {
    let word = reason.map(<&str>::from);
    let is_refusal = matches!(
        reason,
        Some(
            Reason::NameTaken
                | Reason::QuotaExceeded
                | Reason::ServiceAccountMissing
                | Reason::PriorityClassMissing
                | Reason::RequestRefused
        )
    );
    match link.kind {
        "Pod" => event::is_warning(event),
        "PodCliqueSet" => event.reason.as_deref() == word,
        _ => is_refusal && event::is_warning(event),
    }
}

fn shorten(link: &Link, event: &FullEvent) -> Event {
    Event {
        object: format!("{}/{}", link.kind.to_lowercase(), link.name),
        type_: event.type_.clone().unwrap_or_default(),
        reason: event::reason(event).to_owned(),
        message: event::message(event),
        count: event::count(event),
        last: event::last_time(event),
    }
}
