//! I53: with `Coherent` the targets that the set stores break no version of the replica in turn. After a
//! step each version has its minimum of every part, or nothing of any; and a target only falls while
//! the templates stay.
//!
//! Losses may break a version, and a part with fewer than two minimums has no room for two of them. So
//! only steps of a replica of which every unit is up are judged, and which the operator knew.

mod part;

use serde_json::Value;

use self::part::{Part, read_part};
use super::units::{is_coherent, target, targets};
use super::updates::turn;
use super::window::Window;
use super::{Checked, demand};
use crate::store::Record;
use crate::view;

/// The operator stores a status of the set.
pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let Some(replica) = turn(after).filter(|_| is_coherent(after)) else {
        return Ok(());
    };
    if is_same_turn(before, after) {
        check_fall(before, after)?;
    }
    if targets(before).eq(targets(after)) {
        return Ok(());
    }
    let parts = targets(after).map(|target| read_part(window, after, replica, target));
    let Some(parts) = parts.collect::<Option<Vec<Part>>>() else {
        return Ok(());
    };
    check_versions(view::name(after), &parts)
}

/// Whether the turn goes on with the same templates.
fn is_same_turn(before: &Value, after: &Value) -> bool {
    let same = |path: &str| view::at(before, path) == view::at(after, path);
    same("/status/updateProgress/currentlyUpdating/0/replicaIndex")
        && same("/status/updateProgress/currentlyUpdating/0/updateStartedAt")
        && same("/status/currentGenerationHash")
}

fn check_fall(before: &Value, after: &Value) -> Checked {
    for stored in targets(after) {
        let (name, is) = (
            view::text(stored, "/component"),
            view::number(stored, "/from"),
        );
        let Some(was) = target(before, name) else {
            continue;
        };
        demand(is <= was, "I53", || {
            let set = view::name(after);
            format!("{set}: the target of {name} rose from {was} to {is}")
        })?;
    }
    Ok(())
}

/// The units of one version in a part, and the part's minimum.
type Share = (i64, i64);

fn check_versions(set: &str, parts: &[Part]) -> Checked {
    if parts.iter().any(|part| part.all < 2 * part.minimum) {
        return Ok(());
    }
    let shares = |count: fn(&Part) -> i64| -> Vec<Share> {
        let all = parts.iter();
        all.map(|part| (count(part), part.minimum)).collect()
    };
    let old = [shares(Part::count_old), shares(Part::count_old_after)];
    let new = [shares(Part::count_new), shares(Part::count_new_after)];
    for (version, [now, then]) in [("old", old), ("new", new)] {
        let is_kept = !is_whole_or_absent(&now) || is_whole_or_absent(&then);
        demand(is_kept, "I53", || {
            let names: Vec<&str> = parts.iter().map(|part| &*part.name).collect();
            format!("{set}: a step of {names:?} leaves {then:?} {version} units and minimums")
        })?;
    }
    Ok(())
}

fn is_whole_or_absent(shares: &[Share]) -> bool {
    let is_whole = shares.iter().all(|(count, minimum)| count >= minimum);
    is_whole || shares.iter().all(|(count, _)| *count == 0)
}
