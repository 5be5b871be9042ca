//! The parts that have to be equal: codes, reasons, whether a version changed, and the object.

use serde_json::{Value, json};
use sim::{Answer, Id, view};

use super::operation::Operation;
use super::side::{Api, Model, Real, Side};
use crate::harness::{same, subset};

/// Sends the operation to both.
pub fn after(
    operation: &Operation,
    id: &Id,
    model: &mut Side<Model>,
    real: &mut Side<Real>,
) -> Result<(), String> {
    let call = operation.call(&model.known(id));
    let should_be = model.api.ask(&call);
    let call = operation.call(&real.known(id));
    let is = real.api.ask(&call);
    let both = format!(
        "asked {}\nreal:  {}\nmodel: {}",
        call.body,
        describe(&is),
        describe(&should_be)
    );
    answers(operation, &is, &should_be).map_err(|e| format!("{both}\n{e}"))?;
    objects(id, real.look(id), model.look(id)).map_err(|e| format!("{both}\n{e}"))
}

fn describe(answer: &Answer) -> String {
    format!("{} {}", answer.code, answer.body)
}

fn answers(operation: &Operation, is: &Answer, model: &Answer) -> Result<(), String> {
    same("code", &is.code, &model.code)?;
    if is.code >= 400 {
        let reason = |answer: &Answer| view::text(&answer.body, "/reason").to_owned();
        return same("reason", &reason(is), &reason(model));
    }
    match operation {
        // A deletion returns the last state or a Status, depending on the kind.
        Operation::Delete(..) | Operation::DeleteNow => Ok(()),
        Operation::List => same("names", &names(&is.body), &names(&model.body)),
        Operation::Scale(_) => same("scale", &is.body["spec"], &model.body["spec"]),
        _ => same("metadata", &metadata(&is.body), &metadata(&model.body)),
    }
}

fn names(list: &Value) -> Vec<String> {
    let names = view::list(list, "/items").map(|o| view::name(o).to_owned());
    let is_ours = |name: &String| super::NAMES.contains(&name.as_str());
    names.filter(is_ours).collect()
}

type BeforeAndNow = (Value, Value);

fn objects(id: &Id, real: BeforeAndNow, model: BeforeAndNow) -> Result<(), String> {
    same("exists", &real.1.is_object(), &model.1.is_object())?;
    let is_given_up = is_given_up(&real.1);
    let has_moved = |(before, now): &BeforeAndNow| {
        before["metadata"]["resourceVersion"] != now["metadata"]["resourceVersion"]
    };
    // Managed fields are not modelled; a change of them alone changes the version.
    let is_moved = has_moved(&model) || without_managers(&real.0) != without_managers(&real.1);
    if is_moved && !is_given_up {
        same("version moved", &has_moved(&real), &has_moved(&model))?;
    }
    let is_another = |(before, now): &BeforeAndNow| view::uid(before) != view::uid(now);
    same("uid changed", &is_another(&real), &is_another(&model))?;
    let (real, model) = (real.1, model.1);
    same("metadata", &metadata(&real), &metadata(&model))?;
    if id.resource.is_custom() {
        same("spec", &real["spec"], &model["spec"])?;
        // Defaults of the schema are not modelled.
        return subset("status", &real["status"], &model["status"]);
    }
    // The API server adds defaults to these kinds.
    subset("spec", &real["spec"], &model["spec"])?;
    if is_given_up {
        return Ok(());
    }
    subset("phase", &real["status"]["phase"], &model["status"]["phase"])
}

/// Every 20 seconds the control plane's pod collector writes `Failed` into terminating pods that
/// were never scheduled, which changes their version at any time.
fn is_given_up(object: &Value) -> bool {
    view::is_terminating(object)
        && view::text(object, "/status/phase") == "Failed"
        && view::text(object, "/spec/nodeName").is_empty()
}

fn without_managers(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        meta.remove("managedFields");
        meta.remove("resourceVersion");
    }
    object
}

/// The metadata that have to be equal. The generation counts if the model has one.
fn metadata(object: &Value) -> Value {
    let meta = &object["metadata"];
    let owners: Vec<&str> = view::list(object, "/metadata/ownerReferences")
        .map(|o| view::text(o, "/name"))
        .collect();
    let labels = &meta["labels"];
    json!({
        "name": meta["name"],
        "namespace": meta["namespace"],
        "labels": if labels.is_null() { json!({}) } else { labels.clone() },
        "finalizers": meta["finalizers"],
        "owners": owners,
        "generation": meta["generation"],
        "is terminating": view::is_terminating(object),
        "grace": meta["deletionGracePeriodSeconds"],
    })
}
