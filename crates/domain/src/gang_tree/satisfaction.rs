//! Whether a tree has what it asks for (seed 001, `IsSubGroupReady`).

use super::TreeNode;

/// A node by the pods that there are.
struct Judgement {
    is_satisfied: bool,
    /// Pods below it, whether its parts are satisfied or not.
    pods: u64,
}

impl TreeNode {
    /// Whether it is satisfied by the pods that there are, of which `pods` returns how many a leaf
    /// of that name has: a leaf by `minMember` pods, another node by so many satisfied children as it
    /// requires and by `minMember` pods below it.
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
