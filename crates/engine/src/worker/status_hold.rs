//! How long a status that differs in nothing urgent waits for more of the kind.

use std::time::Duration;

use jiff::SignedDuration;

/// Of an object that has been up, or takes long.
pub(super) const STATUS_DEBOUNCE: Duration = Duration::from_millis(500);
/// Of an object on its way up: as long as it has been on that way, but no less and no more than this.
/// So a small one is told of when it is up, and a large one some times in between.
const RISING: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];
/// What is not up after this waits for something else than for time.
const YOUNG: SignedDuration = SignedDuration::from_mins(10);

/// `age`: of an object on its way up, now; `waited`: since the status differs from what is stored.
pub(super) fn hold_status(age: Option<SignedDuration>, waited: Duration) -> Duration {
    let Some(age) = age.filter(|age| *age < YOUNG) else {
        return STATUS_DEBOUNCE;
    };
    let [least, most] = RISING;
    // The clock of who created it may be ahead.
    let age = Duration::try_from(age).unwrap_or_default();
    age.saturating_sub(waited).clamp(least, most)
}
