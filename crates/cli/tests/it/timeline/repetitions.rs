//! Events of the same object.

use cli::timeline::collect_moments;
use testkit::builders::after;

use super::{POD, running};
use crate::read::event;

/// A later pod may have the name of an earlier one: a set was applied again, or a rank was started again.
#[test]
fn events_of_another_object_of_that_name_are_not_repetitions() {
    let failed = ("Warning", "FailedScheduling");
    let first = event(POD, failed, "no node", (10, 20, 2));
    let mut second = event(POD, failed, "no node", (200, 210, 3));
    second.involved_object.uid = Some("uid-of-another".to_owned());
    let moments = collect_moments(&running(), &[first, second]);
    let told = moments.iter().filter(|m| m.reason == "FailedScheduling");
    let told: Vec<_> = told.map(|m| (m.at, m.until, m.count)).collect();
    let expected = [
        (after(10), Some(after(20)), 2),
        (after(200), Some(after(210)), 3),
    ];
    assert_eq!(told, expected);
}
