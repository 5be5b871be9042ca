//! The objects of another revision's chart for its operator.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use localcluster::Cluster;
use serde_json::{Value, json};

use crate::site::{helm, printed};

/// The objects that give an operator its account and rights.
const KINDS: [&str; 5] = [
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
];

/// The chart with its defaults; all its objects have this name, in a namespace of that name.
pub fn render(cluster: &Cluster, source: &Path, name: &str) -> Result<Vec<Value>> {
    let chart = source.join("charts").join("grove");
    let chart = chart.to_str().context("the path is no UTF-8")?;
    let mut helm = helm(cluster, &["template", name, chart, "--namespace", name]);
    helm.args(["--set", &format!("fullnameOverride={name}")]);
    let text = printed(&mut helm)?;
    let documents: Vec<Option<Value>> = serde_saphyr::from_multiple(&text)?;
    Ok(documents.into_iter().flatten().collect())
}

/// Creates the namespace, and from the objects the account and its rights.
pub fn apply(cluster: &Cluster, rendered: &[Value], name: &str) -> Result<()> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let wanted = rendered.iter().filter(|object| is_wanted(object));
    let items: Vec<&Value> = std::iter::once(&namespace).chain(wanted).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    let mut kubectl = cluster.kubectl(&["apply", "--filename", "-"]);
    let mut kubectl = kubectl
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run kubectl")?;
    let mut input = kubectl.stdin.take().context("kubectl has no input")?;
    input.write_all(list.to_string().as_bytes())?;
    drop(input);
    let output = kubectl.wait_with_output()?;
    if !output.status.success() {
        bail!("kubectl apply: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The operator's configuration for one of several operators that never run at once.
pub fn configuration(rendered: &[Value]) -> Result<Value> {
    let mut maps = rendered
        .iter()
        .filter(|object| is_kind(object, "ConfigMap"));
    let text = maps.find_map(|map| map.pointer("/data/config.yaml")?.as_str());
    let text = text.context("the chart renders no config.yaml")?;
    let mut configuration: Value = serde_saphyr::from_str(text)?;
    let fields = configuration.as_object_mut();
    let fields = fields.context("config.yaml is no object")?;
    fields.remove("leaderElection");
    Ok(configuration)
}

/// Tests of the chart have their own rights.
fn is_wanted(object: &Value) -> bool {
    let is_hook = object
        .pointer("/metadata/annotations/helm.sh~1hook")
        .is_some();
    KINDS.iter().any(|kind| is_kind(object, kind)) && !is_hook
}

fn is_kind(object: &Value, kind: &str) -> bool {
    object.get("kind").and_then(Value::as_str) == Some(kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{configuration, is_wanted};

    #[test]
    fn takes_the_configuration_without_leader_election() {
        let text = "kind: OperatorConfiguration\nleaderElection: {enabled: true}\n";
        let map = json!({"kind": "ConfigMap", "data": {"config.yaml": text}});
        let read = configuration(&[json!({"kind": "Role"}), map]).unwrap();
        assert_eq!(read, json!({"kind": "OperatorConfiguration"}));
        assert!(configuration(&[]).is_err());
    }

    #[test]
    fn takes_the_rights_but_not_those_of_tests() {
        let hook = json!({"helm.sh/hook": "test"});
        assert!(is_wanted(&json!({"kind": "ClusterRole", "metadata": {}})));
        assert!(!is_wanted(&json!({"kind": "Deployment"})));
        assert!(!is_wanted(
            &json!({"kind": "Role", "metadata": {"annotations": hook}})
        ));
    }
}
