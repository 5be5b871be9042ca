//! The set with the pod templates of a revision.

use std::collections::BTreeMap;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::PodCliqueSet;
use domain::Revision;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::json;

const CLIQUES: &str = "/spec/template/cliques";

/// `stored` with the labels, annotations and pod specs of the revision in each clique that differs,
/// and its priority class. Replicas and everything else stay.
///
/// # Errors
/// If somebody edited the revision into something else.
pub fn restore_templates(
    set: &PodCliqueSet,
    stored: &Value,
    revision: &Revision,
) -> Result<Value, Failure> {
    let unreadable = |_| {
        Failure::Other(format!(
            "controllerrevision {} cannot be read; choose another one: `kubectl grove history` \
             lists them",
            revision.name()
        ))
    };
    let content: Value = serde_json::from_str(&revision.data.to_text()).map_err(unreadable)?;
    let present = hash_present(set);
    let mut restored = stored.clone();
    let has_own_priority = !json::text(stored, "/spec/template/priorityClassName").is_empty();
    let priority = has_own_priority
        .then(|| common_priority(&content))
        .flatten();
    for clique in json::items_mut(&mut restored, CLIQUES) {
        let name = json::member(clique, "name").to_owned();
        let mut kept = json::items(&content, "/cliques");
        let kept = kept.find(|kept| json::member(kept, "name") == name);
        if let Some(kept) = kept
            && present.get(&name).map(String::as_str) != Some(json::member(kept, "hash"))
        {
            restore_clique(clique, kept, priority.as_deref());
        }
    }
    if has_own_priority {
        match priority {
            Some(name) => json::set(
                &mut restored,
                "/spec/template",
                "priorityClassName",
                name.into(),
            ),
            None => json::remove(&mut restored, "/spec/template", "priorityClassName"),
        }
    }
    Ok(restored)
}

/// The hash of each clique of the manifest.
fn hash_present(set: &PodCliqueSet) -> BTreeMap<String, String> {
    let validated = validate_set(set, &DefaultsConfig::default());
    let hashed = validated.hash_cliques(&validated.set.spec.template.cliques);
    let named = hashed.into_iter();
    named
        .map(|(clique, hash)| (clique.name.clone(), hash))
        .collect()
}

/// The priority class that all pods of the revision have.
fn common_priority(content: &Value) -> Option<String> {
    let mut names = json::items(content, "/cliques")
        .map(|clique| json::text(clique, "/template/spec/priorityClassName"));
    let first = names.next().filter(|name| !name.is_empty())?;
    names.all(|name| name == first).then(|| first.to_owned())
}

fn restore_clique(clique: &mut Value, kept: &Value, priority: Option<&str>) {
    for (field, pointer) in [
        ("labels", "/template/metadata/labels"),
        ("annotations", "/template/metadata/annotations"),
    ] {
        match json::at(kept, pointer) {
            Value::Null => json::remove(clique, "", field),
            value => json::set(clique, "", field, value.clone()),
        }
    }
    let mut spec = json::at(kept, "/template/spec").clone();
    // The operator completed them when it recorded the template.
    for (field, default) in [
        ("restartPolicy", json!("Always")),
        ("terminationGracePeriodSeconds", json!(30)),
    ] {
        let is_filled_in = json::at(clique, "/spec/podSpec").get(field).is_none();
        if is_filled_in && spec.get(field) == Some(&default) {
            json::remove(&mut spec, "", field);
        }
    }
    // The set has it, for all of its pods.
    if priority == Some(json::text(&spec, "/priorityClassName")) {
        json::remove(&mut spec, "", "priorityClassName");
    }
    json::set(clique, "/spec", "podSpec", spec);
}

/// The merge patch from one to the other; a list is replaced as a whole.
pub fn build_patch(stored: &Value, restored: &Value) -> Value {
    let version = json::meta(stored, "resourceVersion");
    let template = json!({
        "cliques": json::at(restored, CLIQUES),
        "priorityClassName": json::at(restored, "/spec/template/priorityClassName"),
    });
    json!({
        "metadata": {"resourceVersion": version},
        "spec": {"template": template},
    })
}
