//! The nine states of a slot (docs/semantics.md §4.6, decisions 36, 69, 71, 145).

use std::cmp::Ordering;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Owner;
use crate::object::attempt::Attempt;
use crate::object::ownership;

/// The state of a slot.
///
/// | state | controller | attempt | a rule |
/// |---|---|---|---|
/// | `Empty` | | | creates it, unless its replica still has a `Previous` |
/// | `Done` | | | needs nothing: it is stored that the job's work here is done |
/// | `Current` | the set, or a group of the set | present | counts it |
/// | `Terminating` | the same, or none | present | waits until it is gone |
/// | `Previous` | the set, or a group of the set | earlier | deletes it, and counts it nowhere |
/// | `Ahead` | the set, or a group of the set | later | raises the stored attempt first |
/// | `Orphan` | none, or a group without one | present | adopts it, counts it, terminates nothing meanwhile |
/// | `Leftover` | none, or a group without one | another | ignores it; its name is taken |
/// | `Foreign` | another object | any | ignores it; its name is taken |
///
/// `T` is the PodClique as its reader holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot<T> {
    /// No PodClique has the name.
    Empty,
    /// No PodClique has the name, and none is needed: the work is done.
    Done,
    /// The PodClique that belongs here.
    Current(T),
    /// It belongs here and is being deleted.
    Terminating(T),
    /// It is of an earlier attempt, terminating or not.
    Previous(T),
    /// It is of a later attempt than the one that is stored, terminating or not.
    Ahead(T),
    /// It belongs here and waits for its adoption.
    Orphan(T),
    /// It has no controller and is of another attempt.
    Leftover(T),
    /// Another object controls it.
    Foreign(T),
}

impl<T> Slot<T> {
    /// The PodClique that counts: it is of the present attempt, stays, and is the set's or about to
    /// be. Pods of an orphan are already bound and serve, so a gang keeps them in its list.
    pub fn standing(self) -> Option<T> {
        match self {
            Self::Current(found) | Self::Orphan(found) => Some(found),
            _ => None,
        }
    }

    /// The PodClique of the present attempt, also if it is terminating.
    pub fn present(self) -> Option<T> {
        match self {
            Self::Current(found) | Self::Orphan(found) | Self::Terminating(found) => Some(found),
            _ => None,
        }
    }

    /// The PodClique that has the name, in any state.
    pub fn occupant(self) -> Option<T> {
        match self {
            Self::Empty | Self::Done => None,
            Self::Current(found)
            | Self::Terminating(found)
            | Self::Previous(found)
            | Self::Ahead(found)
            | Self::Orphan(found)
            | Self::Leftover(found)
            | Self::Foreign(found) => Some(found),
        }
    }
}

/// The state of a PodClique that was found in a slot of attempt `wanted`.
pub fn classify<T>(found: T, meta: &ObjectMeta, wanted: Attempt, owner: Owner) -> Slot<T> {
    let attempt = Attempt::of(meta);
    match (owner, compare(attempt, wanted)) {
        (Owner::Foreign, _) => Slot::Foreign(found),
        (Owner::Nobody, _) if attempt != wanted => Slot::Leftover(found),
        (Owner::Set, Ordering::Less) => Slot::Previous(found),
        (Owner::Set, Ordering::Greater) => Slot::Ahead(found),
        (_, _) if ownership::is_terminating(meta) => Slot::Terminating(found),
        (Owner::Set, Ordering::Equal) => Slot::Current(found),
        (Owner::Nobody, _) => Slot::Orphan(found),
    }
}

/// A PodClique of a later attempt of its group replica proves that the group has raised it, which
/// the group's cached status may not show yet: it is the present one. (As `Ahead` its running pods
/// would leave the list of their gang until the new status is seen.)
fn compare(found: Attempt, wanted: Attempt) -> Ordering {
    let of_group = found.group.cmp(&wanted.group).min(Ordering::Equal);
    found.set.cmp(&wanted.set).then(of_group)
}
