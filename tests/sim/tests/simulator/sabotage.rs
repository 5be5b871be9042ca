//! Bugs put in on purpose, to see that they are found.

mod podcliques;
mod requests;
mod rules;
mod views;

pub use podcliques::SpoiltPodCliques;
pub use requests::{add, blind, precede, spoil};
pub use rules::Spoilt;
pub use views::{forget, misread, revoke_deletion};

/// One bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// DELETE by name, without uid.
    DeleteWithoutUid,
    /// Pods get names of their own with each request.
    RandomPodNames,
    /// Pods are created without our gate.
    NoGate,
    /// Patches do not test what they replace.
    PatchWithoutTest,
    /// PUT whatever the version.
    PutWithoutVersion,
    /// Scaled gangs wait for bound pods only.
    LooseScaledGangs,
    /// A full list does not show deletions.
    NoRelistDiff,
    /// What is noted of a full list when it is asked for is noted when it arrives.
    OldListWins,
    /// PodCliques go before their pods.
    NoFinalizer,
    /// `wasAvailable` is kept in memory only.
    ForgottenLatch,
    /// Deletions of pods are not seen.
    DeafToDeletions,
    /// No change wakes the PodGangs.
    DeafGangs,
    /// Gangs are listed pod by pod.
    PartialGangs,
    /// Pods are labelled with another set.
    WrongSet,
    /// Merge patches apply to any object of that name.
    MergeWithoutUid,
    /// Each status differs from the one before.
    RestlessStatus,
    /// Replicas are terminated without raising their attempt.
    NoFence,
    /// The time of a breach is that of the last write.
    RefreshedTimes,
    /// A breach that had ended continues.
    EternalBreach,
    /// PodCliques are deleted for a restart before it is counted.
    CountAfterDelete,
    /// A restart resets the start time of the job.
    StartTimeReset,
    /// A pod that succeeded passes for one that failed.
    SuccessIsFailure,
    /// What was written is not known before the watch shows it.
    NoOverlay,
    /// The last holder of a slot is not remembered.
    NoTombstones,
    /// An open POST is no reason to wait.
    NoUnsettled,
    /// An own deletion is not believed before the watch shows it.
    DeleteIsRevocable,
    /// What is to outlive a set is deleted with it.
    OrphanDeleted,
    /// Objects with another controller count as objects without one.
    AdoptControlled,
    /// Objects of all namespaces are taken for those of one.
    OneNamespace,
    /// Gangs are terminated a second before their time.
    TimerEarly,
    /// A count follows the template though there is an autoscaler.
    AutoscalerIgnored,
    /// What joins a gang is listed pod by pod.
    PiecemealJoining,
    /// A clique that is scaled to 0 loses its pods without having said so.
    UnnotedIdle,
    /// A clique that is scaled below its minimum loses pods without having said so.
    UnnotedScaledBelow,
    /// A stored breach is believed, whatever the pods say.
    NoConfirm,
    /// Whether a pod is outdated is read from the status of its PodClique.
    OldByStatus,
    /// A replica counts as updated once its PodCliques have the new template.
    UpdateEndsWhenRequested,
    /// What an update deleted does not count as missing.
    BudgetForgetsDeletions,
    /// A failed pod is replaced though its job has not stored that it failed.
    UnnotedFailure,
    /// Pods that start after others are told to start when they are created.
    StartsAtOnce,
    /// Pods are created without what holds them back.
    ForgetsParents,
    /// Pods are never told that they may start.
    NeverStarts,
}
