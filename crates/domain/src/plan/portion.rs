//! Limits how much one decision writes. The rest is decided again as soon as these writes are seen,
//! so a plan of any set fits into memory.

use super::action::Action;
use crate::object::size;

/// Writes of one kind in one plan.
pub const MAX_ACTIONS: usize = 500;
/// Bytes of the objects in them, as JSON.
pub const MAX_ACTION_BYTES: i128 = 16 * 1024 * 1024;

/// The first of these writes; the writes after them are not even built.
pub fn first_portion(actions: impl Iterator<Item = Action>) -> Vec<Action> {
    let mut portion = Vec::new();
    let mut bytes: i128 = 0;
    for action in actions {
        bytes = bytes.saturating_add(bytes_of(&action));
        portion.push(action);
        if portion.len() >= MAX_ACTIONS || bytes >= MAX_ACTION_BYTES {
            break;
        }
    }
    portion
}

fn bytes_of(action: &Action) -> i128 {
    match action {
        Action::Create(object) | Action::Replace(object) | Action::ReplaceStatus(object) => {
            object.bytes()
        }
        Action::Merge { patch, .. } => size::bytes(patch),
        _ => 0,
    }
}
