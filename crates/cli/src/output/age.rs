//! Times for people.

use std::fmt::Display;

use chrono::{DateTime, TimeZone};
use jiff::Timestamp;

/// How long ago, as kubectl says it: `45s`, `12m`, `5h`, `3d`.
pub fn age_of(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// A person's time zone.
pub trait Zone: TimeZone<Offset: Display> {}

impl<Z: TimeZone<Offset: Display>> Zone for Z {}

/// Date and time of day in a person's time zone, to the second.
pub fn local_time<Z: Zone>(at: Timestamp, zone: &Z) -> String {
    let utc = DateTime::from_timestamp(at.as_second(), 0).unwrap_or_default();
    let local = utc.with_timezone(zone);
    local.format("%Y-%m-%d %H:%M:%S").to_string()
}
