//! Small facts of the definitions that users see.

use api::conditions::Reason;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps,
};
use std::fmt::Write;
use strum::IntoEnumIterator as _;

/// The API server keeps the applied manifest in an annotation; this is its limit for all
/// annotations.
const ANNOTATION_LIMIT: usize = 262_144;

fn root(crd: &CustomResourceDefinition) -> &JSONSchemaProps {
    let schema = crd.spec.versions[0].schema.as_ref().unwrap();
    schema.open_api_v3_schema.as_ref().unwrap()
}

fn schema_of(kind: &str) -> serde_json::Value {
    let crds = api::crds::all();
    let crd = crds.iter().find(|c| c.spec.names.kind == kind).unwrap();
    serde_json::to_value(root(crd)).unwrap()
}

fn summary(crd: &CustomResourceDefinition) -> String {
    let names = &crd.spec.names;
    let version = &crd.spec.versions[0];
    let mut text = format!(
        "{} {} {:?} {}\n",
        crd.metadata.name.as_deref().unwrap(),
        names.list_kind.as_deref().unwrap(),
        names.short_names.as_ref().unwrap(),
        crd.spec.scope
    );
    let subresources = version.subresources.as_ref().unwrap();
    writeln!(text, "  status: {}", subresources.status.is_some()).unwrap();
    if let Some(scale) = &subresources.scale {
        let selector = scale.label_selector_path.as_deref().unwrap();
        let (spec, status) = (&scale.spec_replicas_path, &scale.status_replicas_path);
        writeln!(text, "  scale: {spec} {status} {selector}").unwrap();
    }
    writeln!(
        text,
        "  categories: {:?}",
        names.categories.as_ref().unwrap()
    )
    .unwrap();
    let selectable = version.selectable_fields.iter().flatten();
    for field in selectable {
        writeln!(text, "  selectable: {}", field.json_path).unwrap();
    }
    for column in version.additional_printer_columns.iter().flatten() {
        let wide = if column.priority == Some(1) {
            " (wide)"
        } else {
            ""
        };
        writeln!(
            text,
            "  {}{wide}: {} {}",
            column.name, column.type_, column.json_path
        )
        .unwrap();
    }
    text
}

#[test]
fn names_columns_and_subresources() {
    let summaries: Vec<String> = api::crds::all().iter().map(summary).collect();
    insta::assert_snapshot!(summaries.join("\n"));
}

#[test]
fn they_are_derived_once() {
    assert!(std::ptr::eq(api::crds::all(), api::crds::all()));
}

#[test]
fn every_fact_of_the_tables_found_its_field() {
    for crd in api::crds::all() {
        let lost = api::schema::unmatched_paths(&crd.spec.names.kind, root(crd));
        assert_eq!(lost, Vec::<String>::new(), "{}", crd.spec.names.kind);
    }
}

/// `kubectl get crd -l app.kubernetes.io/name=grove-operator -L app.kubernetes.io/version`
#[test]
fn definitions_say_which_version_they_are() {
    for crd in api::crds::all() {
        let labels = crd.metadata.labels.as_ref().unwrap();
        assert_eq!(labels[api::labels::NAME], "grove-operator");
        assert_eq!(labels[api::labels::VERSION], env!("CARGO_PKG_VERSION"));
        // The operator selects its objects by this label.
        assert!(!labels.contains_key(api::labels::MANAGED_BY));
    }
}

#[test]
fn plain_apply_works() {
    for crd in api::crds::all() {
        let size = serde_json::to_string(crd).unwrap().len();
        assert!(
            size < ANNOTATION_LIMIT,
            "{}: {size} bytes",
            crd.spec.names.kind
        );
    }
}

#[test]
fn nothing_is_nullable_and_nothing_has_a_title() {
    for crd in api::crds::all() {
        let text = serde_json::to_string(crd).unwrap();
        assert!(!text.contains(r#""nullable""#), "{}", crd.spec.names.kind);
        assert!(!text.contains(r#""title""#), "{}", crd.spec.names.kind);
    }
}

#[test]
fn descriptions_are_ours_and_name_no_source() {
    for crd in api::crds::all() {
        let text = schema_of(&crd.spec.names.kind).to_string();
        let leaks = ["(seed", "(Grove", "docs/", "§", "decision "];
        let leaked: Vec<_> = leaks.iter().filter(|leak| text.contains(**leak)).collect();
        assert!(leaked.is_empty(), "{}: {leaked:?}", crd.spec.names.kind);
    }
    let spec = &schema_of("PodClique")["properties"]["spec"]["properties"];
    assert!(spec["podSpec"]["description"].is_string());
    assert!(spec["minAvailable"]["description"].is_string());
    let inside = spec["podSpec"]["properties"].to_string();
    assert!(!inside.contains(r#""description""#));
}

#[test]
fn lists_of_pod_specs_merge_as_in_kubernetes() {
    let schema = schema_of("PodClique");
    let pod_spec = &schema["properties"]["spec"]["properties"]["podSpec"]["properties"];
    let container = &pod_spec["containers"]["items"]["properties"];
    let keys = |list: &serde_json::Value| list["x-kubernetes-list-map-keys"].to_string();
    assert_eq!(keys(&pod_spec["containers"]), r#"["name"]"#);
    assert_eq!(keys(&container["ports"]), r#"["containerPort","protocol"]"#);
    assert_eq!(
        keys(&pod_spec["topologySpreadConstraints"]),
        r#"["topologyKey","whenUnsatisfiable"]"#
    );
    assert_eq!(container["args"]["x-kubernetes-list-type"], "atomic");
    assert_eq!(
        container["ports"]["items"]["properties"]["protocol"]["default"],
        "TCP"
    );
}

#[test]
fn defaults() {
    let schema = schema_of("PodCliqueSet");
    let spec = &schema["properties"]["spec"]["properties"];
    let template = &spec["template"]["properties"];
    let group = &template["podCliqueScalingGroups"]["items"]["properties"];
    assert_eq!(spec["replicas"]["default"], 0);
    assert_eq!(
        spec["updateStrategy"]["properties"]["type"]["default"],
        "RollingRecreate"
    );
    assert_eq!(
        template["cliqueStartupType"]["default"],
        "CliqueStartupTypeAnyOrder"
    );
    assert_eq!(group["replicas"]["default"], 1);
    assert_eq!(group["minAvailable"]["default"], 1);
    assert!(template["headlessServiceConfig"].get("default").is_none());
}

/// `kubectl get pcs,pcsg,pclq,pg` of the example in `examples/disaggregated.yaml`, with every cause
/// in column State. kubectl puts the kind before names, sets columns three spaces apart and does
/// not pad the last one, the age.
#[test]
fn the_first_table_of_a_user_fits_120_columns() {
    let good = [
        Reason::AllReady,
        Reason::MinimumReady,
        Reason::ScaledToZero,
        Reason::WorkloadSucceeded,
        Reason::GuaranteedPodsReady,
    ];
    let causes = Reason::iter().filter(|r| r.priority() < usize::MAX);
    let reasons = causes.chain(good);
    let longest_reason = reasons.map(|r| r.to_string().len()).max().unwrap();
    for (kind, name) in [
        ("PodCliqueSet", "disaggregated"),
        ("PodCliqueScalingGroup", "disaggregated-0-workers"),
        ("PodClique", "disaggregated-0-workers-0-prefill"),
        ("PodGang", "disaggregated-0-workers-0"),
    ] {
        let crds = api::crds::all();
        let crd = crds.iter().find(|c| c.spec.names.kind == kind).unwrap();
        let columns = crd.spec.versions[0].additional_printer_columns.iter();
        let width: usize = columns
            .flatten()
            .filter(|column| column.priority.unwrap_or(0) == 0)
            .map(|column| match column.type_.as_str() {
                "date" => "118m".len(),
                "string" if column.name == "State" => longest_reason + 3,
                // Otherwise "Succeeded" and "Scheduled" are the longest words.
                "string" => column.name.len().max(9) + 3,
                _ => column.name.len() + 3,
            })
            .sum();
        let width = format!("{kind}.{}/{name}", crd.spec.group).len() + 3 + width;
        assert!(width <= 120, "{kind}: {width}");
    }
}

/// The paths of defaults below a value that one writer owns as a whole; keys of map lists need
/// theirs.
fn defaults_in_atomics(schema: &serde_json::Value, path: &str, is_inside: bool) -> Vec<String> {
    let is_inside = is_inside || schema["x-kubernetes-map-type"] == "atomic";
    let own = |name: &str, child: &serde_json::Value| {
        let here = format!("{path}.{name}");
        let is_default = is_inside && !child["default"].is_null();
        let mut found = defaults_in_atomics(child, &here, is_inside);
        found.extend(is_default.then_some(here));
        found
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut found: Vec<_> = properties
        .flat_map(|(name, child)| own(name, child))
        .collect();
    if let Some(items) = schema.get("items") {
        let is_map = schema["x-kubernetes-list-type"] == "map";
        let keys = schema["x-kubernetes-list-map-keys"].as_array();
        let is_key = |found: &String| {
            let name = found.rsplit('.').next();
            let keys = keys.into_iter().flatten();
            found.matches("[].").count() == path.matches("[].").count() + 1
                && keys
                    .filter_map(|key| key.as_str())
                    .any(|key| Some(key) == name)
        };
        let inside = defaults_in_atomics(items, &format!("{path}[]"), is_inside || !is_map);
        found.extend(inside.into_iter().filter(|found| !is_key(found)));
    }
    found
}

/// Server-side apply of the same manifest by another writer would find a conflict.
#[test]
fn nothing_is_filled_in_where_one_writer_owns_the_whole() {
    for crd in api::crds::all() {
        let schema = serde_json::to_value(root(crd)).unwrap();
        let found = defaults_in_atomics(&schema, "", false);
        assert_eq!(found, Vec::<String>::new(), "{}", crd.spec.names.kind);
    }
}
