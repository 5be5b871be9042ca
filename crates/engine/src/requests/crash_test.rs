//! Crash tests of debug builds.

/// Crash tests of debug builds end the operator right after its n-th write.
pub(super) fn exit_after() -> i64 {
    let asked = if cfg!(debug_assertions) {
        std::env::var("GROVE_EXIT_AFTER_WRITE").ok()
    } else {
        None
    };
    asked.and_then(|n| n.parse().ok()).unwrap_or(0)
}
