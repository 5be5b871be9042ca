//! Intentional bugs, which the simulator has to find.

mod gangs;
mod groups;
mod podcliques;
mod requests;
mod rules;
mod views;

pub use gangs::SpoiltGangs;
pub use groups::SpoiltGroups;
pub use podcliques::SpoiltPodCliques;
pub use requests::{add, blind, precede, spoil};
pub use rules::Spoilt;
pub use views::{forget, misread, revoke_deletion};

/// One bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// DELETE by name, without uid.
    DeleteWithoutUid,
    /// DELETE of pods without the version that was seen.
    DeleteAnyVersion,
    /// Pods get a random name in each request.
    RandomPodNames,
    /// Pods are created without our gate.
    NoGate,
    /// Patches do not test the values that they replace.
    PatchWithoutTest,
    /// PUT without a version.
    PutWithoutVersion,
    /// Scaled gangs wait for bound pods only.
    LooseScaledGangs,
    /// A full list does not show deletions.
    NoRelistDiff,
    /// The engine records the state before a full list when the list arrives, not when it is
    /// requested.
    OldListWins,
    /// PodCliques go before their pods.
    NoFinalizer,
    /// `wasAvailable` is kept in memory only.
    ForgottenLatch,
    /// Deletions of pods are ignored.
    DeafToDeletions,
    /// No change triggers PodGangs.
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
    /// Own writes are unknown until the watch shows them.
    NoOverlay,
    /// The last holder of a slot is forgotten.
    NoTombstones,
    /// The operator does not wait for an open POST.
    NoUnsettled,
    /// Own deletions count only once the watch shows them.
    DeleteIsRevocable,
    /// Objects that have to outlive a set are deleted with it.
    OrphanDeleted,
    /// Objects with another controller count as objects without one.
    AdoptControlled,
    /// Objects of all namespaces are taken for those of one.
    OneNamespace,
    /// Gangs are terminated a second before their time.
    TimerEarly,
    /// A count follows the template though there is an autoscaler.
    AutoscalerIgnored,
    /// Parts that join a gang are listed pod by pod.
    PiecemealJoining,
    /// A clique that is scaled to 0 loses its pods before its status records it.
    UnnotedIdle,
    /// A clique that is scaled below its minimum loses pods before its status records it.
    UnnotedScaledBelow,
    /// Revisions do not hold what they say.
    RevisionSpoilt,
    /// Each check of a template passes.
    ChecksPass,
    /// A stored breach counts, whatever the state of the pods.
    NoConfirm,
    /// Whether a pod is outdated is read from the status of its PodClique.
    OldByStatus,
    /// A replica counts as updated once its PodCliques have the new template.
    UpdateEndsWhenRequested,
    /// Deletions by an update do not count as missing pods.
    BudgetForgetsDeletions,
    /// The update of a group ignores `maxUnavailable`.
    GroupBudgetForgets,
    /// Old pods go before surge pods are available.
    SurgeUnawaited,
    /// A lost pod that kept an older template comes back with the newest one.
    OlderForgotten,
    /// With `Coherent` pods are replaced before their step is stored.
    TargetsIgnored,
    /// With `Coherent` one part goes at once, and the others in steps.
    StepsApart,
    /// A failed pod is replaced although its job has not stored the failure.
    UnnotedFailure,
    /// Pods with dependencies get the start signal when they are created.
    StartsAtOnce,
    /// Pods are created without the parts that hold them back.
    ForgetsParents,
    /// Pods never get the start signal.
    NeverStarts,
    /// Gates are removed without the node labels that the list of the gang gives.
    PinsIgnored,
    /// Pods are created for a suspended set.
    SuspensionIgnored,
    /// A job that is over is deleted before its time.
    ExpiresEarly,
    /// Pods stay pinned to domains in which nobody of their scope runs.
    NeverFrees,
    /// Claims that are being deleted, or belong to an earlier PodClique, pass for ones that stay.
    ClaimsRevived,
    /// Claims of indexes beyond the count are removed, though their pods still run.
    ClaimsCutOff,
    /// Quota is given back as if no pod of the gang ran.
    QuotaReturnedEarly,
    /// A Workload that waits passes for one that has quota.
    AdmissionAssumed,
    /// Pods are listed as if their gang had quota.
    QuotaIgnored,
}
