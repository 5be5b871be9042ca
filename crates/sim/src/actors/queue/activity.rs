//! Users who keep Workloads out of their queue.

use serde_json::json;

use super::workloads_that;
use crate::queue::is_active;
use crate::resource::Id;
use crate::store::Store;
use crate::{Rng, view};

/// A user deactivates a Workload, or activates it.
pub(in crate::actors) fn toggle_active(store: &mut Store, rng: &mut Rng) {
    let all = workloads_that(store, |workload| !view::is_terminating(workload));
    if let Some((id, workload)) = rng.pick(&all) {
        let active = !is_active(workload);
        set_active(store, id, active);
    }
}

/// All Workloads take part again.
pub fn activate_all(store: &mut Store) {
    for (id, _) in workloads_that(store, |workload| !is_active(workload)) {
        set_active(store, &id, true);
    }
}

fn set_active(store: &mut Store, id: &Id, active: bool) {
    store.edit("user", id, |workload| {
        workload["spec"]["active"] = json!(active);
    });
}
