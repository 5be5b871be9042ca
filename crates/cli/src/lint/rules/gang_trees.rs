//! PodGroups of KAI Scheduler as trees (seed 001, "Validation Rules").

use api::kai::KaiPodGroup;
use domain::gang_tree::{self, Finding, SubGroup, TreeNode};
use serde::Deserialize as _;
use serde_json::Value;

use crate::lint::remark::{Remark, Rule, Severity};

pub(in crate::lint) const IMPOSSIBLE: Rule = Rule {
    id: "gang-tree-impossible",
    severity: Severity::Error,
    about: "a PodGroup of KAI Scheduler that has subgroups without a tree, or that can never be satisfied",
    reason: "Its pods wait forever: a group requires more children than it has, or a parent is \
             missing.",
};

pub(in crate::lint) const INCONSISTENT: Rule = Rule::warning(
    "gang-tree-inconsistent",
    "a group with a `minMember` above the pods of the children that it requires",
    "The group needs both to start, so it needs more children than `minSubGroup`.",
);

/// The error of a PodGroup's tree. It does not count the pods of its leaves.
pub(in crate::lint) fn check(object: &Value) -> Vec<Remark> {
    let group = match KaiPodGroup::deserialize(object) {
        Ok(group) => group,
        Err(error) => {
            let problem = format!("cannot be read as a PodGroup: {error}");
            return vec![Remark::new(&IMPOSSIBLE, "spec", problem)];
        }
    };
    let list = list_of(&group);
    match TreeNode::from_list(root_of(&group), &list) {
        Ok(tree) => {
            let findings = tree.findings(&|_| None);
            findings.iter().map(|f| remark(f, &list)).collect()
        }
        Err(error) => vec![Remark::new(
            &IMPOSSIBLE,
            "spec.subGroups",
            error.to_string(),
        )],
    }
}

fn root_of(group: &KaiPodGroup) -> TreeNode {
    let min_member = group.spec.others.get("minMember").and_then(Value::as_u64);
    TreeNode {
        name: group.metadata.name.clone().unwrap_or_default(),
        min_member: min_member.and_then(|pods| u32::try_from(pods).ok()),
        min_sub_group: group.spec.min_sub_group,
        children: Vec::new(),
    }
}

fn list_of(group: &KaiPodGroup) -> Vec<SubGroup> {
    let groups = group.spec.sub_groups.iter();
    groups
        .map(|group| SubGroup {
            name: group.name.clone(),
            parent: group.parent.clone().filter(|parent| !parent.is_empty()),
            min_member: group.min_member,
            min_sub_group: group.min_sub_group,
        })
        .collect()
}

fn remark(finding: &Finding, list: &[SubGroup]) -> Remark {
    let rule = match finding.severity() {
        gang_tree::Severity::Error => &IMPOSSIBLE,
        gang_tree::Severity::Warning => &INCONSISTENT,
    };
    let (node, field) = match finding {
        Finding::PodsTooFew { node, .. } | Finding::Inconsistent { node, .. } => {
            (node, "minMember")
        }
        Finding::ChildrenTooFew { node, .. } | Finding::LeafWithSubGroups { node } => {
            (node, "minSubGroup")
        }
    };
    let index = list.iter().position(|group| group.name == *node);
    let at = index.map_or("spec".to_owned(), |i| format!("spec.subGroups[{i}]"));
    Remark::new(rule, format!("{at}.{field}"), finding.to_string())
}
