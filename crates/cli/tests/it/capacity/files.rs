//! Usable and unusable files.

use cli::capacity::{read_dump, read_sets};
use cli::exit::{Exit, Failure};
use rstest::rstest;

const SET: &str = "
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: NAME}
spec:
  replicas: 1
  template:
    cliques:
    - name: worker
      spec:
        roleName: worker
        replicas: 2
        podSpec: {containers: [{name: main, image: busybox}]}
";

fn set(name: &str) -> String {
    SET.replace("NAME", name)
}

#[test]
fn sets_are_found_in_documents_and_lists() {
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n";
    let item = |name: &str| set(name).trim().replace('\n', "\n  ");
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n",
        item("b"),
        item("c")
    );
    let text = format!("---\n{}\n---\n{other}\n---\n{list}", set("a"));
    let sets = read_sets(&text, "file", "ml").unwrap();
    let names: Vec<_> = sets
        .iter()
        .map(|s| s.metadata.name.clone().unwrap())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(
        sets.iter()
            .all(|s| s.metadata.namespace.as_deref() == Some("ml"))
    );
    // With defaults.
    assert_eq!(sets[0].spec.template.cliques[0].spec.min_available, Some(2));
}

/// As kubectl reads it.
#[test]
fn numbers_may_be_octal() {
    let pod = "{containers: [{name: main, image: busybox}], \
               volumes: [{name: keys, secret: {secretName: s, defaultMode: 0400}}]}";
    let plain = "{containers: [{name: main, image: busybox}]}";
    let text = set("svc")
        .replace(plain, pod)
        .replace("replicas: 2", "replicas: 010");
    let sets = read_sets(&text, "file", "ml").unwrap();
    let spec = &sets[0].spec.template.cliques[0].spec;
    let volumes = spec.pod_spec.volumes.as_ref().unwrap();
    let mode = volumes[0].secret.as_ref().unwrap().default_mode;
    assert_eq!((spec.replicas, mode), (8, Some(0o400)));
}

fn said(failure: &Failure) -> String {
    assert_eq!(failure.exit(), Exit::BadInput);
    let text = failure.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[rstest]
#[case::not_yaml("a: [", "file:1:4: error: unclosed bracket '['; close it")]
#[case::nothing(
    "",
    "file has no PodCliqueSet of grove.io/v1alpha1; give a file that has one"
)]
#[case::another_kind("kind: Pod", "file has no PodCliqueSet")]
#[case::another_shape(
    &set("svc").replace("replicas: 2", "replicas: many"),
    "file: podcliqueset svc: spec.template.cliques[0].spec.replicas: \"many\": ",
)]
#[case::refused(
    &set("svc").replace("replicas: 2", "replicas: 2\n        minAvailable: 3"),
    "file: podcliqueset svc: spec.template.cliques[0].spec.minAvailable: ",
)]
fn a_manifest_that_cannot_be_used_is_refused_in_one_line(
    #[case] text: &str,
    #[case] expected: &str,
) {
    let failure = read_sets(text, "file", "ml").unwrap_err();
    let text = said(&failure);
    assert!(text.starts_with(expected), "{text}");
}

#[rstest]
#[case::no_nodes(
    r#"{"kind": "List", "items": []}"#,
    "dump has no nodes; make it with `kubectl get nodes,pods -A -o json`"
)]
#[case::a_quantity(
    r#"{"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "lots"}}}"#,
    r#"dump: node n: cpu "lots" is not a quantity; write it like 500m, 8 or 16Gi"#
)]
#[case::another_shape(
    r#"{"kind": "Node", "metadata": {"name": "n"}, "spec": 1}"#,
    "dump: node n: "
)]
fn a_dump_that_cannot_be_used_is_refused_in_one_line(#[case] text: &str, #[case] expected: &str) {
    let failure = read_dump(text, "dump").unwrap_err();
    let text = said(&failure);
    assert!(text.starts_with(expected), "{text}");
}
