//! The plans, row by row. A pair is valid from 0 s to 90 s and renewed at 60 s; the grace is 5 s.

use jiff::{SignedDuration, Timestamp};
use rstest::rstest;
use webhook::certificates::plan::{Ca, Configuration, Observed, Pair, plan};
use webhook::certificates::{ConfigurationKind, Target, Unusable};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn pair(signed_by: &str, from: i64) -> Pair {
    Pair {
        not_before: at(from),
        not_after: at(from + 90),
        signed_by: signed_by.into(),
    }
}

/// CA `a` signed the served pair, `b` the next one.
fn ca(id: &str) -> Ca {
    let not_after = match id {
        "a" => at(90),
        "b" => at(150),
        _ => at(50),
    };
    Ca {
        id: id.into(),
        not_after,
    }
}

/// CAs are single letters; in configurations, one word is the bundle of one webhook.
fn observed(now: i64, bundle: &str, configurations: &[&str]) -> Observed {
    let ids = |word: &str| word.chars().map(String::from).collect::<Vec<_>>();
    let configurations = configurations.iter().enumerate().map(|(n, words)| {
        let known = *words != "unreadable";
        Configuration {
            target: Target {
                kind: ConfigurationKind::Validating,
                name: format!("v{n}"),
            },
            bundles: known.then(|| {
                let words = words.split(' ').map(|word| word.trim_matches('-'));
                words.map(ids).collect()
            }),
        }
    });
    Observed {
        now: at(now),
        lifetime: SignedDuration::from_secs(100),
        serving: Ok(pair("a", 0)),
        next: None,
        bundle: ids(bundle).iter().map(|id| ca(id)).collect(),
        forgotten: Vec::new(),
        next_trusted_since: None,
        trusted_for: None,
        configurations: configurations.collect(),
    }
}

/// This process began the grace that many seconds ago.
fn begin_grace(seen: &mut Observed, ago: i64) {
    let ago = SignedDuration::from_secs(ago);
    seen.next_trusted_since = Some(seen.now - ago);
    seen.trusted_for = Some(ago);
}

fn text(observed: &Observed) -> String {
    plan(observed).to_string().replace("1970-01-01T00:", "")
}

fn missing() -> Unusable {
    Unusable::Missing("tls.crt")
}

#[test]
fn an_empty_secret_gets_a_pair_that_is_served_at_once() {
    let mut seen = observed(1, "", &["-"]);
    seen.serving = Err(missing());
    assert_eq!(
        text(&seen),
        "a certificate is created and served: serve Made, then Nothing, trust []\nwait"
    );
}

#[test]
fn a_pair_with_other_names_is_served_until_all_trust_the_next_and_valid_cas_stay() {
    let mut seen = observed(51, "xa", &["xa"]);
    seen.serving = Err(Unusable::NamesMissing(vec!["new.svc".into()]));
    let prepared =
        "the next certificate is created and trusted: serve Serving, then Made, trust [a]";
    assert_eq!(text(&seen), format!("{prepared}\nwake at 01:30Z"));
    let mut seen = Observed {
        serving: seen.serving,
        next: Some(Ok(pair("b", 45))),
        ..observed(51, "ab", &["a"])
    };
    let patch = "ValidatingWebhookConfiguration v0 [0] trusts a b";
    assert_eq!(text(&seen), format!("{patch}\nwake at 01:30Z"));
    seen.configurations = observed(51, "ab", &["ab"]).configurations;
    assert!(text(&seen).starts_with("all webhooks trust the next certificate: serve Serving"));
    begin_grace(&mut seen, 4);
    assert_eq!(text(&seen), "wake at 00:52Z");
    begin_grace(&mut seen, 5);
    assert!(text(&seen).starts_with("the next certificate is served: serve Next, then Nothing"));
}

#[test]
fn an_emptied_secret_gets_the_trusted_cas_again_before_another_pair_is_created() {
    let mut seen = Observed {
        serving: Err(missing()),
        forgotten: vec![ca("x"), ca("a")],
        ..observed(51, "", &["a"])
    };
    let again =
        "the CAs that webhooks trust are stored again: serve Serving, then Nothing, trust [a]";
    assert_eq!(text(&seen), format!("{again}\nwait"));
    (seen.bundle, seen.forgotten) = (vec![ca("a")], Vec::new());
    let prepared =
        "the next certificate is created and trusted: serve Serving, then Made, trust [a]";
    assert_eq!(text(&seen), format!("{prepared}\nwake at 01:30Z"));
}

#[test]
fn a_pair_of_which_only_its_own_ca_is_trusted_is_served_at_once() {
    let seen = Observed {
        serving: Err(missing()),
        next: Some(Ok(pair("b", 60))),
        ..observed(61, "b", &["-"])
    };
    assert!(text(&seen).starts_with("the next certificate is served: serve Next, then Nothing"));
}

#[test]
fn a_pair_that_is_not_valid_yet_is_not_usable() {
    let mut seen = observed(59, "ab", &["ab"]);
    seen.next = Some(Ok(pair("b", 60)));
    begin_grace(&mut seen, 6);
    assert!(!text(&seen).contains("the next certificate is served"));
    let mut seen = observed(59, "a", &["a"]);
    seen.serving = Ok(pair("a", 60));
    let prepared =
        "the next certificate is created and trusted: serve Serving, then Made, trust [a]";
    assert_eq!(text(&seen), format!("{prepared}\nwake at 01:00Z"));
}

#[test]
fn an_expired_pair_is_replaced_at_once() {
    let text = text(&observed(90, "a", &["a"]));
    let expected = "a certificate is created and served: serve Made, then Nothing, trust []\nwait";
    assert_eq!(text, expected);
}

#[test]
fn where_nothing_can_be_served_the_next_pair_is() {
    let mut seen = observed(91, "ab", &["ab"]);
    seen.next = Some(Ok(pair("b", 60)));
    assert!(text(&seen).starts_with("the next certificate is served: serve Next, then Nothing"));
}

#[rstest]
#[case::young(59, "wake at 01:00Z")]
#[case::after_two_thirds(
    60,
    "the next certificate is created and trusted: serve Serving, then Made, trust [a]\nwake at 01:30Z"
)]
fn a_successor_is_made_after_two_thirds(#[case] now: i64, #[case] expected: &str) {
    assert_eq!(text(&observed(now, "a", &["a"])), expected);
}

#[rstest]
#[case::not_everywhere(&["ab a"], None, 61, "ValidatingWebhookConfiguration v0 [1] trusts a b\nwake at 01:30Z")]
#[case::everywhere(&["ab ab", "ab"], None, 61, "all webhooks trust the next certificate: serve Serving, then Next, trust [a b], since 01:01Z\nwake at 01:30Z")]
#[case::one_is_unknown(&["ab", "unreadable"], None, 61, "wake at 01:30Z")]
#[case::in_the_grace(&["ab"], Some(61), 65, "wake at 01:06Z")]
#[case::after_the_grace(&["ab"], Some(61), 66, "the next certificate is served: serve Next, then Nothing, trust [a b]\nwake at 01:30Z")]
#[case::no_more_known(&["unreadable"], Some(61), 66, "wake at 01:30Z")]
#[case::no_more_trusted(&["a"], Some(61), 66, "a webhook does not trust the next certificate any more: serve Serving, then Next, trust [a b]\nwake at 01:30Z")]
#[case::stamped_in_the_future(&["ab"], Some(70), 62, "all webhooks trust the next certificate: serve Serving, then Next, trust [a b], since 01:02Z\nwake at 01:30Z")]
#[case::no_configuration(&[], None, 61, "all webhooks trust the next certificate: serve Serving, then Next, trust [a b], since 01:01Z\nwake at 01:30Z")]
fn the_next_pair_is_served_after_a_grace_in_which_all_trust_it(
    #[case] configurations: &[&str],
    #[case] since: Option<i64>,
    #[case] now: i64,
    #[case] expected: &str,
) {
    let mut seen = observed(now, "ab", configurations);
    seen.next = Some(Ok(pair("b", 60)));
    if let Some(ago) = since.map(|since| now - since).filter(|ago| *ago >= 0) {
        begin_grace(&mut seen, ago);
    }
    seen.next_trusted_since = since.map(at);
    assert_eq!(text(&seen), expected);
}

#[test]
fn a_grace_of_another_process_begins_again() {
    let mut seen = observed(80, "ab", &["ab"]);
    seen.next = Some(Ok(pair("b", 60)));
    seen.next_trusted_since = Some(at(61));
    assert_eq!(
        text(&seen),
        "all webhooks trust the next certificate: serve Serving, then Next, trust [a b], since 01:20Z\nwake at 01:30Z"
    );
}

#[test]
fn a_next_pair_that_cannot_be_used_goes() {
    let mut seen = observed(30, "a", &["a"]);
    seen.next = Some(Err(Unusable::NotSigned));
    assert_eq!(
        text(&seen),
        "expired and unused values are removed: serve Serving, then Nothing, trust [a]\nwake at 01:00Z"
    );
}

#[test]
fn an_expired_ca_goes_first_from_the_secret_and_then_from_the_webhooks() {
    assert_eq!(
        text(&observed(51, "xa", &["xa"])),
        "expired and unused values are removed: serve Serving, then Nothing, trust [a]\nwake at 01:00Z"
    );
    assert_eq!(
        text(&observed(51, "a", &["xa"])),
        "ValidatingWebhookConfiguration v0 [0] trusts a\nwake at 01:00Z"
    );
}

#[test]
fn that_an_expired_ca_goes_does_not_end_the_grace() {
    let mut seen = observed(62, "xab", &["xab"]);
    seen.next = Some(Ok(pair("b", 60)));
    begin_grace(&mut seen, 1);
    assert_eq!(
        text(&seen),
        "expired and unused values are removed: serve Serving, then Next, trust [a b], since 01:01Z\nwake at 01:06Z"
    );
}

#[test]
fn webhooks_without_bundle_or_with_a_foreign_one_get_that_of_the_secret() {
    assert_eq!(
        text(&observed(30, "a", &["- a ya", "a", "y"])),
        "ValidatingWebhookConfiguration v0 [0, 2] trusts a\n\
         ValidatingWebhookConfiguration v2 [0] trusts a\nwake at 01:00Z"
    );
}
