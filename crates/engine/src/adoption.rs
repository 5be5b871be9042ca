//! An owner that is being deleted adopts nothing.
//!
//! The view may be outdated when an adoption arrives: it could give a set a child although the set
//! was deleted and its children were to stay. So before an adoption is sent, its owner is read
//! live, and the owners above that one (protocol rule 7, decision 126).

use api::{PodCliqueScalingGroup, PodCliqueSet};
use domain::Key;
use domain::object::ownership;
use domain::plan::{Action, Kind, Purpose, Target};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use serde_json::Value;

use crate::context::Context;
use crate::kinds::find_kind;
use crate::requests::RequestError;

/// The depth of the ownership chain: PodClique, scaling group, set.
const MAX_OWNERS: usize = 3;

/// Whether a plan of this owner may be carried out: it adopts nothing, or the owner stays.
/// Otherwise the plan was decided on an outdated view; the live read is in the cache and makes the
/// controller decide again.
pub(crate) async fn is_allowed(context: &Context, owner: &Target, waves: &[Vec<Action>]) -> bool {
    let mut actions = waves.iter().flatten();
    if !actions.any(|action| adopts(context, owner, action)) {
        return true;
    }
    match stays(context, owner).await {
        Ok(true) => return true,
        Ok(false) => tracing::info!("nothing is adopted: the owner is being deleted"),
        Err(error) => tracing::warn!(%error, "nothing is adopted: the owner cannot be read"),
    }
    false
}

/// Whether the action gives the object this owner.
fn adopts(context: &Context, owner: &Target, action: &Action) -> bool {
    match action {
        Action::Replace(object) => {
            let is_known = || {
                let kind = find_kind(object.kind());
                let key = Key::of(object.meta());
                kind.is_ok_and(|kind| kind.is_controlled_by(context, &key, &owner.uid))
            };
            ownership::is_controlled_by(object.meta(), &owner.uid) && !is_known()
        }
        Action::Merge { patch, .. } => {
            let owners = patch.pointer("/metadata/ownerReferences");
            let mut owners = owners.and_then(Value::as_array).into_iter().flatten();
            owners.any(|reference| reference["uid"] == *owner.uid)
        }
        Action::Patch { purpose, .. } => *purpose == Purpose::AdoptPod,
        Action::Create(_)
        | Action::Check(_)
        | Action::ReplaceStatus(_)
        | Action::Delete { .. }
        | Action::Finalizers { .. } => false,
    }
}

/// Whether the owner, and all owners above it, exist and stay.
async fn stays(context: &Context, owner: &Target) -> Result<bool, RequestError> {
    let mut next = Some(owner.clone());
    for _ in 0..MAX_OWNERS {
        let Some(owner) = next else {
            break;
        };
        let live = find_kind(owner.kind)?
            .read_meta(context, &owner.key)
            .await?;
        let Some(live) = live.filter(|live| is_the_same(live, &owner)) else {
            return Ok(false);
        };
        next = ownership::controller(&live).and_then(|above| target_of(above, &owner.key));
    }
    Ok(true)
}

fn is_the_same(live: &ObjectMeta, owner: &Target) -> bool {
    ownership::uid(live) == owner.uid && !ownership::is_terminating(live)
}

/// The controller of one of our kinds is of one of our kinds; other controllers of a set are not
/// asked.
fn target_of(owner: &OwnerReference, child: &Key) -> Option<Target> {
    let kind = match owner.kind.as_str() {
        "PodCliqueSet" => Kind::of::<PodCliqueSet>(),
        "PodCliqueScalingGroup" => Kind::of::<PodCliqueScalingGroup>(),
        _ => return None,
    };
    Some(Target {
        kind,
        key: Key::new(&child.namespace, &owner.name),
        uid: owner.uid.clone(),
    })
}
