//! Any set with all its pods running, in the state that the Go operator left.

use serde_json::{Value, json};

use super::left::Left;
use super::running::gang;
use super::statuses;
use crate::harness::Namespace;
use crate::harness::seen::name;

/// Applies the set and creates all objects that the Go operator creates for it.
pub fn leave(ns: &Namespace<'_>, manifest: &Value) {
    let mut set = manifest.clone();
    set_defaults(&mut set);
    ns.apply(&set);
    let set = ns.until("it is stored", |seen| {
        Ok(seen.one("PodCliqueSet", name(manifest))?.clone())
    });
    let replicas = number(&set["spec"]["replicas"]);
    let left = Left::of(ns, set);
    let pods = (0..replicas).map(|replica| leave_replica(&left, replica));
    let pods: usize = pods.sum();
    left.report(
        "PodCliqueSet",
        left.name(),
        &statuses::set(left.name(), replicas),
    );
    ns.until("KWOK runs the pods", |seen| seen.expect_ready_pods(pods));
}

/// The defaults of the Go operator's webhook outside of the pod templates.
pub fn set_defaults(set: &mut Value) {
    let template = &mut set["spec"]["template"];
    for (field, value) in [
        ("cliqueStartupType", json!("CliqueStartupTypeAnyOrder")),
        ("terminationDelay", json!("4h")),
        (
            "headlessServiceConfig",
            json!({"publishNotReadyAddresses": true}),
        ),
    ] {
        set_default(template, field, value);
    }
    for clique in template["cliques"].as_array_mut().unwrap() {
        let replicas = clique["spec"]["replicas"].clone();
        set_default(&mut clique["spec"], "minAvailable", replicas);
    }
}

fn set_default(of: &mut Value, field: &str, value: Value) {
    if of[field].is_null() {
        of[field] = value;
    }
}

/// Creates a replica, and returns its number of pods.
fn leave_replica(left: &Left<'_>, replica: u32) -> usize {
    left.service(replica);
    let template = &left.set["spec"]["template"];
    let groups = template["podCliqueScalingGroups"].as_array();
    let groups = groups.map_or(&[][..], Vec::as_slice);
    let is_in = |clique: &Value, group: &Value| {
        let members = group["cliqueNames"].as_array().unwrap();
        members.contains(&clique["name"])
    };
    let cliques = template["cliques"].as_array().unwrap().iter();
    let standalone = cliques.filter(|clique| !groups.iter().any(|group| is_in(clique, group)));
    let mut base: Vec<Value> = standalone
        .map(|clique| left.standalone(replica, name_of(clique)))
        .collect();
    let mut scaled = Vec::new();
    for group in groups {
        leave_group(left, replica, group, &mut base, &mut scaled);
    }
    gang(left, &format!("{}-{replica}", left.name()), &base);
    for (called, parts) in &scaled {
        gang(left, called, parts);
    }
    let all = base
        .iter()
        .chain(scaled.iter().flat_map(|(_, parts)| parts));
    let pods: u32 = all.map(|part| number(&part["spec"]["replicas"])).sum();
    usize::try_from(pods).unwrap()
}

/// Creates a group and its PodCliques, which are in the base gang or in their own gangs.
fn leave_group(
    left: &Left<'_>,
    replica: u32,
    group: &Value,
    base: &mut Vec<Value>,
    scaled: &mut Vec<(String, Vec<Value>)>,
) {
    let made = left.scaling_group(replica, group);
    let (replicas, least) = (number(&group["replicas"]), number(&group["minAvailable"]));
    for j in 0..replicas {
        let members = group["cliqueNames"].as_array().unwrap().iter();
        let parts = members.map(|clique| left.grouped(&made, clique.as_str().unwrap(), j));
        match j.checked_sub(least) {
            None => base.extend(parts),
            Some(k) => scaled.push((format!("{}-{k}", name(&made)), parts.collect())),
        }
    }
    let status = statuses::group(left.name(), name(&made), replicas);
    left.report("PodCliqueScalingGroup", name(&made), &status);
}

fn name_of(clique: &Value) -> &str {
    clique["name"].as_str().unwrap()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}
