//! What a pod has that starts after others, besides annotations
//! [`START`](crate::labels::START) and [`STARTS_AFTER`](crate::labels::STARTS_AFTER)
//! (docs/semantics.md §8.6).

/// The init container, as the Go operator calls its own. It comes first.
pub const CONTAINER: &str = "grove-initc";
/// The downwardAPI volume that shows it the annotations.
pub const VOLUME: &str = "grove-start-order";
/// Where that is mounted.
pub const MOUNT_PATH: &str = "/var/grove/start-order";
/// File that shows annotation `grove.io/start`.
pub const START_FILE: &str = "start";
/// File that shows annotation `grove.io/starts-after`.
pub const STARTS_AFTER_FILE: &str = "starts-after";
/// Value of annotation `grove.io/start` once the pod may start.
pub const NOW: &str = "now";
