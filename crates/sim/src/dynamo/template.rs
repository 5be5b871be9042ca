//! Whether a pod has the template of its set, without a word of the operator: its hashes are what
//! is tested.

use serde_json::Value;

use crate::view;

/// Whether the pod has the annotations of its clique in the set's template, and the variables of
/// the first container: by these users and Dynamo change a template. A pod of no clique has not.
pub fn is_of_template(set: &Value, pod: &Value) -> bool {
    let Some(clique) = clique_of(set, pod) else {
        return false;
    };
    let annotations = view::at(clique, "/annotations").and_then(Value::as_object);
    let mut annotations = annotations.into_iter().flatten();
    let has = |key: &str| view::at(pod, "/metadata/annotations").and_then(|all| all.get(key));
    let mut variables = view::list(clique, "/spec/podSpec/containers/0/env");
    annotations.all(|(key, value)| has(key) == Some(value))
        && variables.all(|variable| {
            let mut env = view::list(pod, "/spec/containers/0/env");
            env.any(|own| own == variable)
        })
}

/// The clique whose name ends the name of the pod's PodClique. One name may end another one: the
/// longer one is meant.
fn clique_of<'a>(set: &'a Value, pod: &Value) -> Option<&'a Value> {
    let podclique = view::label(pod, api::labels::POD_CLIQUE);
    view::list(set, "/spec/template/cliques")
        .filter(|clique| {
            let before = podclique.strip_suffix(view::text(clique, "/name"));
            before.is_some_and(|before| before.ends_with('-'))
        })
        .max_by_key(|clique| view::text(clique, "/name").len())
}
