//! A served certificate that expires is reported once.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use webhook::certificates::{Serving, ValidityCheck, make};

use crate::pairs::{names, now, secret};

fn serving() -> Arc<Serving> {
    let made = make(&names(), SignedDuration::from_hours(24), now()).unwrap();
    Arc::new(Serving::read(&secret(&made)).unwrap())
}

fn hours(count: i64) -> Timestamp {
    now()
        .checked_add(SignedDuration::from_hours(count))
        .unwrap()
}

#[test]
fn an_expired_certificate_is_reported_once() {
    let (first, second) = (serving(), serving());
    let mut check = ValidityCheck::default();
    let cases = [
        ("nothing is served", None, 0, false),
        ("it is valid", Some(&first), 1, false),
        ("it has expired", Some(&first), 25, true),
        ("that was reported", Some(&first), 26, false),
        ("another one has expired, too", Some(&second), 26, true),
        ("by another clock it is valid", Some(&second), 1, false),
        ("it has expired again", Some(&second), 27, true),
        ("it is not valid yet", Some(&first), -48, true),
    ];
    for (what, served, hour, is_news) in cases {
        let found = check.find_news(served, hours(hour));
        let expected = served.filter(|_| is_news);
        let is_it = found
            .as_ref()
            .zip(expected)
            .is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        assert_eq!((found.is_some(), is_it), (is_news, is_news), "{what}");
    }
}
