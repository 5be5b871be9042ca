//! Each bug that is put in on purpose is found.

use crate::run::run;
use crate::sabotage::Sabotage;

/// Seeds within which a bug has to show.
const SEEDS: u64 = 300;

fn is_found(sabotage: Sabotage) {
    let found = (1..=SEEDS).find_map(|seed| {
        let failure = run(seed, Some(sabotage), 0).err()?;
        // Without the bug the same seed has to pass, or something else was found.
        run(seed, None, 0).is_ok().then_some((seed, failure))
    });
    let (seed, failure) = found.unwrap_or_else(|| panic!("{sabotage:?} is not found"));
    eprintln!("{sabotage:?} found by seed {seed}: {}", failure.violation);
}

macro_rules! canaries {
    ($($name:ident: $sabotage:ident;)*) => {$(
        #[test]
        fn $name() {
            is_found(Sabotage::$sabotage);
        }
    )*};
}

canaries! {
    no_gate: NoGate;
    put_without_version: PutWithoutVersion;
    loose_scaled_gangs: LooseScaledGangs;
    no_finalizer: NoFinalizer;
    forgotten_latch: ForgottenLatch;
    deaf_to_deletions: DeafToDeletions;
    partial_gangs: PartialGangs;
    delete_without_uid: DeleteWithoutUid;
    no_relist_diff: NoRelistDiff;
    old_list_wins: OldListWins;
    patch_without_test: PatchWithoutTest;
    random_pod_names: RandomPodNames;
    wrong_set: WrongSet;
    merge_without_uid: MergeWithoutUid;
    restless_status: RestlessStatus;
    no_fence: NoFence;
    refreshed_times: RefreshedTimes;
    count_after_delete: CountAfterDelete;
    start_time_reset: StartTimeReset;
    success_is_failure: SuccessIsFailure;
}
