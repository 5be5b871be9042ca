//! Pods that play a recording: its name and progress are stored on the pod.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::script::{SCRIPTS, Scene, Script, policy};
use super::{is_endless, may_end, status};
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// Annotation of pods that play a recording: name, scenes played, time of the last one, tempo, and
/// whether the end has begun.
const PLAYED: &str = "example.com/recording";

/// The recordings that the kubelet plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playing {
    /// None: pods start at once, and end in two steps.
    Nothing,
    /// Any recording.
    Anything,
    /// Recordings after which pods run or have ended.
    WhatSettles,
}

/// In this many of a thousand pods the kubelet plays a recording.
const PLAYED_BY: usize = 500;
/// In this many of a thousand of these the first choice counts even if the recording ends badly.
const BAD_BY: usize = 400;
/// Thousandths of the recorded time: machines are loaded to a varying degree.
const TEMPI: [i64; 3] = [50, 300, 1000];

/// The progress of a pod.
struct Progress {
    script: &'static Script,
    next: usize,
    at: Timestamp,
    tempo: i64,
    is_ending: bool,
}

impl Progress {
    fn of(pod: &Value) -> Option<Self> {
        let written = view::annotation(pod, PLAYED);
        let [name, next, at, tempo, is_ending] =
            written.split(' ').collect::<Vec<_>>().try_into().ok()?;
        Some(Self {
            script: SCRIPTS.iter().find(|s| s.name == name)?,
            next: next.parse().ok()?,
            at: at.parse().ok()?,
            tempo: tempo.parse().ok()?,
            is_ending: is_ending.parse().ok()?,
        })
    }

    fn write(&self) -> String {
        let (name, next, at) = (&self.script.name, self.next, self.at);
        format!("{name} {next} {at} {} {}", self.tempo, self.is_ending)
    }

    fn scenes(&self) -> &'static [Scene] {
        if self.is_ending {
            &self.script.end
        } else {
            &self.script.life
        }
    }

    /// When the next scene is played, or the pod disappears.
    fn due(&self, pod: &Value) -> Option<Timestamp> {
        if view::is_terminating(pod) && !self.is_ending {
            return Some(self.at);
        }
        let Some(next) = self.scenes().get(self.next) else {
            let goes = self.is_ending || (self.script.is_evicted && view::is_live(pod));
            return goes.then_some(self.at);
        };
        // A container that has ended does not run again.
        let is_possible = !view::is_finished(pod) || has_ended(&next.status) || self.is_ending;
        is_possible.then(|| self.at + self.stretch(next.after))
    }

    fn stretch(&self, time: SignedDuration) -> SignedDuration {
        let milliseconds = i64::try_from(time.as_millis()).unwrap_or(0);
        SignedDuration::from_millis(milliseconds * self.tempo / 1000)
    }
}

fn has_ended(status: &Value) -> bool {
    matches!(view::text(status, "/phase"), "Succeeded" | "Failed")
}

/// Whether its containers have ended and are not started again.
fn is_over(pod: &Value) -> bool {
    let mut states = view::list(pod, "/status/containerStatuses").peekable();
    let has_containers = states.peek().is_some();
    let may_restart = |c: &Value| match policy(pod) {
        "Never" => false,
        "OnFailure" => view::number(c, "/state/terminated/exitCode") != 0,
        _ => true,
    };
    let mut states = states;
    has_containers && states.all(|c| c["state"].get("terminated").is_some() && !may_restart(c))
}

/// All recordings that pods play.
pub fn recordings() -> impl Iterator<Item = &'static str> {
    SCRIPTS.iter().map(|script| script.name.as_str())
}

/// The recording that the pod plays.
pub fn played(pod: &Value) -> Option<&'static str> {
    Progress::of(pod).map(|progress| progress.script.name.as_str())
}

/// When the kubelet writes the next status of the pod, if it plays a recording that goes on.
pub(super) fn due(pod: &Value) -> Option<Timestamp> {
    let is_stopped = view::is_terminating(pod) && is_over(pod);
    let progress = Progress::of(pod).filter(|_| !is_stopped)?;
    progress.due(pod)
}

/// Whether the pod has begun to play a recording, or has played one.
pub(super) fn has_begun(pod: &Value) -> bool {
    !view::annotation(pod, PLAYED).is_empty()
}

/// A pod that has just got its node may play a recording; returns whether it does.
pub(super) fn cast(store: &mut Store, rng: &mut Rng, id: &Id, playing: Playing) -> bool {
    let Some(pod) = store.get(id).cloned() else {
        return false;
    };
    if playing == Playing::Nothing || !rng.chance(PLAYED_BY) {
        return false;
    }
    let is_meant = |s: &&Script| {
        let is_allowed = playing == Playing::Anything || s.settles();
        let is_possible = !(s.ends() && may_end(&pod) && is_endless(&pod));
        s.suits(&pod) && is_allowed && is_possible
    };
    let all: Vec<&Script> = SCRIPTS.iter().filter(is_meant).collect();
    // Most pods behave well.
    let may_be_bad = rng.chance(BAD_BY);
    let script = rng
        .pick(&all)
        .copied()
        .filter(|s| may_be_bad || !s.is_bad())
        .or_else(|| rng.pick(&all).copied());
    let tempo = rng.pick(&TEMPI).copied().unwrap_or(0);
    let Some(script) = script else {
        return false;
    };
    let (next, at, is_ending) = (0, store.now, false);
    let progress = Progress {
        script,
        next,
        at,
        tempo,
        is_ending,
    };
    store.edit("kubelet", id, |pod| {
        pod["metadata"]["annotations"][PLAYED] = json!(progress.write());
    });
    true
}

/// The next scene of a pod for which one is due.
pub(super) fn play(store: &mut Store, id: &Id, pod: &Value) {
    let Some(mut progress) = Progress::of(pod) else {
        return;
    };
    if view::is_terminating(pod) && !progress.is_ending {
        (progress.is_ending, progress.next) = (true, 0);
    }
    let Some(scene) = progress.scenes().get(progress.next) else {
        return leave(store, id, progress.is_ending);
    };
    let (since, now) = (progress.at, store.now);
    (progress.at, progress.next) = (now, progress.next + 1);
    store.edit("kubelet", id, |pod| {
        pod["status"] = status::translate(scene, pod, since, now);
        pod["metadata"]["annotations"][PLAYED] = json!(progress.write());
    });
}

/// The pod disappears, or gets a signal to end.
fn leave(store: &mut Store, id: &Id, has_ended: bool) {
    if !has_ended {
        return store.remove("cluster", id);
    }
    let path = format!("{}/{}", id.resource.path(&id.namespace), id.name);
    let now = json!({"gracePeriodSeconds": 0});
    store.handle("kubelet", &Call::new("DELETE", &path, now));
}

/// Pods whose recording does not settle stop playing: the causes are repaired.
pub fn mend(store: &mut Store) {
    let unsettled = |p: &Value| Progress::of(p).is_some_and(|p| !p.script.settles());
    let pods = store.all(Resource::Pod).filter(|(_, p)| unsettled(p));
    let ids: Vec<Id> = pods.map(|(id, _)| id.clone()).collect();
    for id in ids {
        store.edit("kubelet", &id, |pod| {
            if let Some(annotations) = pod["metadata"]["annotations"].as_object_mut() {
                annotations.remove(PLAYED);
            }
        });
    }
}
