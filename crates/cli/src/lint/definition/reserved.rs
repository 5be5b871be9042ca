//! CEL rules of the definition that the rules of admission lack: reserved keys, and combinations of
//! fields of a topology constraint.

use api::labels::{GROVE_PREFIX, MNNVL_GROUP, TOPOLOGY_NAME};
use serde_json::{Map, Value};

use crate::lint::remark::Remark;
use crate::lint::rules::admitted;

/// Places of labels and annotations of parts, and of constraints, as pointers with `*` for an index.
const CLIQUES: &str = "/spec/template/cliques";
const GROUPS: &str = "/spec/template/podCliqueScalingGroups";

/// Violations of these rules.
pub(super) fn check(object: &Value, is_change: bool) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let own = object.pointer("/spec/template");
    let template = own.map(|own| ("spec.template".to_owned(), own));
    let cliques = parts(object, CLIQUES);
    let groups = parts(object, GROUPS);
    for (at, clique) in &cliques {
        remarks.extend(keys(at, clique, "labels", &[]));
    }
    for (at, part) in cliques.iter().chain(&groups) {
        let known = [MNNVL_GROUP, TOPOLOGY_NAME];
        remarks.extend(keys(at, part, "annotations", &known));
    }
    for (at, part) in template.iter().chain(&groups).chain(&cliques) {
        remarks.extend(constraint(at, part, "topologyConstraint", is_change));
    }
    for (at, part) in &groups {
        remarks.extend(constraint(at, part, "allReplicasTopologyConstraint", false));
    }
    remarks
}

/// The items of a list with their paths.
fn parts<'a>(object: &'a Value, list: &str) -> Vec<(String, &'a Value)> {
    let items = object.pointer(list).and_then(Value::as_array);
    let path = list.trim_start_matches('/').replace('/', ".");
    items
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(i, item)| (format!("{path}[{i}]"), item))
        .collect()
}

fn keys(at: &str, part: &Value, field: &str, known: &[&str]) -> Vec<Remark> {
    let keys = part.get(field).and_then(Value::as_object);
    let taken = keys
        .into_iter()
        .flat_map(Map::keys)
        .filter(|key| key.starts_with(GROVE_PREFIX) && !known.contains(&key.as_str()));
    let remark = |key: &String| {
        let problem = "keys that begin with grove.io/ are reserved for the operator".to_owned();
        let remark = Remark::new(
            &admitted::DEFINITION,
            format!("{at}.{field}[{key}]"),
            problem,
        );
        remark.remedy("remove or rename it")
    };
    taken.map(remark).collect()
}

fn constraint(at: &str, part: &Value, field: &str, is_change: bool) -> Vec<Remark> {
    let at = format!("{at}.{field}");
    let Some(constraint) = part.get(field).and_then(Value::as_object) else {
        return Vec::new();
    };
    let of = |key: &str| constraint.get(key).filter(|value| !value.is_null());
    let (pack, domain) = (of("pack"), of("packDomain"));
    let of_pack = |key: &str| pack.and_then(|pack| pack.get(key)).filter(|v| !v.is_null());
    let error = |field: &str, problem: &str, remedy: &str| {
        let path = format!("{at}.{field}");
        Remark::new(&admitted::DEFINITION, path, problem.to_owned()).remedy(remedy)
    };
    let mut remarks = Vec::new();
    if domain.is_some() && !is_change {
        let problem = "is deprecated, and refused for new sets";
        remarks.push(error("packDomain", problem, "move it to pack.required"));
    }
    if domain.is_some() && of_pack("required").is_some() {
        let problem = "cannot be set together with packDomain";
        remarks.push(error("pack.required", problem, "remove packDomain"));
    }
    if pack.is_none() && domain.is_none() {
        let problem = "is required in a constraint";
        remarks.push(error("pack", problem, "name a level in pack.required"));
    }
    if pack.is_some() && of_pack("required").is_none() && of_pack("preferred").is_none() {
        let problem = "needs required or preferred";
        remarks.push(error("pack", problem, "name a level in one of them"));
    }
    remarks
}
