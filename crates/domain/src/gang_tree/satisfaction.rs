//! Whether the requirements of a tree are met (seed 001, `IsSubGroupReady`).

use super::TreeNode;

/// A node judged by the existing pods.
struct Judgement {
    is_satisfied: bool,
    /// Pods below it, whether its parts are satisfied or not.
    pods: u64,
}

impl TreeNode {
    /// Whether the existing pods satisfy the tree; `pods` returns the number of pods of a leaf. A
    /// leaf needs `minMember` pods; another node needs its required number of satisfied children,
    /// and `minMember` pods below it.
    pub fn is_satisfied(&self, pods: &dyn Fn(&str) -> u32) -> bool {
        self.judge(pods).is_satisfied
    }

    fn judge(&self, pods: &dyn Fn(&str) -> u32) -> Judgement {
        let min_member = u64::from(self.min_member.unwrap_or(0));
        if self.is_leaf() {
            let pods = u64::from(pods(&self.name));
            return Judgement {
                is_satisfied: pods >= min_member,
                pods,
            };
        }
        let (mut satisfied, mut sum) = (0, 0);
        for child in self.children.iter().map(|child| child.judge(pods)) {
            satisfied += u32::from(child.is_satisfied);
            sum += child.pods;
        }
        Judgement {
            is_satisfied: satisfied >= self.required_children() && sum >= min_member,
            pods: sum,
        }
    }
}
