//! The additions to a pod that starts after others, besides annotations
//! [`START`](crate::labels::START), [`START_AT`](crate::labels::START_AT) and
//! [`STARTS_AFTER`](crate::labels::STARTS_AFTER) (docs/semantics.md §8.6).

/// Name of the init container, the same as the Go operator's. It is the first init container.
pub const CONTAINER: &str = "grove-initc";
/// The downwardAPI volume that shows it the annotations.
pub const VOLUME: &str = "grove-start-order";
/// Mount path of the volume.
pub const MOUNT_PATH: &str = "/var/grove/start-order";
/// File that shows annotation `grove.io/start`.
pub const START_FILE: &str = "start";
/// File that shows annotation `grove.io/starts-after`.
pub const STARTS_AFTER_FILE: &str = "starts-after";
/// Value of annotation `grove.io/start` of a pod that is created to wait: the start of a counter.
/// Pods of versions before the counter do not have the annotation, and their init container knows
/// only [`NOW`].
pub const NOT_YET: &str = "0";
/// Value of annotation `grove.io/start` once the pod may start. While its kubelet does not show it
/// to the container, `2` and higher numbers follow.
pub const NOW: &str = "now";

/// Number of start signals in this value of annotation `grove.io/start`; a person may have written
/// it.
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
