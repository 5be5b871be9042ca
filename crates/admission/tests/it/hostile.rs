//! Objects that no user writes by accident: each gets an answer, and quickly.
//! `cargo test -p admission hostile -- --nocapture` prints how long each takes.

pub(crate) mod sets;

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use admission::defaults::{DefaultsConfig, apply, apply_in_place};
use admission::oversize::of_text;
use admission::validated_set::validate_set;
use admission::{Rules, validate, validate_update};
use api::PodCliqueSet;
use rstest::rstest;
use serde_json::{Map, Value, json};

use self::sets::with;
use crate::judge::{decode, is_bounded, judge};

#[test]
fn hostile_objects_are_refused_in_few_words() {
    let sets = sets::all().iter();
    let failed: Vec<_> = sets.filter_map(|(name, set)| failure(name, set)).collect();
    assert_eq!(failed, Vec::<&str>::new());
}

#[test]
fn unlisted_errors_are_counted() {
    let bare = json!({"name": "", "spec": {"roleName": "", "podSpec": {"containers": []}}});
    let set = with([("/spec/template/cliques", json!(vec![bare; 500]))]);
    let errors = judge(set.to_string().as_bytes());
    let last = errors.last().unwrap();
    let more = "further errors are not listed; correct the errors above first";
    assert_eq!(
        last,
        &format!("spec: 1452: {more}"),
        "{} errors",
        errors.len()
    );
}

#[test]
fn unlisted_errors_may_stay_and_new_ones_may_not() {
    let stored = with([("/spec/template/cliques/0/labels", labels(400))]);
    let mut changed = stored.clone();
    changed["spec"]["replicas"] = json!(2);
    assert_eq!(refusals(&stored, &changed), 0);
    changed["spec"]["template"]["terminationDelay"] = json!("soon");
    assert_eq!(refusals(&stored, &changed), 1);
}

/// Labels, all of them wrong.
fn labels(count: usize) -> Value {
    (0..count)
        .map(|i| (format!("key {i}"), json!("x")))
        .collect::<Map<_, _>>()
        .into()
}

fn refusals(before: &Value, after: &Value) -> usize {
    let [before, after] = [before, after].map(|set| {
        apply(
            &decode(set.to_string().as_bytes()).unwrap(),
            &DefaultsConfig::default(),
        )
    });
    validate_update(&before, &after, &Rules::default()).len()
}

/// The name, if the set is accepted or something about it fails.
fn failure<'a>(name: &'a str, set: &Value) -> Option<&'a str> {
    let text = serde_json::to_vec(set).unwrap();
    let is_refused = catch_unwind(|| is_refused(name, &text));
    (!is_refused.unwrap_or_default()).then_some(name)
}

/// Runs the steps of the webhook, and prints the time of each.
fn is_refused(name: &str, text: &[u8]) -> bool {
    let (scanned, over) = timed(|| of_text(text));
    let bytes = text.len();
    if over.is_some() {
        eprintln!("{name} ({bytes} bytes): {scanned:.1?} in all, not decoded");
        return true;
    }
    let (decoded, mut set) = timed(|| decode(text).unwrap());
    let (defaulted, ()) = timed(|| apply_in_place(&mut set, &DefaultsConfig::default()));
    let (validated, errors) = timed(|| validate(&set, &Rules::default()));
    let stored = stored_before(&set);
    let (updated, changed) = timed(|| validate_update(&stored, &set, &Rules::default()));
    let (acted_on, as_stored) = timed(|| validate_set(&set, &DefaultsConfig::default()));
    let all = scanned + decoded + defaulted + validated.max(updated);
    eprintln!(
        "{name} ({bytes} bytes): {all:.1?} in all: scanned {scanned:.1?}, decoded {decoded:.1?}, \
         defaults {defaulted:.1?}, validated {validated:.1?}, as an update {updated:.1?}, \
         as stored {acted_on:.1?}, {} errors",
        errors.len(),
    );
    assert!(is_bounded(&errors), "{name}: {} errors", errors.len());
    assert!(is_bounded(&changed), "{name}: {} errors", changed.len());
    assert!(is_bounded(&as_stored.errors), "{name}: as stored");
    let unchanged = validate_update(&set, &set, &Rules::default());
    assert!(unchanged.is_empty(), "{name}: no change is refused");
    !errors.is_empty()
}

/// The same set with one replica more: all errors were in the stored version.
fn stored_before(set: &PodCliqueSet) -> PodCliqueSet {
    let mut stored = set.clone();
    stored.spec.replicas = set.spec.replicas.saturating_add(1);
    stored
}

fn timed<T>(act: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let made = act();
    (start.elapsed(), made)
}

#[rstest]
#[case::above_i32("2147483648")]
#[case::below_i32("-2147483649")]
#[case::above_i64("9223372036854775808")]
#[case::below_i64("-9223372036854775809")]
#[case::beyond_all_integers("123456789012345678901234567890123456789012345678901234567890")]
#[case::beyond_all_floats("1e400")]
#[case::a_float("1.5")]
#[case::no_number("NaN")]
#[case::a_text("\"1\"")]
#[case::a_list("[1]")]
fn a_number_that_is_none_of_ours_cannot_be_decoded(#[case] number: &str) {
    let text = with([("/spec/replicas", json!("NUMBER"))]).to_string();
    let text = text.replace("\"NUMBER\"", number);
    assert!(decode(text.as_bytes()).is_err());
}

#[rstest]
#[case(i32::MIN)]
#[case(-1)]
#[case(i32::MAX)]
fn the_extremes_of_counts_are_refused(#[case] count: i32) {
    let places = [
        "/spec/replicas",
        "/spec/template/cliques/0/spec/replicas",
        "/spec/template/cliques/0/spec/minAvailable",
        "/spec/template/podCliqueScalingGroups/0/replicas",
        "/spec/template/podCliqueScalingGroups/0/minAvailable",
    ];
    let all = with(places.map(|place| (place, json!(count))));
    let one = places.map(|place| with([(place, json!(count))]));
    for set in one.into_iter().chain([all]) {
        let errors = judge(set.to_string().as_bytes());
        assert_ne!(errors, Vec::<String>::new(), "{set}");
    }
}

#[rstest]
#[case::lists("[")]
#[case::objects("{\"a\":")]
fn nesting_without_end_cannot_be_decoded(#[case] open: &str) {
    let bare = open.repeat(500_000);
    let text = with([("/spec/template/cliques/0/spec/podSpec", json!("NESTED"))]).to_string();
    let inside = text.replace("\"NESTED\"", &bare);
    // A field that does not exist is skipped, and has to be parsed for that.
    let ignored = format!("{{\"unknown\":{bare}");
    for text in [bare, inside, ignored] {
        assert!(decode(text.as_bytes()).is_err());
    }
}

#[rstest]
#[case::nothing(b"")]
#[case::null(b"null")]
#[case::no_text(b"\xff\xfe\x00")]
#[case::half_a_character(b"{\"metadata\":{\"name\":\"\\ud800\"}}")]
#[case::cut(b"{\"metadata\":{\"name\":\"x\"")]
fn other_values_cannot_be_decoded(#[case] text: &[u8]) {
    assert!(decode(text).is_err());
}
