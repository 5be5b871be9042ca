//! Numbers that no object may exceed: the definitions refuse more, `/scale` included, and rules do
//! not act on more, whatever is stored.

/// Replicas at one level. Indices from here on are not parsed anywhere.
pub const MAX_REPLICAS: i32 = 10_000;

/// Entries of one list of cliques, groups or names, and of one map of labels or annotations.
pub const MAX_ITEMS: i32 = 500;
