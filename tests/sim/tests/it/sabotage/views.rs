//! What a sabotaged operator takes what it is shown for.

use std::borrow::Cow;

use domain::ownership;
use engine::Hub;
use engine::cache::Cache;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};
use testkit::sim::view;

use super::Sabotage;

/// How the sabotaged operator reads an object.
pub fn misread(sabotage: Option<Sabotage>, object: &Value) -> Cow<'_, Value> {
    let mut object = Cow::Borrowed(object);
    match sabotage {
        Some(Sabotage::SuccessIsFailure) if view::is_completed(&object) => {
            object.to_mut()["status"]["phase"] = json!("Failed");
        }
        Some(Sabotage::TimerEarly) => hasten(&mut object),
        _ => {}
    }
    object
}

fn hasten(set: &mut Cow<'_, Value>) {
    const DELAY: &str = "/spec/template/terminationDelay";
    let delay = view::duration(set, DELAY).filter(|d| *d > SignedDuration::from_secs(1));
    if let Some(delay) = delay {
        let less = delay - SignedDuration::from_secs(1);
        set.to_mut()["spec"]["template"]["terminationDelay"] =
            json!(format!("{}s", less.as_secs()));
    }
}

/// It says that it is about to delete what vanishes.
pub fn take_for_gone<K>(sabotage: Option<Sabotage>, cache: &Cache<K>, meta: &ObjectMeta)
where
    K: kube::Resource<DynamicType = ()> + Clone,
{
    if sabotage == Some(Sabotage::VanishedIsGone) {
        cache.will_delete(ownership::uid(meta));
    }
}

/// What it forgets.
pub fn forget(sabotage: Option<Sabotage>, hub: &Hub) {
    if sabotage == Some(Sabotage::NoTombstones) {
        for podclique in hub.world.podcliques.all() {
            hub.world
                .tombstones
                .clear(ownership::uid(&podclique.metadata));
        }
    }
}
