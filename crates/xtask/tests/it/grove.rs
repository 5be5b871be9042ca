//! The definitions contain everything of Grove's. `facts` records Grove's: names, columns,
//! subresources, and for each field path, type, default, enum, and whether it is required.

mod exceptions;
mod facts;

use exceptions::{EXCEPTIONS, Exception};
use facts::Facts;
use rstest::rstest;
use serde_json::{Value, json};

const KINDS: [(&str, &str); 5] = [
    (
        "ClusterTopologyBinding",
        include_str!("grove/facts/clustertopologybindings.txt"),
    ),
    ("PodClique", include_str!("grove/facts/podcliques.txt")),
    (
        "PodCliqueScalingGroup",
        include_str!("grove/facts/podcliquescalinggroups.txt"),
    ),
    (
        "PodCliqueSet",
        include_str!("grove/facts/podcliquesets.txt"),
    ),
    ("PodGang", include_str!("grove/facts/podgangs.txt")),
];

fn definition(kind: &str) -> Value {
    let crd = api::crds::all()
        .iter()
        .find(|crd| crd.spec.names.kind == kind)
        .unwrap();
    serde_json::to_value(crd).unwrap()
}

/// Paths at which our definition lacks or changes a fact. A missing object is listed without its
/// content.
fn differences<'a>(ours: &Facts, theirs: &'a Facts) -> Vec<(&'a str, String)> {
    theirs
        .iter()
        .filter(|(path, fact)| ours.get(*path) != Some(fact))
        .filter(|(path, _)| parent(path).is_none_or(|parent| ours.contains_key(parent)))
        .map(|(path, fact)| {
            let own = ours.get(path).map_or("missing", String::as_str);
            (&**path, format!("{path}: ours {own}, theirs {fact}"))
        })
        .collect()
}

fn parent(path: &str) -> Option<&str> {
    path.strip_suffix("[]")
        .or_else(|| path.strip_suffix("{}"))
        .or_else(|| path.rsplit_once('.').map(|(parent, _)| parent))
        .filter(|_| !path.starts_with('('))
}

fn exception(kind: &str, path: &str) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|one| one.covers(kind, path))
}

#[test]
fn all_kinds_are_recorded() {
    let kinds = api::crds::all().iter();
    let kinds = kinds.map(|crd| crd.spec.names.kind.clone());
    let mut kinds: Vec<String> = kinds.collect();
    kinds.sort();
    assert_eq!(kinds, KINDS.map(|(kind, _)| kind));
}

#[test]
fn definitions_have_all_facts_of_groves() {
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut wrong = Vec::new();
    for (kind, recorded) in KINDS {
        let (ours, theirs) = (facts::of(&definition(kind)), facts::parse(recorded));
        for (path, line) in differences(&ours, &theirs) {
            match EXCEPTIONS.iter().position(|one| one.covers(kind, path)) {
                Some(number) => used[number] = true,
                None => wrong.push(format!("{kind} {line}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unused = EXCEPTIONS.iter().zip(used).filter(|(_, is_used)| !is_used);
    let unused: Vec<&str> = unused.map(|(one, _)| one.path).collect();
    assert!(unused.is_empty(), "no difference needs {unused:?}");
    assert!(EXCEPTIONS.iter().all(|one| !one.reason.is_empty()));
}

/// Objects of Grove's stay valid, and Grove ignores fields that it does not know.
#[test]
fn fields_that_groves_lack_are_optional() {
    let placements = "spec.podgroups[].placements";
    assert!(facts::of(&definition("PodGang")).contains_key(placements));
    for (kind, recorded) in KINDS {
        let (ours, theirs) = (facts::of(&definition(kind)), facts::parse(recorded));
        let is_added = |path: &str| {
            let is_below_known = parent(path).is_none_or(|parent| theirs.contains_key(parent));
            is_below_known && !theirs.contains_key(path)
        };
        let required: Vec<&str> = ours
            .iter()
            .filter(|(path, _)| is_added(path))
            .filter(|(_, fact)| fact.split(' ').next().is_some_and(|t| t.ends_with('!')))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(required, [""; 0], "{kind}");
    }
}

/// The facts of a set leave its pod templates out.
#[test]
fn the_pod_template_of_a_set_is_that_of_a_podclique() {
    let schema = |kind: &str, pointer: &str| {
        let crd = definition(kind);
        let root = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        root.pointer(pointer).unwrap().clone()
    };
    let of_set = "/properties/spec/properties/template/properties/cliques/items/properties/spec\
                  /properties/podSpec/properties";
    let of_set = schema("PodCliqueSet", of_set);
    let alone = schema(
        "PodClique",
        "/properties/spec/properties/podSpec/properties",
    );
    let names =
        |schema: &Value| -> Vec<String> { schema.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(names(&of_set), names(&alone));
    assert_eq!(of_set["containers"]["type"], alone["containers"]["type"]);
}

/// Each change of a definition below is a difference at that path.
#[rstest]
#[case::no_field("spec.minAvailable", |spec: &mut Value| {
    spec["properties"].as_object_mut().unwrap().remove("minAvailable");
})]
#[case::no_default("spec.replicas", |spec: &mut Value| {
    spec["properties"]["replicas"].as_object_mut().unwrap().remove("default");
})]
#[case::a_type("spec.cliqueNames[]", |spec: &mut Value| {
    spec["properties"]["cliqueNames"]["items"]["type"] = json!("integer");
})]
#[case::not_required("spec.cliqueNames", |spec: &mut Value| spec["required"] = json!(["replicas"]))]
#[case::an_enum("spec.minAvailable", |spec: &mut Value| {
    spec["properties"]["minAvailable"]["enum"] = json!([1, 2]);
})]
fn a_changed_fact_is_found(#[case] path: &str, #[case] change: fn(&mut Value)) {
    let kind = "PodCliqueScalingGroup";
    let theirs = facts::of(&definition(kind));
    let mut crd = definition(kind);
    change(&mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]);
    let ours = facts::of(&crd);
    let found = differences(&ours, &theirs);
    let paths: Vec<&str> = found.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, [path]);
    assert!(exception(kind, path).is_none());
}
