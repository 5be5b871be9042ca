//! The kubelet. Pods of training jobs end by themselves, with the kubelet's sequence of statuses;
//! many pods play a recording.

mod life;
mod play;
mod script;
mod status;
mod volume_delay;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::choice::pick_pod;
use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::{Rng, view};

pub(super) use life::crash;
pub(super) use play::mend;
pub use play::{Playing, played, recordings};

/// The command of a pod that never ends by itself.
pub const ENDLESS: [&str; 2] = ["sleep", "infinity"];

/// Pods with this annotation never become Ready again, nor do they end.
pub(super) const BROKEN: &str = "example.com/broken";

pub(super) fn is_broken(pod: &Value) -> bool {
    view::at(pod, "/metadata/annotations").is_some_and(|a| a.get(BROKEN).is_some())
}

/// Whether its containers are not started again: it belongs to a training job.
fn may_end(pod: &Value) -> bool {
    view::text(pod, "/spec/restartPolicy") == "Never"
}

/// Whether it never ends by itself.
pub fn is_endless(pod: &Value) -> bool {
    let command = view::at(pod, "/spec/containers/0/command");
    !may_end(pod) || command == Some(&json!(ENDLESS))
}

/// The kubelet starts one bound pod, continues its containers, or confirms the end of a deleted
/// one.
pub fn run_pods(store: &mut Store, rng: &mut Rng, playing: Playing) -> bool {
    let now = store.now;
    let has_work = |p: &Value| goes_on(p) && due(p).is_none_or(|at| at <= now);
    let Some(id) = pick_pod(store, rng, has_work) else {
        return false;
    };
    let Some(pod) = store.get(&id).cloned() else {
        return false;
    };
    if play::due(&pod).is_some() {
        play::play(store, &id, &pod);
    } else {
        run(store, rng, &id, &pod, playing);
    }
    true
}

/// The containers of a running pod of a job fail, just before a request about the pod is carried
/// out. Returns whether there were any.
pub fn end_containers(store: &mut Store, id: &Id) -> bool {
    /// A code that nothing else in the simulator has.
    const CODE: i32 = 6;
    let runs = |p: &Value| may_end(p) && view::is_ready(p) && play::due(p).is_none();
    let pod = store.get(id).filter(|p| runs(p)).cloned();
    if let Some(pod) = &pod {
        life::exit(store, id, pod, CODE);
    }
    pod.is_some()
}

/// When the kubelet continues with a pod that has nothing to do before.
pub fn next_due(store: &Store) -> Option<Timestamp> {
    let pods = store.all(Resource::Pod).map(|(_, pod)| &**pod);
    pods.filter(|pod| goes_on(pod))
        .filter_map(due)
        .filter(|at| *at > store.now)
        .min()
}

/// The time of the next recorded status, or the time at which a pod sees that it may start.
fn due(pod: &Value) -> Option<Timestamp> {
    play::due(pod).or_else(|| volume_delay::due(pod))
}

/// Whether the kubelet has work on the pod, now or later.
fn goes_on(pod: &Value) -> bool {
    let is_bound = !view::text(pod, "/spec/nodeName").is_empty();
    if !is_bound || view::is_terminating(pod) {
        return is_bound;
    }
    let has_more = !view::is_finished(pod) && (!view::is_ready(pod) || !is_endless(pod));
    let is_held = view::awaits_start(pod) && life::is_waiting(pod);
    !is_broken(pod) && !is_held && (play::due(pod).is_some() || has_more)
}

/// One step of a pod that plays no recording, or no longer plays one.
fn run(store: &mut Store, rng: &mut Rng, id: &Id, pod: &Value, playing: Playing) {
    let has_ended = !view::exit_codes(pod).is_empty();
    if view::is_terminating(pod) {
        life::stop(store, rng, id, pod);
    } else if view::awaits_start(pod) {
        life::wait(store, id);
    } else if may_end(pod) && has_ended {
        life::finish(store, id, pod);
    } else if may_end(pod) && view::is_ready(pod) {
        let code = life::exit_code(store, rng, pod);
        life::exit(store, id, pod, code);
    } else if is_new(pod) && life::is_waiting(pod) && volume_delay::miss(store, rng, id, playing) {
        // It sees later that it may start.
    } else if !is_new(pod) || !play::cast(store, rng, id, playing) {
        life::start(store, id);
    }
}

/// Whether no app container of it was ever seen, and it plays no recording.
fn is_new(pod: &Value) -> bool {
    let mut containers = view::list(pod, "/status/containerStatuses");
    containers.next().is_none() && !play::has_begun(pod)
}
