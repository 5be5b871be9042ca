//! Types, limits and names of fields.

use rstest::rstest;
use serde_json::json;
use testkit::good_set::{FRONTEND, GROUP, at, edited};

use super::{lint, said, source};
use cli::lint::{StoredObjects, judge_sources};

/// A good set whose frontend has these lines in its spec.
fn with(lines: &str) -> String {
    let lines = lines.replace('\n', "\n          ");
    format!(
        "\
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: serve
spec:
  replicas: 1
  template:
    cliques:
      - name: frontend
        spec:
          roleName: frontend
          {lines}
"
    )
}

const POD: &str = "podSpec: {containers: [{name: main, image: \"a:1\"}]}";

#[rstest]
#[case::number_in_quotes(
    "replicas: \"3\"",
    "12:21: spec.template.cliques[0].spec.replicas: \"3\": must be a whole number; remove the quotes"
)]
#[case::text(
    "replicas: three",
    "12:21: spec.template.cliques[0].spec.replicas: \"three\": must be a whole number; correct it"
)]
#[case::fraction(
    "replicas: 1.5",
    "12:21: spec.template.cliques[0].spec.replicas: 1.5: must be a whole number; correct it"
)]
#[case::object_for_a_list(
    "startsAfter:\n  name: a",
    "12:11: spec.template.cliques[0].spec.startsAfter: an object of 1 fields: must be a list; put `- ` before its first field"
)]
#[case::text_for_a_list(
    "startsAfter: a",
    "12:24: spec.template.cliques[0].spec.startsAfter: \"a\": must be a list; write it as a list"
)]
#[case::null_in_a_list(
    "startsAfter: [~]",
    "12:25: spec.template.cliques[0].spec.startsAfter[0]: null: must be a string; fill it in, or remove it"
)]
#[case::too_many(
    "replicas: 3000000000",
    "12:21: spec.template.cliques[0].spec.replicas: 3000000000: must not be greater than 10000; lower it"
)]
fn a_value_of_another_type_is_an_error(#[case] lines: &str, #[case] expected: &str) {
    let report = lint(&with(&format!("{lines}\n{POD}")));
    assert_eq!(said(&report, &["definition"]), [expected]);
}

#[rstest]
#[case::yes_as_a_text(
    "podSpec:\n  containers:\n    - name: main\n      env:\n        - {name: A, value: yes}",
    "16:38: spec.template.cliques[0].spec.podSpec.containers[0].env[0].value: true: must be a string; put it in quotes"
)]
#[case::port_twice(
    "podSpec:\n  containers:\n    - name: main\n      ports:\n        - {containerPort: 80}\n        - {containerPort: 80, protocol: TCP}",
    "17:37: spec.template.cliques[0].spec.podSpec.containers[0].ports[1].containerPort: 80, \"TCP\": is the key of spec.template.cliques[0].spec.podSpec.containers[0].ports[0], too; correct or remove one of the two"
)]
#[case::container_without_a_name(
    "podSpec:\n  containers:\n    - image: \"a:1\"",
    "14:17: spec.template.cliques[0].spec.podSpec.containers[0].name: not set: is required; set it"
)]
#[case::quantity(
    "podSpec:\n  containers:\n    - name: main\n      resources: {requests: {memory: 16 Gi}}",
    "15:48: spec.template.cliques[0].spec.podSpec.containers[0].resources.requests[memory]: \"16 Gi\": is not a quantity; write it such as 500m, 4 or 16Gi"
)]
#[case::no_pod_spec(
    "replicas: 1",
    "10:9: spec.template.cliques[0].spec.podSpec: not set: is required; set it"
)]
fn pod_specs_are_looked_at_too(#[case] lines: &str, #[case] expected: &str) {
    let report = lint(&with(lines));
    assert_eq!(said(&report, &["definition"]), [expected]);
}

#[test]
fn an_enum_lists_its_values() {
    let object = edited(&[("/spec/template/cliqueStartupType", json!("InOrder"))]);
    let report = lint(&object.to_string());
    let found = said(&report, &["definition"]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains(
            "\"InOrder\": is not an allowed value; use one of CliqueStartupTypeAnyOrder, "
        ),
        "{found:?}"
    );
}

#[rstest]
#[case::typo(
    "minAvaliable: 1",
    "spec.template.cliques[0].spec.minAvaliable: the field does not exist; kubectl refuses it, the API server drops it; name it minAvailable, or remove it"
)]
#[case::case(
    "minavailable: 1",
    "spec.template.cliques[0].spec.minavailable: the field does not exist; kubectl refuses it, the API server drops it; name it minAvailable, or remove it"
)]
#[case::another_word(
    "gpus: 1",
    "spec.template.cliques[0].spec.gpus: the field does not exist; kubectl refuses it, the API server drops it; remove it"
)]
#[case::of_what_is_in_it(
    "containers: []",
    "spec.template.cliques[0].spec.containers: the field does not exist; kubectl refuses it, the API server drops it; move it to spec.template.cliques[0].spec.podSpec, which has such a field"
)]
#[case::of_what_it_is_in(
    "rollingUpdate: {}",
    "spec.template.cliques[0].spec.rollingUpdate: the field does not exist; kubectl refuses it, the API server drops it; move it to spec.template.cliques[0], which has such a field"
)]
#[case::of_all_around(
    "suspend: true",
    "spec.template.cliques[0].spec.suspend: the field does not exist; kubectl refuses it, the API server drops it; move it to spec, which has such a field"
)]
fn an_unknown_field_is_an_error(#[case] line: &str, #[case] expected: &str) {
    let report = lint(&with(&format!("{line}\n{POD}")));
    assert_eq!(
        said(&report, &["unknown-field"]),
        [format!("12:{}: {expected}", column(line))]
    );
    assert_eq!(report.errors(), 1, "{:?}", report.findings);
}

/// A clique has a podSpec where a Deployment has a template, and a pod a spec.
#[rstest]
#[case::in_the_pod(
    at(FRONTEND, "spec/podSpec/spec"),
    "spec.template.cliques[0].spec.podSpec.spec"
)]
#[case::template_in_the_pod(
    at(FRONTEND, "spec/podSpec/template"),
    "spec.template.cliques[0].spec.podSpec.template"
)]
#[case::in_the_spec(
    at(FRONTEND, "spec/template"),
    "spec.template.cliques[0].spec.template"
)]
#[case::spec_in_the_spec(at(FRONTEND, "spec/spec"), "spec.template.cliques[0].spec.spec")]
#[case::in_the_clique(at(FRONTEND, "template"), "spec.template.cliques[0].template")]
fn the_spec_of_pods_belongs_into_pod_spec(#[case] place: String, #[case] path: &str) {
    let report = lint(&edited(&[(&place, json!({}))]).to_string());
    let found = said(&report, &["unknown-field"]).concat();
    let expected = format!(
        " {path}: the field does not exist; kubectl refuses it, the API server drops it; move the \
         fields of the pods' spec in it to spec.template.cliques[0].spec.podSpec"
    );
    assert!(found.ends_with(&expected), "{found}");
}

fn column(line: &str) -> usize {
    11 + line.find(": ").unwrap() + 2
}

#[test]
fn unknown_fields_are_found_everywhere() {
    let object = edited(&[
        ("/specs", json!({})),
        ("/metadata/label", json!({})),
        (&at(FRONTEND, "spec/podSpec/container"), json!([])),
        (
            &at(FRONTEND, "spec/podSpec/containers/0/imagePullPolcy"),
            json!("Always"),
        ),
        (&at(GROUP, "clique"), json!(["a"])),
        ("/status", json!({"anything": 1})),
    ]);
    let report = lint(&object.to_string());
    insta::assert_snapshot!(said(&report, &["unknown-field"]).join("\n"));
}

/// The hint is the correct field, not a similar one of the definition.
#[test]
fn a_field_that_is_often_misspelt_has_a_hint() {
    let text = with(POD) + "    podCliqueScalingGroupConfigs: []\n";
    let report = lint(&text);
    assert_eq!(
        said(&report, &["unknown-field"]),
        [
            "13:35: spec.template.podCliqueScalingGroupConfigs: []: the field does not exist; kubectl refuses it, the API server drops it; name it podCliqueScalingGroups"
        ]
    );
}

/// The API server drops them.
#[test]
fn fields_that_are_null_are_not_there() {
    let text = with(&format!("replicas:\nminAvailable: ~\n{POD}"))
        + "        labels: {a: ~}\nstatus: {replicas: x}\n";
    assert_eq!(lint(&text).errors(), 0);
}

#[test]
fn the_operators_own_keys_and_odd_constraints_are_refused() {
    let object = edited(&[
        (
            &at(FRONTEND, "labels"),
            json!({"grove.io/podclique": "x", "mine": "y"}),
        ),
        (
            &at(GROUP, "annotations"),
            json!({"grove.io/attempt": "1", "grove.io/topology-name": "t"}),
        ),
        (
            "/spec/template/topologyConstraint",
            json!({"topologyName": "t"}),
        ),
        (
            &at(FRONTEND, "topologyConstraint"),
            json!({"topologyName": "t", "packDomain": "rack"}),
        ),
        (
            &at(GROUP, "topologyConstraint"),
            json!({"topologyName": "t", "pack": {}}),
        ),
    ]);
    let report = lint(&object.to_string());
    insta::assert_snapshot!(said(&report, &["definition"]).join("\n"));
}

/// An error that the stored version has already does not refuse a change.
#[test]
fn errors_of_the_stored_version_are_accepted() {
    let old = edited(&[(&at(FRONTEND, "labels"), json!({"grove.io/podclique": "x"}))]);
    let new = edited(&[
        (&at(FRONTEND, "labels"), json!({"grove.io/podclique": "x"})),
        ("/spec/replicas", json!("2")),
    ]);
    let stored = StoredObjects::of(&[source("old.json", old.to_string())]).unwrap();
    let report = judge_sources(&[source("new.json", new.to_string())], &stored).into_report(&[]);
    let said = said(&report, &["definition"]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("spec.replicas: \"2\": must be a whole number"));
}

#[test]
fn of_very_many_remarks_the_first_are_printed() {
    let fields = (0..200)
        .map(|i| format!("unknown{i}: 1"))
        .collect::<Vec<_>>();
    let report = lint(&with(&format!("{}\n{POD}\nreplicas: x", fields.join("\n"))));
    let (unknown, errors) = (
        said(&report, &["unknown-field"]),
        said(&report, &["definition"]),
    );
    assert_eq!((unknown.len(), errors.len()), (50, 1));
    assert!(
        unknown
            .iter()
            .any(|line| line.contains("spec: 151: has more problems")),
        "{unknown:?}"
    );
}

/// The rest is judged with the intended value: the word with the nearest spelling, a number without
/// its quotes.
#[rstest]
#[case::an_enum("workloadType: training", &["definition", "no-restarts"])]
#[case::a_number("replicas: \"2\"", &["definition"])]
#[case::a_list("updateStrategy: []", &["definition"])]
fn a_wrong_value_hides_nothing_else(#[case] line: &str, #[case] more: &[&str]) {
    let text = with(&POD.replace("a:1", "a")).replace("replicas: 1", line);
    let report = lint(&text);
    let rules: Vec<_> = report.findings.iter().map(|f| f.remark.rule.id).collect();
    let expected = [more, &["image-without-version", "no-requests"]].concat();
    assert!(
        expected.iter().all(|rule| rules.contains(rule)),
        "{rules:?}"
    );
}

#[test]
fn topologies_are_judged_too() {
    let text = "\
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: t}
spec:
  levels:
    - {domain: zone, key: example.com/zone, keys: []}
    - {domain: zone, key: 3}
---
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: u}
spec:
  levels:
    - {domain: zone, key: example.com/zone}
    - {domain: zone, key: example.com/rack}
";
    let report = lint(text);
    insta::assert_snapshot!(said(&report, &["definition", "refused", "unknown-field"]).join("\n"));
}
