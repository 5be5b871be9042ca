//! The topology domains of a gang, in one sentence.

use crate::output;
use crate::plan::outline::{Gang, PackedScope};

/// More names than this are only counted.
const SHOWN_NAMES: usize = 2;

/// `topology: one zone; svc-0-instance-0: one rack`; nothing without constraints.
pub(super) fn draw_topology(gang: &Gang) -> String {
    if gang.topology.is_empty() {
        return String::new();
    }
    let are_alike = |one: &PackedScope, other: &PackedScope| {
        let is_same = one.required == other.required && one.preferred == other.preferred;
        is_same && is_inner(gang, one) && is_inner(gang, other)
    };
    let alike = gang.topology.chunk_by(are_alike);
    let sentences: Vec<String> = alike.map(|scopes| describe(gang, scopes)).collect();
    output::indent("  topology: ", &sentences.join("; "))
}

/// Whether the scope has only some pods of the gang.
fn is_inner(gang: &Gang, scope: &PackedScope) -> bool {
    scope.scope != gang.name && gang.waits_for.as_ref() != Some(&scope.scope)
}

/// Scopes of one constraint.
fn describe(gang: &Gang, scopes: &[PackedScope]) -> String {
    let Some(first) = scopes.first() else {
        return String::new();
    };
    let domain = describe_domain(first);
    if first.scope == gang.name {
        return domain;
    }
    if !is_inner(gang, first) {
        let level = first.required.as_deref().unwrap_or_default();
        return format!("the {level} of gang {}", first.scope);
    }
    let shown = scopes.iter().take(SHOWN_NAMES);
    let names: Vec<&str> = shown.map(|scope| scope.scope.as_str()).collect();
    let names = names.join(", ");
    let more = match scopes.len().saturating_sub(SHOWN_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let each = if scopes.len() > 1 { "each of " } else { "" };
    format!("{each}{names}{more}: {domain}")
}

/// `one zone, one rack if possible`.
fn describe_domain(scope: &PackedScope) -> String {
    let required = scope.required.as_ref().map(|level| format!("one {level}"));
    let preferred = scope.preferred.as_ref();
    let preferred = preferred.map(|level| format!("one {level} if possible"));
    let both: Vec<String> = required.into_iter().chain(preferred).collect();
    both.join(", ")
}
