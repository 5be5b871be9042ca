//! Carries out a plan: wave after wave, the actions of a wave at once, each with its precondition.
//!
//! No action relies on the success of another, only on what was observed: so what is refused
//! stops its own kind of write and nothing else. A server that does not answer, or asks to wait,
//! stops everything, and so does an object that cannot be read: the rest was decided as if it were
//! not there.

use std::collections::BTreeSet;
use std::time::Duration;

use api::{LastError, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, codes, labels};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{Action, Kind, Object, Purpose, Target};
use domain::{Key, Pod};
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use crate::backoff::Class;
use crate::hub::Hub;
use crate::metrics::ByAction;
use crate::requests::RequestError;
use crate::routes::Watched;

/// Writes in flight per reconcile.
const WIDTH: usize = 16;
/// Errors kept per object; the rest is alike.
const ERRORS_KEPT: usize = 5;
/// Live reads after one decision; what is left is read after the next.
const MOST_READS: usize = 64;

/// A write that was refused or failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What was asked for, and of which kind.
    pub class: Class,
    /// Whether its name is taken by an object of somebody else.
    pub is_name_conflict: bool,
    /// Whether the API server said no, rather than nothing.
    pub is_refused: bool,
    /// How long the API server asks to wait.
    pub after: Duration,
    /// The same for the status.
    pub error: LastError,
}

/// What became of a plan's waves.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was done: verb, kind, name.
    pub done: Vec<(&'static str, Kind, String)>,
    /// What for, where that is not plain from what was done.
    pub purposes: BTreeSet<Purpose>,
    /// What was refused or failed.
    pub failures: Vec<Failed>,
    /// Objects that changed under us; decide again once their newer version is known.
    pub conflicts: Vec<(Kind, Key)>,
    /// Writes that were left out because their like failed.
    pub is_cut_short: bool,
    /// Whether the API server asked to wait.
    pub is_throttled: bool,
    /// Whether the namespace is being deleted: nothing is created there any more.
    pub namespace_ends: bool,
    failed: BTreeSet<Class>,
    is_unavailable: bool,
}

impl Outcome {
    /// Whether every action did what was asked.
    pub fn is_complete(&self) -> bool {
        !self.has_failed() && !self.is_cut_short
    }

    /// Classes of the writes that were done.
    pub fn classes_done(&self) -> BTreeSet<Class> {
        let done = self.done.iter();
        done.map(|(verb, kind, _)| (*verb, *kind)).collect()
    }

    /// Whether some action did not do what was asked.
    pub fn has_failed(&self) -> bool {
        !self.failed.is_empty() || !self.conflicts.is_empty()
    }

    /// In one word, for metrics.
    pub fn result(&self) -> &'static str {
        match (self.failures.is_empty(), self.has_failed()) {
            (false, _) => "error",
            (true, true) => "conflict",
            (true, false) => "ok",
        }
    }

    /// Classes of writes that failed.
    pub fn failed_classes(&self) -> &BTreeSet<Class> {
        &self.failed
    }

    /// What the status says of it.
    pub fn errors(&self) -> impl Iterator<Item = &LastError> {
        self.failures.iter().map(|failed| &failed.error)
    }

    /// Whether it is of use to try an action after all that has failed up to now.
    fn allows(&self, action: &Action) -> bool {
        let is_futile = self.namespace_ends && matches!(action, Action::Create(_));
        !self.is_unavailable && !is_futile
    }

    /// Notes a failure of that class.
    pub fn fail(
        &mut self,
        class: Class,
        code: String,
        error: &RequestError,
        text: String,
        now: Timestamp,
    ) {
        self.failed.insert(class);
        let after = match error {
            RequestError::Throttled { after, .. } => *after,
            _ => Duration::ZERO,
        };
        self.is_throttled |= matches!(error, RequestError::Throttled { .. });
        self.is_unavailable |= !error.is_refusal();
        let is_new = !self.failures.iter().any(|failed| failed.class == class);
        if is_new || self.failures.len() < ERRORS_KEPT {
            self.failures.push(Failed {
                class,
                is_name_conflict: matches!(error, RequestError::NameConflict { .. }),
                is_refused: error.is_refusal(),
                after,
                error: LastError {
                    code,
                    description: text,
                    observed_at: Time(now),
                },
            });
        }
    }
}

/// Carries out `waves` but for the classes of writes in `blocked`.
pub async fn perform(
    hub: &Hub,
    waves: &[Vec<Action>],
    blocked: &BTreeSet<Class>,
    now: Timestamp,
) -> Outcome {
    let mut outcome = Outcome::default();
    for wave in waves {
        // One pod first: what refuses it (a quota, a missing ServiceAccount) refuses the rest too.
        let is_of_pods = matches!(wave.first(), Some(Action::Create(Object::Pod(_))));
        let (first, rest) = wave.split_at(usize::from(is_of_pods));
        for part in [first, rest] {
            carry_out(hub, part, blocked, now, &mut outcome).await;
            if outcome.is_unavailable {
                return outcome;
            }
        }
    }
    outcome
}

/// Carries out actions, some at once. What is refused to one may be granted to another, so all of
/// a kind are tried; but where nothing can be written the rest is left.
async fn carry_out(
    hub: &Hub,
    actions: &[Action],
    blocked: &BTreeSet<Class>,
    now: Timestamp,
    outcome: &mut Outcome,
) {
    let failed_before = outcome.failed.clone();
    let mut waiting = actions.iter();
    let mut under_way = FuturesUnordered::new();
    loop {
        while under_way.len() < WIDTH {
            let Some(action) = waiting.next() else { break };
            let class = class(action);
            let is_blocked = blocked.contains(&class) || failed_before.contains(&class);
            if !is_blocked && outcome.allows(action) {
                under_way.push(attempt(hub, action));
            } else {
                outcome.is_cut_short = true;
            }
        }
        let Some((action, result)) = under_way.next().await else {
            return;
        };
        note(hub, outcome, action, result, now);
    }
}

fn class(action: &Action) -> Class {
    (action.verb(), action.kind())
}

async fn attempt<'a>(hub: &Hub, action: &'a Action) -> (&'a Action, Result<(), RequestError>) {
    (action, run(hub, action).await)
}

fn note(
    hub: &Hub,
    outcome: &mut Outcome,
    action: &Action,
    result: Result<(), RequestError>,
    now: Timestamp,
) {
    let label = match &result {
        Ok(()) => "ok",
        Err(RequestError::Conflict | RequestError::NotFound | RequestError::NamespaceEnds) => {
            "conflict"
        }
        Err(_) => "error",
    };
    let labels = ByAction {
        kind: action.kind().into(),
        action: action.verb(),
        result: label,
    };
    hub.metrics.actions.get_or_create(&labels).inc();
    let key = action.key();
    match result {
        Ok(()) => {
            outcome.purposes.extend(action.purpose());
            outcome.done.push((action.verb(), action.kind(), key.name));
        }
        Err(RequestError::Conflict | RequestError::NotFound) => {
            outcome.conflicts.push((action.kind(), key));
        }
        Err(RequestError::NamespaceEnds) => {
            outcome.namespace_ends = true;
            outcome.failed.insert(class(action));
        }
        Err(error) => fail(outcome, action, &key, &error, now),
    }
}

fn fail(outcome: &mut Outcome, action: &Action, key: &Key, error: &RequestError, now: Timestamp) {
    tracing::warn!(action = action.verb(), kind = %action.kind(), %key, %error, "write failed");
    let text = format!("{} {} {}: {error}", action.verb(), action.kind(), key.name);
    let code = match error {
        RequestError::NameConflict { .. } => codes::NAME_CONFLICT.to_owned(),
        RequestError::Unavailable(_) => codes::API_UNAVAILABLE.to_owned(),
        RequestError::Throttled { .. } => codes::API_THROTTLED.to_owned(),
        _ => code(action),
    };
    outcome.fail(class(action), code, error, text, now);
}

/// `ERR_CREATE_POD` and the like (Grove, §12.2).
fn code(action: &Action) -> String {
    let kind = action.kind().to_string().to_uppercase();
    match action {
        Action::Create(_) => format!("ERR_CREATE_{kind}"),
        Action::Delete { .. } => format!("ERR_DELETE_{kind}"),
        Action::Patch {
            purpose: Purpose::RemoveGate,
            ..
        } => codes::REMOVE_POD_SCHEDULING_GATE.to_owned(),
        _ => format!("ERR_SYNC_{kind}"),
    }
}

async fn run(hub: &Hub, action: &Action) -> Result<(), RequestError> {
    match action {
        Action::Create(object) => create_any(hub, object).await,
        Action::Replace(object) => replace_any(hub, object).await,
        Action::Merge { target, patch } => merge_any(hub, target, patch).await,
        Action::Patch {
            target, operations, ..
        } => {
            let pod: Pod = hub.requests.json_patch(&target.key, operations).await?;
            hub.wrote(pod);
            Ok(())
        }
        Action::Delete {
            target,
            resource_version,
            ..
        } => delete_any(hub, target, resource_version.as_deref()).await,
        Action::Finalizers {
            target,
            resource_version,
            finalizers,
        } => {
            let patch = json!({"metadata": {
                "uid": target.uid,
                "resourceVersion": resource_version,
                "finalizers": finalizers,
            }});
            merge_any(hub, target, &patch).await
        }
    }
}

async fn create_any(hub: &Hub, object: &Object) -> Result<(), RequestError> {
    match object {
        Object::PodCliqueScalingGroup(o) => create::<PodCliqueScalingGroup, _>(hub, &**o).await,
        Object::PodClique(o) => create::<PodClique, _>(hub, &**o).await,
        Object::PodGang(o) => create::<PodGang, _>(hub, &**o).await,
        Object::Pod(o) => create::<Pod, _>(hub, &**o).await,
        Object::Service(o) => create::<Service, _>(hub, &**o).await,
    }
}

/// POST. If the name is taken by an object of the same owner that stays, an earlier answer was
/// lost and all is well; the object as it is goes into the cache.
async fn create<R, B>(hub: &Hub, body: &B) -> Result<(), RequestError>
where
    R: Watched,
    B: Resource<DynamicType = ()> + Serialize,
{
    let key = Key::of(body.meta());
    R::cache(&hub.world).will_create(body.meta());
    let answer = hub.requests.create::<R, B>(&key.namespace, body).await;
    let result = match answer {
        Ok(object) => {
            hub.wrote(object);
            Ok(())
        }
        Err(RequestError::AlreadyExists) => look_at_holder::<R, B>(hub, &key, body).await,
        Err(error @ RequestError::Unavailable(_)) => {
            hub.may_have_created::<R>(&key);
            return Err(error);
        }
        Err(error) => Err(error),
    };
    hub.was_answered::<R>(&key);
    result
}

/// Who holds the name that we wanted.
async fn look_at_holder<R, B>(hub: &Hub, key: &Key, body: &B) -> Result<(), RequestError>
where
    R: Watched,
    B: Resource<DynamicType = ()>,
{
    let holder: R = hub.requests.get(key).await?;
    let owner = ownership::controller(body.meta()).map_or("", |o| o.uid.as_str());
    let is_ours = ownership::is_controlled_by(holder.meta(), owner)
        && index(holder.meta()) == index(body.meta());
    let stays = !ownership::is_terminating(holder.meta());
    let holder_of_name = describe(holder.meta());
    if R::KIND == Kind::Pod && !(is_ours && stays) {
        // The next decision takes another name.
        hub.world.note_taken(body.meta());
        return Err(RequestError::Conflict);
    }
    // What belongs to others is told and not followed.
    if is_ours || hub.world.is_concerned(holder.meta()) {
        hub.wrote(holder);
    }
    match (is_ours, stays) {
        (true, true) => Ok(()),
        (_, false) => Err(RequestError::Conflict),
        (false, true) => Err(RequestError::NameConflict {
            holder: holder_of_name,
        }),
    }
}

fn index(meta: &ObjectMeta) -> Option<&str> {
    ownership::label(meta, labels::POD_INDEX)
}

fn describe(meta: &ObjectMeta) -> String {
    let nobody = || match Attempt::of(meta) {
        Attempt { set: 0, group: 0 } => "nobody".to_owned(),
        of => format!("nobody (of attempt {}, group attempt {})", of.set, of.group),
    };
    ownership::controller(meta)
        .map_or_else(nobody, |o| format!("{} {} (uid {})", o.kind, o.name, o.uid))
}

async fn replace_any(hub: &Hub, object: &Object) -> Result<(), RequestError> {
    match object {
        Object::PodCliqueScalingGroup(o) => replace(hub, &**o).await,
        Object::PodClique(o) => replace(hub, &**o).await,
        Object::PodGang(o) => replace(hub, &**o).await,
        Object::Pod(_) => Err(never(object)),
        Object::Service(o) => replace(hub, &**o).await,
    }
}

fn never(object: &Object) -> RequestError {
    let message = format!("a {} is never replaced as a whole", object.kind());
    RequestError::Refused { code: 400, message }
}

async fn replace<K: Watched + Serialize>(hub: &Hub, object: &K) -> Result<(), RequestError> {
    let written: K = hub
        .requests
        .replace(&Key::of(object.meta()), object)
        .await?;
    hub.wrote(written);
    Ok(())
}

macro_rules! by_kind {
    ($target:expr, $f:ident ( $($arg:expr),* )) => {
        match $target.kind {
            Kind::PodCliqueSet => $f::<PodCliqueSet>($($arg),*).await,
            Kind::PodCliqueScalingGroup => $f::<PodCliqueScalingGroup>($($arg),*).await,
            Kind::PodClique => $f::<PodClique>($($arg),*).await,
            Kind::PodGang => $f::<PodGang>($($arg),*).await,
            Kind::Pod => $f::<Pod>($($arg),*).await,
            Kind::Service => $f::<Service>($($arg),*).await,
        }
    };
}

async fn merge_any(hub: &Hub, target: &Target, patch: &Value) -> Result<(), RequestError> {
    by_kind!(target, merge(hub, target, patch))
}

async fn merge<K: Watched>(hub: &Hub, target: &Target, patch: &Value) -> Result<(), RequestError> {
    // With the uid, or another's object that took the name meanwhile would be meant too.
    let mut patch = patch.clone();
    json_patch::merge(&mut patch, &json!({"metadata": {"uid": target.uid}}));
    let written: K = hub.requests.merge(&target.key, &patch).await?;
    // An object without finalizers may be gone with this very write: the answer is then its last
    // state, and only the watch tells that it is gone.
    if !ownership::is_terminating(written.meta()) {
        hub.wrote(written);
    }
    Ok(())
}

async fn delete_any(hub: &Hub, target: &Target, version: Option<&str>) -> Result<(), RequestError> {
    by_kind!(target, delete(hub, target, version))
}

async fn delete<K: Watched>(
    hub: &Hub,
    target: &Target,
    version: Option<&str>,
) -> Result<(), RequestError> {
    let cache = K::cache(&hub.world);
    let (key, uid) = (&target.key, &target.uid);
    cache.will_delete(uid);
    match hub.requests.delete::<K>(key, uid, version).await {
        Ok(()) => {
            hub.wrote_delete::<K>(key, uid);
            Ok(())
        }
        Err(error) => {
            cache.did_not_delete(uid);
            Err(error)
        }
    }
}

/// Reads live what changed under us, some at once, until the API server does not answer.
pub async fn refresh_all(hub: &Hub, changed: &[(Kind, Key)]) {
    let reads = changed.iter().take(MOST_READS);
    let reads: Vec<_> = reads
        .map(|(kind, key)| refresh_any(hub, *kind, key).boxed())
        .collect();
    let mut reads = stream::iter(reads).buffer_unordered(WIDTH);
    while let Some(is_answered) = reads.next().await {
        if !is_answered {
            return;
        }
    }
}

async fn refresh_any(hub: &Hub, kind: Kind, key: &Key) -> bool {
    let target = Target {
        kind,
        key: key.clone(),
        uid: String::new(),
    };
    by_kind!(target, refresh(hub, &target.key))
}

async fn refresh<K: Watched>(hub: &Hub, key: &Key) -> bool {
    hub.refresh::<K>(key).await
}
