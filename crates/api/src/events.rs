//! Reasons of the events that the operator publishes.

/// What became of an object cannot be written into its status.
pub const STATUS_FAILED: &str = "StatusUpdateFailed";
/// A name that is needed is taken by an object of somebody else.
pub const NAME_CONFLICT: &str = "NameConflict";
/// A write failed that has no reason of its own.
pub const SYNC_FAILED: &str = "SyncFailed";

/// Reasons of success and of failure of a write (Grove, internal/constants).
pub fn of_writes(verb: &str, kind: &str) -> Option<(&'static str, &'static str)> {
    Some(match (verb, kind) {
        ("create", "Pod") => ("PodCreateSuccessful", "PodCreateFailed"),
        ("delete", "Pod") => ("PodDeleteSuccessful", "PodDeleteFailed"),
        ("create", "PodClique") => ("PodCliqueCreateSuccessful", "PodCliqueCreateFailed"),
        ("delete", "PodClique") => ("PodCliqueDeleteSuccessful", "PodCliqueDeleteFailed"),
        ("replace", "PodClique") => (
            "PodCliqueCreateOrUpdateSuccessful",
            "PodCliqueCreateOrUpdateFailed",
        ),
        ("create" | "replace", "PodCliqueScalingGroup") => (
            "PodCliqueScalingGroupCreateSuccessful",
            "PodCliqueScalingGroupCreateOrUpdateFailed",
        ),
        ("delete", "PodCliqueScalingGroup") => (
            "PodCliqueScalingGroupDeleteSuccessful",
            "PodCliqueScalingGroupDeleteFailed",
        ),
        ("create", "PodGang") => (
            "PodGangCreateOrUpdateSuccessful",
            "PodGangCreateOrUpdateFailed",
        ),
        ("delete", "PodGang") => ("PodGangDeleteSuccessful", "PodGangDeleteFailed"),
        _ => return None,
    })
}
