//! The pods that a dry run sends, and those that it leaves out.

use api::PodCliqueSet;
use cli::lint::{Answer, Answers, Need, NeededKind, Remark, check_answers, choose_pods, needs_of};
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, Edit, FRONTEND, LEADER, at, edited};

use super::lint;

const POD: &str = "spec.template.cliques[0].spec.podSpec";

fn remarks(object: &Value) -> Vec<Remark> {
    let findings = lint(&object.to_string()).findings.into_iter();
    findings.map(|finding| finding.remark).collect()
}

fn set(object: &Value) -> PodCliqueSet {
    serde_json::from_value(object.clone()).unwrap()
}

/// The templates that are asked about, and the remarks on the others.
fn chosen(edits: &[Edit<'_>]) -> (Vec<String>, Vec<String>) {
    let object = edited(edits);
    let chosen = choose_pods(&set(&object), &remarks(&object), &[]);
    let asked = chosen.pods.into_iter().map(|(at, _)| at).collect();
    let skipped = chosen.skipped.iter().map(ToString::to_string).collect();
    (asked, skipped)
}

fn templates(cliques: &[usize]) -> Vec<String> {
    let cliques = cliques.iter();
    cliques
        .map(|i| format!("spec.template.cliques[{i}].spec.podSpec"))
        .collect()
}

#[test]
fn only_a_clique_with_an_error_in_its_pods_is_left_out() {
    let image = at(FRONTEND, "spec/podSpec/containers/0/image");
    let (asked, skipped) = chosen(&[(&image, json!(""))]);
    assert_eq!(asked, templates(&[1, 2]));
    let expected = format!(
        "{POD}: its pods were not checked by a dry run: {POD}.containers[0].image is wrong; correct \
         it, and try again"
    );
    assert_eq!(skipped, [expected]);
}

/// Its pods are those of nobody.
#[test]
fn a_clique_that_is_guessed_is_left_out() {
    let object = edited(&[(&at(CLIQUES, "-"), json!("extra"))]);
    let mut guessed = object.clone();
    guessed["spec"]["template"]["cliques"][3] =
        json!({"name": "extra", "spec": {"roleName": "extra", "podSpec": {"containers": []}}});
    let chosen = choose_pods(&set(&guessed), &remarks(&object), &[]);
    assert_eq!((chosen.pods.len(), chosen.skipped.len()), (3, 1));
}

#[test]
fn an_error_of_something_else_leaves_no_clique_out() {
    let minimum = at(LEADER, "spec/minAvailable");
    let edits = [("/spec/replicas", json!(-1)), (&*minimum, json!(9))];
    assert!(!remarks(&edited(&edits)).is_empty());
    assert_eq!(chosen(&edits), (templates(&[0, 1, 2]), Vec::new()));
}

/// A set with a name in each of these fields, and its needs of these kinds.
fn naming(field: &str, value: Value) -> PodCliqueSet {
    set(&edited(&[(
        &at(FRONTEND, &format!("spec/podSpec/{field}")),
        value,
    )]))
}

fn lacking(needs: &[Need], kinds: &[NeededKind]) -> Vec<Need> {
    let lacking = needs
        .iter()
        .filter(|need| kinds.contains(&need.wanted.kind));
    lacking.cloned().collect()
}

/// The pod of the first clique in a cluster without the objects of these kinds.
fn without(set: &PodCliqueSet, kinds: &[NeededKind]) -> Value {
    let lacking = lacking(&needs_of(set, "ml"), kinds);
    assert!(!lacking.is_empty());
    let lacking: Vec<&Need> = lacking.iter().collect();
    let chosen = choose_pods(set, &[], &lacking);
    assert_eq!((chosen.pods.len(), chosen.skipped.len()), (3, 0));
    let pod = json!(chosen.pods[0].1);
    pod["spec"].clone()
}

#[test]
fn names_that_the_cluster_lacks_are_left_out() {
    let account = naming("serviceAccountName", json!("runner"));
    let pod = without(&account, &[NeededKind::ServiceAccount]);
    assert_eq!(pod["serviceAccountName"], Value::Null);
    let class = naming("priorityClassName", json!("high"));
    let pod = without(&class, &[NeededKind::PriorityClass]);
    assert_eq!(pod["priorityClassName"], Value::Null);
    let of_set = set(&edited(&[(
        "/spec/template/priorityClassName",
        json!("high"),
    )]));
    let pod = without(&of_set, &[NeededKind::PriorityClass]);
    assert_eq!(pod["priorityClassName"], Value::Null);
}

/// The API server creates such pods; they start once the object exists.
#[test]
fn names_that_no_creation_needs_stay() {
    let set = naming("imagePullSecrets", json!([{"name": "registry"}]));
    let pod = without(&set, &[NeededKind::Secret]);
    assert_eq!(pod["imagePullSecrets"], json!([{"name": "registry"}]));
}

#[test]
fn a_name_that_another_clique_lacks_stays() {
    let edits = [0, 1].map(|i| format!("{CLIQUES}/{i}/spec/podSpec/serviceAccountName"));
    let names = ["runner", "other"];
    let edits: Vec<Edit<'_>> = edits
        .iter()
        .zip(names)
        .map(|(at, name)| (at.as_str(), json!(name)))
        .collect();
    let set = set(&edited(&edits));
    let needs = needs_of(&set, "ml");
    let of_other = needs.iter().filter(|need| need.wanted.name == "other");
    let chosen = choose_pods(&set, &[], &of_other.collect::<Vec<_>>());
    let names = chosen.pods.iter().take(2).map(|(_, pod)| {
        let spec = pod.spec.as_ref().unwrap();
        spec.service_account_name.as_deref()
    });
    assert_eq!(names.collect::<Vec<_>>(), [Some("runner"), None]);
}

#[test]
fn without_the_namespace_no_pod_is_asked_about() {
    let set = set(&edited(&[]));
    let needs = needs_of(&set, "ml");
    let lacking = lacking(&needs, &[NeededKind::Namespace]);
    let answers: Answers = lacking
        .iter()
        .map(|need| (need.wanted.clone(), Answer::Missing))
        .collect();
    let remarks = check_answers(&needs, &answers, Some(&set));
    let chosen = choose_pods(&set, &remarks, &[]);
    assert_eq!(chosen.pods.len(), 0);
    let skipped: Vec<_> = chosen.skipped.iter().map(ToString::to_string).collect();
    assert_eq!(
        skipped,
        [
            "spec.template.cliques: its pods were not checked by a dry run: the namespace ml does not \
             exist; create the namespace, and try again"
        ]
    );
}
