//! How long a status without an urgent change waits for further changes.

use std::time::Duration;

use jiff::SignedDuration;

/// The delay for an object that has been up, or takes long.
pub(super) const STATUS_DEBOUNCE: Duration = Duration::from_millis(500);
/// Limits for the delay of an object that is starting: its delay is the time since its start,
/// within these limits. So the status of a small object is written when it is up, and that of a
/// large one some times in between.
const RISING: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];
/// An object that is not up after this waits for something else than for time.
const YOUNG: SignedDuration = SignedDuration::from_mins(10);

/// `age`: the present age of an object that is starting; `waited`: the time since the status
/// differs from the stored one.
pub(super) fn hold_status(age: Option<SignedDuration>, waited: Duration) -> Duration {
    let Some(age) = age.filter(|age| *age < YOUNG) else {
        return STATUS_DEBOUNCE;
    };
    let [least, most] = RISING;
    // The clock of the machine that created it may be ahead.
    let age = Duration::try_from(age).unwrap_or_default();
    age.saturating_sub(waited).clamp(least, most)
}
