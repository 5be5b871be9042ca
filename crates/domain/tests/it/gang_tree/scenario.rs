//! The scenarios of seed 001, as files.

use domain::gang_tree::{SubGroup, TreeNode};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    spec: Spec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    min_member: Option<u32>,
    min_sub_group: Option<u32>,
    sub_groups: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    parent: Option<String>,
    min_member: Option<u32>,
    min_sub_group: Option<u32>,
}

impl From<Listed> for SubGroup {
    fn from(listed: Listed) -> Self {
        Self {
            name: listed.name,
            parent: listed.parent,
            min_member: listed.min_member,
            min_sub_group: listed.min_sub_group,
        }
    }
}

/// The tree of that file.
pub fn scenario(name: &str) -> TreeNode {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/gang_tree/scenarios");
    let text = std::fs::read_to_string(format!("{folder}/{name}.yaml")).unwrap();
    let File { spec } = serde_saphyr::from_str(&text).unwrap();
    let root = TreeNode {
        name: name.to_owned(),
        min_member: spec.min_member,
        min_sub_group: spec.min_sub_group,
        children: Vec::new(),
    };
    let list: Vec<SubGroup> = spec.sub_groups.into_iter().map(SubGroup::from).collect();
    let tree = TreeNode::from_list(root, &list).unwrap();
    let mut written = tree.to_list();
    written.sort_by(|a, b| a.name.cmp(&b.name));
    let mut list = list;
    list.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(written, list, "the list is written as it was read");
    tree
}

/// Its guaranteed pods, and its errors.
pub fn describe(name: &str) -> String {
    let tree = scenario(name);
    let core = tree.guaranteed(&|_| u32::MAX).unwrap();
    let core: Vec<_> = core.iter().map(|(leaf, n)| format!("{leaf} {n}")).collect();
    let findings = tree.findings(&|_| None).into_iter();
    let findings: Vec<_> = findings
        .map(|f| format!("\n    {:?}: {f}", f.severity()))
        .collect();
    format!(
        "{name}: {} levels, {} pods may not be preempted\n    {}{}",
        tree.depth(),
        tree.non_preemptible_pods(),
        core.join(", "),
        findings.concat()
    )
}
