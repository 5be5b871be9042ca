//! The attempt that an object was created in, as stored on the object. `health::fence` has the
//! rules.

use api::labels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::ownership;

/// In which attempt of its PodCliqueSet replica, and of its scaling group's replica, a PodClique
/// was created. Compared as a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// Of the PodCliqueSet replica.
    pub set: i32,
    /// Of the scaling group's replica.
    pub group: i32,
}

impl Attempt {
    /// The attempt that an object carries: in annotations, because users edit labels in passing,
    /// and an edited attempt would delete running pods. An object without those annotations
    /// (created by an earlier version or by another writer) carries it in labels; 0 if absent.
    pub fn of(meta: &ObjectMeta) -> Self {
        let number = |key| {
            let noted = ownership::annotation(meta, key).and_then(|text| text.parse().ok());
            noted
                .or_else(|| ownership::label_index(meta, key))
                .unwrap_or(0)
        };
        Self {
            set: number(labels::ATTEMPT),
            group: number(labels::GROUP_ATTEMPT),
        }
    }

    /// Labels for an object created in this attempt, to select by; none for the first.
    pub fn labels(self) -> impl Iterator<Item = (&'static str, i32)> {
        self.annotations().filter(|(_, number)| *number > 0)
    }

    /// Annotations for an object created in this attempt; rules read these.
    pub fn annotations(self) -> impl Iterator<Item = (&'static str, i32)> {
        let both = [
            (labels::ATTEMPT, self.set),
            (labels::GROUP_ATTEMPT, self.group),
        ];
        both.into_iter()
    }
}
