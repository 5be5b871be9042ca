//! Single writes, each with its precondition.

use api::labels;
use domain::Key;
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::{GuardedPatch, Kind, Object, Target};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::caches::watched::Watched;
use crate::context::Context;
use crate::requests::{self, RequestError};

/// POST. If an object of the same owner has the name and stays, an earlier answer was lost and all
/// is well; that object goes into the cache.
pub(crate) async fn create<K: Watched>(
    context: &Context,
    object: &Object,
) -> Result<(), RequestError> {
    let key = Key::of(object.meta());
    context.caches.of::<K>().expect_create(object.meta());
    let body = object.encode().map_err(requests::malformed)?;
    let answer = context.requests.create::<K>(&key.namespace, body).await;
    let result = match answer {
        Ok(object) => {
            context.wrote(object);
            Ok(())
        }
        Err(RequestError::AlreadyExists) => look_at_holder::<K>(context, &key, object.meta()).await,
        Err(error @ RequestError::Unavailable(_)) => {
            context.create_unknown::<K>(&key);
            return Err(error);
        }
        Err(error) => Err(error),
    };
    context.observe_answer::<K>(&key);
    result
}

/// Finds the owner of the name that we wanted.
async fn look_at_holder<K: Watched>(
    context: &Context,
    key: &Key,
    wanted: &ObjectMeta,
) -> Result<(), RequestError> {
    let holder: K = context.requests.get(key).await?;
    let owner = ownership::controller(wanted).map_or("", |o| o.uid.as_str());
    let is_ours = ownership::is_controlled_by(holder.meta(), owner)
        && index_of_pod(holder.meta()) == index_of_pod(wanted);
    let stays = !ownership::is_terminating(holder.meta());
    let holder_of_name = describe(holder.meta());
    if Kind::of::<K>() == Kind::of::<Pod>() && !is_ours {
        // The next decision takes another name. If the name's holder is ours and going, the
        // decision waits for its end.
        context.caches.note_taken(wanted);
        return Err(RequestError::Conflict);
    }
    // An object with another owner is reported and not followed.
    if is_ours || context.caches.is_concerned(holder.meta()) {
        context.wrote(holder);
    }
    match (is_ours, stays) {
        (true, true) => Ok(()),
        (_, false) => Err(RequestError::Conflict),
        (false, true) => Err(RequestError::NameConflict {
            holder: holder_of_name,
        }),
    }
}

fn index_of_pod(meta: &ObjectMeta) -> Option<&str> {
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

/// PUT of the whole object.
pub(crate) async fn replace<K: Watched>(
    context: &Context,
    object: &Object,
) -> Result<(), RequestError> {
    let body = object.encode().map_err(requests::malformed)?;
    let key = Key::of(object.meta());
    let written: K = context.requests.replace(&key, body).await?;
    context.wrote(written);
    Ok(())
}

/// PUT of the status; the API server ignores the rest of the object.
pub(crate) async fn replace_status<K: Watched>(
    context: &Context,
    key: &Key,
    body: Vec<u8>,
) -> Result<(), RequestError> {
    let written: K = context.requests.replace_status(key, body).await?;
    context.wrote(written);
    Ok(())
}

/// JSON merge patch.
pub(crate) async fn merge<K: Watched>(
    context: &Context,
    target: &Target,
    patch: &Value,
) -> Result<(), RequestError> {
    // With the uid: otherwise the patch would also reach another object that took the name
    // meanwhile.
    let mut patch = patch.clone();
    json_patch::merge(&mut patch, &json!({"metadata": {"uid": target.uid}}));
    let written: K = context.requests.merge(&target.key, &patch).await?;
    // An object without finalizers may be gone with this very write: the answer is then its last
    // state, and only the watch shows that it is gone.
    if !ownership::is_terminating(written.meta()) {
        context.wrote(written);
    }
    Ok(())
}

/// JSON patch, which tests the uid and the values that it replaces.
pub(crate) async fn patch<K: Watched>(
    context: &Context,
    patch: &GuardedPatch,
) -> Result<(), RequestError> {
    let (key, operations) = (&patch.target().key, patch.operations());
    let written: K = context.requests.json_patch(key, operations).await?;
    context.wrote(written);
    Ok(())
}

/// DELETE of the object with this uid, in this version if one is named.
pub(crate) async fn delete<K: Watched>(
    context: &Context,
    target: &Target,
    version: Option<&str>,
) -> Result<(), RequestError> {
    let cache = context.caches.of::<K>();
    let (key, uid) = (&target.key, &target.uid);
    cache.will_delete(uid);
    match context.requests.delete::<K>(key, uid, version).await {
        Ok(()) => {
            context.wrote_delete::<K>(key, uid);
            Ok(())
        }
        Err(error) => {
            cache.did_not_delete(uid);
            Err(error)
        }
    }
}
