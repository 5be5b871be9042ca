//! DELETE.

use std::sync::Arc;

use api::labels;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::write::{check_preconditions, is_over};
use super::{Answer, Id, Resource, Store, seconds, view};

/// A pod on a node gets this long to end, in seconds.
const GRACE: i64 = 30;

impl Store {
    pub(super) fn delete(&mut self, id: &Id, options: &Value) -> Result<Answer, Answer> {
        let before = self.found(id)?;
        check_preconditions(&before, options.get("preconditions"))?;
        let grace = grace(id, &before, options);
        let mut next = (*before).clone();
        if view::is_terminating(&before) {
            if view::number(&before, "/metadata/deletionGracePeriodSeconds") <= grace {
                return Ok(Answer::ok((*before).clone()));
            }
        } else {
            let at = self.now.checked_add(SignedDuration::from_secs(grace));
            next["metadata"]["deletionTimestamp"] = json!(seconds(at.unwrap_or(self.now)));
            let generation = view::number(&before, "/metadata/generation");
            if generation > 0 {
                next["metadata"]["generation"] = json!(generation + 1);
            }
            if options["propagationPolicy"] == "Orphan" {
                next["metadata"]["finalizers"] = with(&before, labels::ORPHAN_FINALIZER);
            }
        }
        next["metadata"]["deletionGracePeriodSeconds"] = json!(grace);
        let version = self.next_version();
        next["metadata"]["resourceVersion"] = json!(version.to_string());
        let object = Arc::new(next);
        if is_over(&object) {
            self.take_out(id);
            self.record(id, Some(before.clone()), None, object);
            let details = json!({"name": id.name, "uid": view::uid(&before)});
            return Ok(Answer::ok(json!({
                "kind": "Status", "apiVersion": "v1", "status": "Success", "details": details,
            })));
        }
        self.insert(id, object.clone());
        self.record(id, Some(before), Some(object.clone()), object.clone());
        Ok(Answer::ok((*object).clone()))
    }
}

/// Only a pod that runs on a node has to be ended first.
fn grace(id: &Id, object: &Value, options: &Value) -> i64 {
    let is_bound = !view::text(object, "/spec/nodeName").is_empty();
    if id.resource != Resource::Pod || !is_bound || view::is_finished(object) {
        return 0;
    }
    options["gracePeriodSeconds"].as_i64().unwrap_or(GRACE)
}

fn with(object: &Value, finalizer: &str) -> Value {
    let had = view::list(object, "/metadata/finalizers").cloned();
    Value::Array(had.chain([json!(finalizer)]).collect())
}
