//! What a pod has that starts after others, besides annotations
//! [`START`](crate::labels::START), [`START_AT`](crate::labels::START_AT) and
//! [`STARTS_AFTER`](crate::labels::STARTS_AFTER) (docs/semantics.md §8.6).

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
/// Value of annotation `grove.io/start` of a pod that is created to wait: a counter begins. Pods that
/// were made before there was one do not have the annotation, and their init container knows
/// [`NOW`] alone.
pub const NOT_YET: &str = "0";
/// Value of annotation `grove.io/start` once the pod may start; where its kubelet does not show that
/// to the container, `2` and so on follow.
pub const NOW: &str = "now";

/// How often a pod with this value of annotation `grove.io/start` was told to start; a person may
/// have written it.
pub fn count_of(value: &str) -> u32 {
    match value {
        NOW => 1,
        other => other.parse().unwrap_or(0),
    }
}

/// Whether a pod with this value of annotation `grove.io/start` may start.
pub fn is_start(value: &str) -> bool {
    count_of(value) > 0
}
