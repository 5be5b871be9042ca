//! The parts of a release; its version is the same everywhere.

mod advisories;
mod image;
mod workflow;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use xtask::output;
use xtask::release::chart::{ChartArguments, VERSION, with_registry};
use xtask::release::{changelog, chart, sbom};

fn read(path: &str) -> String {
    fs::read_to_string(output::root().join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&read(path)).unwrap()
}

#[test]
fn one_version_everywhere() {
    let chart = yaml("charts/grove/Chart.yaml");
    assert_eq!(chart["version"], VERSION);
    assert_eq!(chart["appVersion"], VERSION);
    let krew = yaml("config/krew/grove.yaml");
    assert_eq!(krew["spec"]["version"], format!("v{VERSION}"));
    let install = read("config/install.yaml");
    for image in ["grove-operator", "grove-initc"] {
        assert!(
            install.contains(&format!(": {image}:{VERSION}\n")),
            "{image}"
        );
    }
    let labels = install
        .lines()
        .filter(|l| l.contains("app.kubernetes.io/version: "));
    let other = labels.filter(|l| !l.ends_with(&format!("version: {VERSION}")));
    assert_eq!(other.collect::<Vec<_>>(), [""; 0]);
    let operations = read("docs/operations.md");
    assert!(operations.contains(&format!("grove-initc:{VERSION}\n")));
    let images = format!("localhost/grove-operator:{VERSION} localhost/grove-initc:{VERSION}\n");
    assert!(read("README.md").contains(&images), "{images}");
    let chart = format!("target/dist/grove-{VERSION}.tgz ");
    assert!(read("docs/releasing.md").contains(&chart), "{chart}");
}

/// At once, before anything is built.
#[test]
fn a_release_without_a_registry_says_how_to_name_one() {
    let script = output::root().join("hack/release.sh");
    let output = Command::new(script)
        .env_remove("REGISTRY")
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("REGISTRY is empty"), "{said}");
    let command = "make release REGISTRY=registry.example.com/team";
    assert!(said.contains(command), "{said}");
}

#[test]
fn the_compiler_of_the_image_is_that_of_the_tests() {
    let toolchain = read("rust-toolchain.toml");
    let version = toolchain.split("channel = \"").nth(1).unwrap();
    let version = version.split('"').next().unwrap();
    let image = format!("ARG RUST_IMAGE=docker.io/library/rust:{version}");
    assert!(read("Dockerfile").contains(&image), "{image}");
}

#[test]
fn changes_are_listed_by_kind_in_one_line_each() {
    let text = "# Changelog\n\n## 0.2.0 - 2026-02-01\n\n### Added\n- One ([docs](a.md)) thing:\n  \
                [more](b.md).\n- Two\n\n### Fixed\n- Three [x]\n\n## 0.1.0\n\n### Added\n- Old\n";
    let changes = changelog::changes(text, "0.2.0").unwrap();
    let expected = json!([
        {"kind": "added", "description": "One (docs) thing: more."},
        {"kind": "added", "description": "Two"},
        {"kind": "fixed", "description": "Three [x]"},
    ]);
    assert_eq!(changes, expected);
    let missing = changelog::changes(text, "0.3.0").unwrap_err().to_string();
    assert!(missing.contains("no heading `## 0.3.0`"), "{missing}");
    let unknown = changelog::changes("\n## 1\n\n### Nice\n- a\n", "1").unwrap_err();
    assert!(unknown.to_string().contains("`### Nice`"), "{unknown}");
}

#[test]
fn one_registry_is_written_into_the_values() {
    let values = with_registry(&read("charts/grove/values.yaml"), "r.example.com/t").unwrap();
    let values: Value = serde_saphyr::from_str(&values).unwrap();
    assert_eq!(values["image"]["registry"], "r.example.com/t");
    assert_eq!(values["initContainer"]["image"]["registry"], "");
    assert!(with_registry("a: 1\n", "r").is_err());
}

#[test]
fn the_chart_is_released_with_registry_licence_and_annotations() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ChartArguments {
        registry: "r.example.com/t".into(),
        out: folder.path().into(),
        changes_of: "Unreleased".into(),
    };
    assert!(chart::run(&arguments).unwrap());
    let written = folder.path().join("grove");
    assert!(written.join("LICENSE").exists() && written.join("templates/_helpers.tpl").exists());
    let text = fs::read_to_string(written.join("Chart.yaml")).unwrap();
    let chart: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(chart["version"], VERSION);
    let inner = |key: &str| -> Value {
        let text = &chart["annotations"][format!("artifacthub.io/{key}")];
        serde_saphyr::from_str(text.as_str().unwrap()).unwrap()
    };
    assert_eq!(inner("crds").as_array().unwrap().len(), 5);
    assert!(inner("crds")[0]["description"].is_string());
    assert_eq!(inner("crdsExamples")[0]["kind"], "PodCliqueSet");
    assert!(inner("changes").as_array().unwrap().len() > 20);
    let image = &inner("images")[0]["image"];
    assert!(
        image
            .as_str()
            .unwrap()
            .starts_with("r.example.com/t/grove-operator:")
    );
}

#[test]
fn the_list_of_parts_has_the_linked_crates_and_nothing_else() {
    let list = sbom::list(&sbom::read_facts().unwrap());
    let components = list["components"].as_array().unwrap();
    let find = |name: &str| components.iter().find(|c| c["name"] == name);
    for linked in ["operator", "initc", "cli", "kube", "rustls", "ring"] {
        assert!(find(linked).is_some(), "{linked}");
    }
    for other in ["insta", "rstest", "xtask", "cc"] {
        assert!(find(other).is_none(), "{other}");
    }
    assert_eq!(find("operator").unwrap()["type"], "application");
    let unlicensed = components.iter().filter(|c| c["licenses"].is_null());
    assert_eq!(unlicensed.collect::<Vec<_>>(), Vec::<&Value>::new());
    let references: Vec<&str> = components
        .iter()
        .map(|c| c["bom-ref"].as_str().unwrap())
        .collect();
    for dependency in list["dependencies"].as_array().unwrap() {
        for below in dependency["dependsOn"].as_array().unwrap() {
            assert!(references.contains(&below.as_str().unwrap()), "{below}");
        }
    }
}

/// The same for the same parts, and a UUID by its form.
#[test]
fn the_list_of_parts_has_a_serial_number() {
    let facts = |version: &str| sbom::Facts {
        metadata: json!({"packages": [{
            "id": "a", "name": "a", "version": version, "license": "MIT", "source": null,
        }]}),
        linked: [("a".to_owned(), version.to_owned())].into(),
    };
    let number = |version: &str| {
        let list = sbom::list(&facts(version));
        list["serialNumber"].as_str().unwrap().to_owned()
    };
    let first = number("1.0.0");
    assert_eq!(first, number("1.0.0"));
    assert_ne!(first, number("1.0.1"));
    let uuid = first.strip_prefix("urn:uuid:").unwrap();
    let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
    assert_eq!(lengths, [8, 4, 4, 4, 12], "{uuid}");
    let is_hexadecimal = uuid.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    assert!(is_hexadecimal, "{uuid}");
}

/// Two programs list the linked crates, by two ways of calling cargo.
#[test]
fn the_licences_of_all_linked_crates_are_there() {
    let mut script = Command::new(output::root().join("hack/licences.sh"));
    script.args(["x86_64-unknown-linux-musl", "operator", "initc", "cli"]);
    let output = script.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let facts = sbom::read_facts().unwrap();
    let list = sbom::list(&facts);
    let is_ours = |c: &&Value| {
        let packages = facts.metadata["packages"].as_array().unwrap();
        let found = packages.iter().find(|p| p["name"] == c["name"]);
        found.is_some_and(|p| p["source"].is_null())
    };
    let text_of = |v: &Value| v.as_str().unwrap().to_owned();
    let components = list["components"].as_array().unwrap();
    let foreign = components.iter().filter(|c| !is_ours(c));
    let foreign: Vec<String> = foreign
        .map(|c| format!("  {}-{} (", text_of(&c["name"]), text_of(&c["version"])))
        .collect();
    assert!(foreign.len() > 200, "{}", foreign.len());
    let missing: Vec<_> = foreign.iter().filter(|c| !text.contains(*c)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    assert!(text.contains("Permission is hereby granted, free of charge"));
}
