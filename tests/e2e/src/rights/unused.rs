//! Rights that no request of the operator uses, each with the reason for granting it.

use super::Right;

/// Verb, resource, group.
pub type Short = (&'static str, &'static str, &'static str);

const OWNERS: &str = "asked by the admission plugin OwnerReferencesPermissionEnforcement, which is \
                      on in the private control plane of the tests";

const UNLISTED: &str = "what a new list does not hold any more is read once: of what goes while \
                        the watch is away, which no test waits for";

/// The rights and the reasons.
pub const UNUSED: &[(Short, &str)] = &[
    (("update", "podcliquesets/finalizers", "grove.io"), OWNERS),
    (
        ("update", "podcliquescalinggroups/finalizers", "grove.io"),
        OWNERS,
    ),
    (("update", "podcliques/finalizers", "grove.io"), OWNERS),
    (("get", "nodes", ""), UNLISTED),
    (("get", "clustertopologybindings", "grove.io"), UNLISTED),
    (
        ("get", "resourceclaimtemplates", "resource.k8s.io"),
        UNLISTED,
    ),
];

impl From<&Short> for Right {
    fn from((verb, resource, group): &Short) -> Self {
        Self {
            verb: (*verb).to_owned(),
            group: (*group).to_owned(),
            resource: (*resource).to_owned(),
            name: String::new(),
        }
    }
}
