//! Misreadings of shown objects by a sabotaged operator.

use api::PodClique;
use std::borrow::Cow;

use domain::object::ownership;
use engine::Context;
use engine::cache::Cache;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};
use sim::view;

use super::Sabotage;

/// The object as the sabotaged operator reads it.
pub fn misread(sabotage: Option<Sabotage>, object: &Value) -> Cow<'_, Value> {
    let mut object = Cow::Borrowed(object);
    if sabotage == Some(Sabotage::SuccessIsFailure) && view::is_completed(&object) {
        object.to_mut()["status"]["phase"] = json!("Failed");
    }
    if sabotage == Some(Sabotage::OneNamespace) {
        object.to_mut()["metadata"]["namespace"] = json!("default");
    }
    if view::text(&object, "/kind") == "PodClique" && !view::wants_its_minimum(&object) {
        let replicas = view::number(&object, "/spec/replicas");
        match sabotage {
            Some(Sabotage::UnnotedIdle) if replicas == 0 => {
                object.to_mut()["status"]["wasIdle"] = json!(true);
            }
            Some(Sabotage::UnnotedScaledBelow) if replicas > 0 => {
                object.to_mut()["status"]["scaledBelowTo"] = json!(replicas);
            }
            _ => {}
        }
    }
    let is_taken = view::owner(&object).is_some_and(|(kind, ..)| kind == "Service");
    if sabotage == Some(Sabotage::AdoptControlled) && is_taken {
        object.to_mut()["metadata"]["ownerReferences"] = json!([]);
    }
    object
}

/// A deleted object is not terminating until the watch shows it.
pub fn revoke_deletion<K>(sabotage: Option<Sabotage>, cache: &Cache<K>, shown: &K)
where
    K: kube::Resource<DynamicType = ()> + Clone + 'static,
{
    if sabotage == Some(Sabotage::DeleteIsRevocable) {
        // Once it is seen terminating, the deletion is certain.
        let mut going = shown.clone();
        going.meta_mut().deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        cache.apply(going);
    }
}

/// Facts that it forgets.
pub fn forget(sabotage: Option<Sabotage>, context: &Context) {
    if sabotage == Some(Sabotage::NoTombstones) {
        for podclique in context.caches.of::<PodClique>().all() {
            context
                .caches
                .slot_history
                .clear(ownership::uid(&podclique.metadata));
        }
    }
}
