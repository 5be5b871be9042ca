//! One line for each occurrence: merges objects with their events, repetitions, and the same change
//! of several objects.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::moment::{Moment, What};
use super::order;

/// The operator posts an event soon after the change.
const SOON: SignedDuration = SignedDuration::from_secs(10);

/// The events that add something to the objects.
pub fn drop_known(told: Vec<Moment>, known: &[Moment], created: &[Moment]) -> Vec<Moment> {
    let created: HashMap<&str, Timestamp> = created
        .iter()
        .filter_map(|m| Some((m.names.first()?.as_str(), m.at)))
        .collect();
    let is_new = |event: &Moment| {
        let is_said = known.iter().any(|m| says(m, event));
        !is_said && !tells_of_creation(event, &created)
    };
    told.into_iter().filter(is_new).collect()
}

/// Whether the moment contains everything in the event.
fn says(moment: &Moment, event: &Moment) -> bool {
    // The recorder shortens long messages.
    let message = event.text.trim_end_matches('…');
    moment.told_by.iter().any(|said| {
        let is_same_text = said.text.starts_with(message) || message.starts_with(&said.text);
        let is_same_object = !said.is_at_the_time || moment.names == event.names;
        let is_near = event.at.duration_since(moment.at).abs() <= SOON;
        said.reason == event.reason
            && is_same_text
            && is_same_object
            && (is_near || !said.is_at_the_time)
    })
}

/// Whether the event reports only the creation of existing objects: "created 2 Pods: a, b".
fn tells_of_creation(event: &Moment, created: &HashMap<&str, Timestamp>) -> bool {
    let Some((done, names)) = event.text.split_once(": ") else {
        return false;
    };
    let is_alone = done.starts_with("created ") && !names.contains(';');
    let mut made = names
        .split(", ")
        .map(|name| {
            // "h and 3 more": the unnamed objects were created with the others.
            name.split_once(' ').map_or(name, |(name, _)| name)
        })
        .map(|name| created.get(name));
    is_alone && made.all(|at| at.is_some_and(|at| event.at.duration_since(*at).abs() <= SOON))
}

/// In order of time; repetitions and simultaneous changes are merged.
pub fn merge(moments: Vec<Moment>) -> Vec<Moment> {
    let mut all = merge_objects(merge_repeated(moments));
    all.sort_by(order::compare);
    all
}

/// Events with the same text about the same object are one, with a count.
fn merge_repeated(moments: Vec<Moment>) -> Vec<Moment> {
    let mut places = HashMap::new();
    let mut merged: Vec<Moment> = Vec::new();
    for moment in moments {
        if !matches!(moment.what, What::Event | What::Warning) {
            merged.push(moment);
            continue;
        }
        let object = (
            moment.kind.clone(),
            moment.names.clone(),
            moment.uid.clone(),
        );
        let key = (object, moment.reason.clone(), moment.text.clone());
        let place = *places.entry(key).or_insert(merged.len());
        match merged.get_mut(place) {
            None => merged.push(moment),
            Some(same) => repeat(same, &moment),
        }
    }
    merged
}

fn repeat(same: &mut Moment, moment: &Moment) {
    let last = same.last().max(moment.last());
    same.at = same.at.min(moment.at);
    same.until = (last > same.at).then_some(last);
    same.count = same.count.saturating_add(moment.count);
}

/// The same change of several objects of a kind within one second is one moment. Texts about a pod
/// name the pod, so texts that differ are dropped.
fn merge_objects(moments: Vec<Moment>) -> Vec<Moment> {
    let mut places: HashMap<(i64, What, String, String, String, i32), usize> = HashMap::new();
    let mut merged: Vec<Moment> = Vec::new();
    for moment in moments {
        let is_usual = moment.what == What::Event && moment.kind == "pod";
        let text = if is_usual { "" } else { &moment.text };
        let (second, kind) = (moment.at.as_second(), moment.kind.clone());
        let reason = moment.reason.clone();
        let key = (
            second,
            moment.what,
            kind,
            reason,
            text.to_owned(),
            moment.count,
        );
        let place = *places.entry(key).or_insert(merged.len());
        match merged.get_mut(place) {
            None => merged.push(moment),
            Some(same) => join(same, moment),
        }
    }
    merged
}

fn join(same: &mut Moment, moment: Moment) {
    if same.text != moment.text {
        same.text.clear();
    }
    let known: HashSet<&String> = same.names.iter().collect();
    let new: Vec<String> = moment
        .names
        .into_iter()
        .filter(|n| !known.contains(n))
        .collect();
    same.names.extend(new);
    same.names.sort_unstable();
    same.until = same.until.max(moment.until);
}
