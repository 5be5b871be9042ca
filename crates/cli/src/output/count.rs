//! Numbers of things.

use std::fmt::Display;

/// `1 pod`, `2 pods`.
pub fn count<N: Copy + PartialEq + From<u8> + Display>(number: N, thing: &str) -> String {
    let end = if number == N::from(1) { "" } else { "s" };
    format!("{number} {thing}{end}")
}
