//! The user's entries of `resourceSharing`, at all levels.

use serde_json::{Value, json};

use crate::{Rng, view};

/// Writes entries into the manifest, at least one.
pub(super) fn write(manifest: &mut Value, rng: &mut Rng) {
    let template = &mut manifest["spec"]["template"];
    let request = json!({"spec": {"devices": {"requests": [{"name": "gpu"}]}}});
    template["resourceClaimTemplates"] = json!([
        {"name": "net", "templateSpec": request},
        {"name": "pool", "templateSpec": request},
    ]);
    let first = template["cliques"][0]["name"].clone();
    let filter = rng
        .chance(300)
        .then(|| json!({"childCliqueNames": [first]}));
    template["resourceSharing"] = entries(rng, 600, filter.as_ref());
    for group in items(template, "podCliqueScalingGroups") {
        let member = group["cliqueNames"][0].clone();
        let filter = rng
            .chance(300)
            .then(|| json!({"childCliqueNames": [member]}));
        group["resourceSharing"] = entries(rng, 600, filter.as_ref());
    }
    for clique in items(template, "cliques") {
        clique["resourceSharing"] = entries(rng, 500, None);
    }
    if view::list(template, "/resourceSharing").next().is_none() {
        template["resourceSharing"] = json!([{"name": "net", "scope": "AllReplicas"}]);
    }
}

/// At most one entry of each scope.
fn entries(rng: &mut Rng, per_mille: usize, filter: Option<&Value>) -> Value {
    let scopes = [("pool", "PerReplica"), ("net", "AllReplicas")];
    let chosen = scopes.into_iter().filter(|_| rng.chance(per_mille));
    let entries: Vec<Value> = chosen
        .map(|(name, scope)| {
            let mut entry = json!({"name": name, "scope": scope});
            if let Some(filter) = filter {
                entry["filter"] = filter.clone();
            }
            entry
        })
        .collect();
    json!(entries)
}

fn items<'a>(template: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let items = template.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}
