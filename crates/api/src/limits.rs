//! Limits of every object. The definitions refuse larger numbers, also through `/scale`, and rules
//! do not act on larger numbers that are stored.

/// Replicas at one level. Indices from this number on are not parsed anywhere.
pub const MAX_REPLICAS: i32 = 10_000;

/// Entries of one list of cliques, groups or names, and of one map of labels or annotations.
pub const MAX_ITEMS: i32 = 500;
