//! Durations are parsed as Go parses them.

use api::GoDuration;
use api::duration::DurationError;
use jiff::SignedDuration;
use proptest::prelude::*;
use rstest::rstest;

const HOUR: i64 = 3_600_000_000_000;

#[rstest]
#[case("0", 0)]
#[case("-0", 0)]
#[case("0s", 0)]
#[case("10s", 10_000_000_000)]
#[case("4h", 4 * HOUR)]
#[case("1h30m", HOUR + HOUR / 2)]
#[case("+5s", 5_000_000_000)]
#[case("-1.5h", -HOUR - HOUR / 2)]
#[case(".5s", 500_000_000)]
#[case("1.s", 1_000_000_000)]
#[case("1ns", 1)]
#[case("1us2µs3μs", 6_000)]
#[case("1m1ms", 60_001_000_000)]
#[case("0.3333333333333333333h", 1_199_999_999_999)]
#[case("9223372036854775807ns", i64::MAX)]
fn accepted(#[case] text: &str, #[case] nanoseconds: i64) {
    let parsed = GoDuration::from(text).parse();
    assert_eq!(parsed, Ok(SignedDuration::from_nanos(nanoseconds)));
}

#[rstest]
#[case("")]
#[case("-")]
#[case("+-1s")]
#[case("3")]
#[case("s")]
#[case(".s")]
#[case("1.2.3s")]
#[case("4 hours")]
#[case(" 4h")]
#[case("4H")]
#[case("1d")]
#[case("5mo")]
#[case("00")]
fn malformed(#[case] text: &str) {
    let error = GoDuration::from(text).parse().unwrap_err();
    assert_eq!(error, DurationError::Malformed(text.into()));
    assert!(error.to_string().contains(&format!("{text:?}")));
    assert!(error.to_string().contains("1h30m"));
}

#[rstest]
#[case("9223372036854775808ns")]
#[case("2562048h")]
#[case("99999999999999999999999999999999999999999999h")]
fn too_long(#[case] text: &str) {
    let error = GoDuration::from(text).parse().unwrap_err();
    assert_eq!(error, DurationError::TooLong(text.into()));
}

#[rstest]
#[case(0, "0s")]
#[case(90, "1m30s")]
#[case(14_400, "4h")]
#[case(3_661, "1h1m1s")]
#[case(-5, "-5s")]
fn shortest_form(#[case] seconds: i64, #[case] text: &str) {
    assert_eq!(GoDuration::from_seconds(seconds).to_string(), text);
}

proptest! {
    #[test]
    fn written_seconds_are_read_back(seconds in -9_000_000_000_i64..9_000_000_000) {
        let parsed = GoDuration::from_seconds(seconds).parse();
        prop_assert_eq!(parsed, Ok(SignedDuration::from_secs(seconds)));
    }

    #[test]
    fn parts_add_up(h in 0_i64..1000, m in 0_i64..1000, s in 0_i64..1000, ms in 0_i64..1000) {
        let parsed = GoDuration(format!("{h}h{m}m{s}s{ms}ms")).parse();
        let expected = SignedDuration::from_millis(((h * 60 + m) * 60 + s) * 1000 + ms);
        prop_assert_eq!(parsed, Ok(expected));
    }

    #[test]
    fn any_text_is_answered(text in "[0-9.smhnuµ+ -]{0,24}") {
        let _ = GoDuration(text).parse();
    }
}
