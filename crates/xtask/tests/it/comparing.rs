//! What the comparison calls missing, different, added.

use serde_json::{Value, json};
use xtask::compare::compare;

fn definition() -> Value {
    let crd = api::crds::all()
        .into_iter()
        .find(|c| c.spec.names.kind == "PodCliqueScalingGroup")
        .unwrap();
    serde_json::to_value(crd).unwrap()
}

fn spec(crd: &mut Value) -> &mut Value {
    &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
}

#[test]
fn a_definition_is_like_itself() {
    let same = compare("PodCliqueScalingGroup", &definition(), &definition());
    assert!(same.missing.is_empty() && same.different.is_empty());
    assert!(same.additions.is_empty() && same.excepted.is_empty());
}

#[test]
fn what_theirs_has_more_is_missing_once() {
    let mut theirs = definition();
    spec(&mut theirs)["properties"]["extra"] =
        json!({"type": "object", "properties": {"inner": {"type": "string"}}});
    let comparison = compare("PodCliqueScalingGroup", &definition(), &theirs);
    assert_eq!(comparison.missing, ["spec.extra"]);
    let comparison = compare("PodCliqueScalingGroup", &theirs, &definition());
    assert_eq!(comparison.additions, ["spec.extra"]);
}

#[test]
fn keywords_columns_and_scale_are_compared() {
    let mut theirs = definition();
    let fields = &mut spec(&mut theirs)["properties"];
    fields["replicas"]["default"] = json!(2);
    fields["cliqueNames"]["x-kubernetes-list-type"] = json!("set");
    spec(&mut theirs)["required"] = json!(["cliqueNames"]);
    let version = &mut theirs["spec"]["versions"][0];
    version["additionalPrinterColumns"][0]["name"] = json!("Minimum");
    version["subresources"]["scale"]["labelSelectorPath"] = json!(".status.other");
    let comparison = compare("PodCliqueScalingGroup", &definition(), &theirs);
    assert_eq!(comparison.missing, ["column Minimum"]);
    assert_eq!(comparison.additions, ["column MinAvail"]);
    let about: Vec<&str> = comparison
        .different
        .iter()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(
        about,
        [
            "crd subresources",
            "spec.cliqueNames x-kubernetes-list-type",
            "spec.replicas default",
            "spec.replicas required",
        ]
    );
}

#[test]
fn exceptions_are_told_apart() {
    let mut theirs = definition();
    let columns = theirs["spec"]["versions"][0]["additionalPrinterColumns"]
        .as_array_mut()
        .unwrap();
    for column in columns {
        column.as_object_mut().unwrap().remove("priority");
    }
    let comparison = compare("PodCliqueScalingGroup", &definition(), &theirs);
    assert_eq!(comparison.excepted.len(), 4);
    assert_eq!(
        comparison.different.len(),
        2,
        "MinBreached is wide in Grove too, and Message is ours alone"
    );
}
