//! Manifests in the README and in the documents, which people copy.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{lint, said};

/// The documents of users, from the root of the checkout.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = fs::read_dir(root.join("docs")).unwrap();
    let pages = entries.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = pages
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .chain([root.join("README.md")])
        .collect();
    pages.sort();
    pages
}

/// A block of YAML in a document; documents write `{...}` for an omitted pod spec.
struct Block {
    place: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for path in documents() {
        let page = fs::read_to_string(&path).unwrap();
        for (number, rest) in page.split("```yaml\n").skip(1).enumerate() {
            let (text, _) = rest.split_once("\n```").unwrap();
            let pods = "podSpec: {containers: [{name: main, image: \"any:1\"}]}";
            blocks.push(Block {
                place: format!("{}, block {}", path.display(), number + 1),
                text: format!("{}\n", text.replace("podSpec: {...}", pods)),
            });
        }
    }
    assert!(blocks.len() > 12, "{}", blocks.len());
    blocks
}

impl Block {
    fn values(&self) -> Vec<Value> {
        let values = serde_saphyr::from_multiple(&self.text);
        values.unwrap_or_else(|error| panic!("{}: {error}", self.place))
    }

    fn is_whole(&self) -> bool {
        self.values().iter().all(|value| value["kind"].is_string())
    }
}

#[test]
fn manifests_in_documents_have_no_errors_and_start_pods() {
    let mut sets = 0;
    for block in blocks().iter().filter(|block| block.is_whole()) {
        let report = lint(&block.text);
        let dropped = said(&report, &["unknown-field", "definition", "wrong-version"]);
        assert_eq!(dropped, [""; 0], "{}", block.place);
        assert_eq!(
            report.errors(),
            0,
            "{}: {:#?}",
            block.place,
            report.findings
        );
        for set in block
            .values()
            .iter()
            .filter(|v| v["kind"] == "PodCliqueSet")
        {
            assert!(
                set["spec"]["replicas"].as_i64() > Some(0),
                "{}",
                block.place
            );
            sets += 1;
        }
    }
    assert!(sets >= 4, "{sets}");
}

/// Places into which parts of a manifest fit: the lines above, and the margin.
const PLACES: [(&str, &str, usize); 5] = [
    ("PodCliqueSet", "", 0),
    ("ClusterTopologyBinding", "", 0),
    ("PodCliqueSet", "spec:", 2),
    ("PodCliqueSet", "spec:\n  template:", 4),
    (
        "PodCliqueSet",
        "spec:\n  template:\n    cliques:\n    - spec:\n        podSpec:\n          containers:\n          - name: main",
        12,
    ),
];

/// Whether the part has only fields that one of the places has.
fn fits(part: &str) -> bool {
    PLACES.iter().any(|(kind, above, margin)| {
        let margin = " ".repeat(*margin);
        let lines = part.lines().map(|line| format!("{margin}{line}\n"));
        let part: String = lines.collect();
        let head = format!("apiVersion: grove.io/v1alpha1\nkind: {kind}\nmetadata: {{name: a}}");
        let report = lint(&format!("{head}\n{above}\n{part}"));
        report.checked == 1 && said(&report, &["unknown-field"]).is_empty()
    })
}

#[test]
fn parts_of_manifests_in_documents_have_only_known_fields() {
    let blocks = blocks();
    let parts: Vec<_> = blocks.iter().filter(|block| !block.is_whole()).collect();
    let wrong = parts.iter().filter(|block| !fits(&block.text));
    let wrong: Vec<&str> = wrong.map(|block| &*block.place).collect();
    assert_eq!(wrong, [""; 0]);
    assert!(parts.len() > 3, "{}", parts.len());
    for part in parts {
        let misspelt = part.text.replacen(':', "X:", 1);
        assert!(!fits(&misspelt), "{}: {misspelt}", part.place);
    }
}
