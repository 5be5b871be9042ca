//! Carries out a plan: wave after wave, the actions of a wave at once, each with its precondition.
//!
//! No action relies on the success of another, only on what was observed: so what is refused
//! stops its own kind of write and nothing else. A server that does not answer stops everything,
//! and so does an object that cannot be read: the rest was decided as if it were not there.

use std::collections::BTreeSet;

use api::labels;
use api::{LastError, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::fence::Attempt;
use domain::plan::{Action, Kind, Object, Target};
use domain::readiness::{ERR_API_UNAVAILABLE, ERR_NAME_CONFLICT};
use domain::{Key, Pod, ownership};
use futures::{FutureExt, StreamExt, stream};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
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

/// A write that was refused or failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What was asked for.
    pub verb: &'static str,
    /// Kind of the object.
    pub kind: Kind,
    /// Whether its name is taken by an object of somebody else.
    pub is_name_conflict: bool,
    /// Words for the user.
    pub message: String,
}

/// What became of a plan's waves.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was done: verb, kind, name.
    pub done: Vec<(&'static str, Kind, String)>,
    /// Why, where that is not plain from what was done.
    pub whys: BTreeSet<&'static str>,
    /// What was refused or failed.
    pub failures: Vec<Failed>,
    /// The same for the status.
    pub errors: Vec<LastError>,
    /// Objects that changed under us; decide again once their newer version is known.
    pub conflicts: Vec<(Kind, Key)>,
    /// Writes that were left out because their like failed.
    pub is_cut_short: bool,
    /// Whether the API server said no, rather than nothing.
    pub is_refused: bool,
    is_unavailable: bool,
}

impl Outcome {
    /// Whether every action did what was asked.
    pub fn is_complete(&self) -> bool {
        self.failures.is_empty() && self.conflicts.is_empty() && !self.is_cut_short
    }

    /// In one word, for metrics.
    pub fn result(&self) -> &'static str {
        match (self.failures.is_empty(), self.conflicts.is_empty()) {
            (false, _) => "error",
            (true, false) => "conflict",
            (true, true) => "ok",
        }
    }

    /// What failed, as classes of writes.
    pub fn failed_classes(&self) -> BTreeSet<Class> {
        self.failures
            .iter()
            .map(|failed| (failed.verb, failed.kind))
            .collect()
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

async fn carry_out(
    hub: &Hub,
    actions: &[Action],
    blocked: &BTreeSet<Class>,
    now: Timestamp,
    outcome: &mut Outcome,
) {
    let failed = outcome.failed_classes();
    let is_allowed = |action: &&Action| {
        let class = (action.verb(), action.kind());
        !blocked.contains(&class) && !failed.contains(&class)
    };
    let allowed: Vec<&Action> = actions.iter().filter(is_allowed).collect();
    outcome.is_cut_short |= allowed.len() < actions.len();
    let attempts: Vec<_> = allowed
        .into_iter()
        .map(|a| attempt(hub, a).boxed())
        .collect();
    let results: Vec<_> = stream::iter(attempts)
        .buffer_unordered(WIDTH)
        .collect()
        .await;
    for (action, result) in results {
        note(hub, outcome, action, result, now);
    }
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
        Err(RequestError::Conflict | RequestError::NotFound) => "conflict",
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
            outcome.whys.extend(action.why());
            outcome.done.push((action.verb(), action.kind(), key.name));
        }
        Err(RequestError::Conflict | RequestError::NotFound) => {
            outcome.conflicts.push((action.kind(), key));
        }
        Err(error) => fail(outcome, action, &key, &error, now),
    }
}

fn fail(outcome: &mut Outcome, action: &Action, key: &Key, error: &RequestError, now: Timestamp) {
    tracing::warn!(action = action.verb(), kind = %action.kind(), %key, %error, "write failed");
    let is_name_conflict = matches!(error, RequestError::NameConflict { .. });
    let is_refused = is_name_conflict || matches!(error, RequestError::Refused { .. });
    outcome.is_refused |= is_refused;
    outcome.is_unavailable |= !is_refused;
    let message = format!("{} {} {}: {error}", action.verb(), action.kind(), key.name);
    if outcome.errors.len() < ERRORS_KEPT {
        let code = match error {
            RequestError::NameConflict { .. } => ERR_NAME_CONFLICT.to_owned(),
            RequestError::Unavailable(_) => ERR_API_UNAVAILABLE.to_owned(),
            _ => code(action),
        };
        outcome.errors.push(LastError {
            code,
            description: message.clone(),
            observed_at: Time(now),
        });
    }
    if outcome.failures.len() < ERRORS_KEPT {
        outcome.failures.push(Failed {
            verb: action.verb(),
            kind: action.kind(),
            is_name_conflict,
            message,
        });
    }
}

/// `ERR_CREATE_POD` and the like (Grove, §12.2).
fn code(action: &Action) -> String {
    let kind = action.kind().to_string().to_uppercase();
    match action {
        Action::Create(_) => format!("ERR_CREATE_{kind}"),
        Action::Delete { .. } => format!("ERR_DELETE_{kind}"),
        Action::Patch { .. } if action.kind() == Kind::Pod => {
            "ERR_REMOVE_POD_SCHEDULING_GATE".into()
        }
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
        Object::ServiceAccount(o) => create::<ServiceAccount, _>(hub, &**o).await,
        Object::Role(o) => create::<Role, _>(hub, &**o).await,
        Object::RoleBinding(o) => create::<RoleBinding, _>(hub, &**o).await,
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
        hub.world.taken_names.insert(key.clone());
        return Err(RequestError::Conflict);
    }
    hub.wrote(holder);
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
        Object::ServiceAccount(o) => replace(hub, &**o).await,
        Object::Role(o) => replace(hub, &**o).await,
        Object::RoleBinding(o) => replace(hub, &**o).await,
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
            Kind::ServiceAccount => $f::<ServiceAccount>($($arg),*).await,
            Kind::Role => $f::<Role>($($arg),*).await,
            Kind::RoleBinding => $f::<RoleBinding>($($arg),*).await,
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

/// Reads live what changed under us.
pub async fn refresh_any(hub: &Hub, kind: Kind, key: &Key) {
    let target = Target {
        kind,
        key: key.clone(),
        uid: String::new(),
    };
    by_kind!(target, refresh(hub, &target.key));
}

async fn refresh<K: Watched>(hub: &Hub, key: &Key) {
    hub.refresh::<K>(key).await;
}
