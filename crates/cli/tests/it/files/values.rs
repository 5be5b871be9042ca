//! The values in a file.

use rstest::rstest;
use serde_json::{Value, json};

use super::document;

/// As kubectl reads them: YAML 1.1.
#[rstest]
#[case("a", json!("a"))]
#[case("", json!(null))]
#[case("~", json!(null))]
#[case("yes", json!(true))]
#[case("off", json!(false))]
#[case("\"yes\"", json!("yes"))]
#[case("'1'", json!("1"))]
#[case("!!str 1", json!("1"))]
#[case("!!int \"1\"", json!(1))]
#[case("1", json!(1))]
#[case("+1", json!(1))]
#[case("-1", json!(-1))]
#[case("010", json!(8))]
#[case("0o10", json!(8))]
#[case("0x1F", json!(31))]
#[case("-0b11", json!(-3))]
#[case("09", json!(9))]
#[case("1_000", json!(1000))]
#[case("1e3", json!(1000))]
#[case("1.0", json!(1))]
#[case("1.5", json!(1.5))]
#[case(".5", json!(0.5))]
#[case("1Gi", json!("1Gi"))]
#[case("500m", json!("500m"))]
#[case("1.2.3", json!("1.2.3"))]
#[case("18446744073709551615", json!(18_446_744_073_709_551_615_u64))]
#[case("-9223372036854775808", json!(i64::MIN))]
#[case("2026-01-01", json!("2026-01-01"))]
#[case("-", json!([null]))]
#[case("+-1", json!("+-1"))]
#[case("0x", json!("0x"))]
#[case("infinity", json!("infinity"))]
#[case("{010: a, yes: b, 'no': c}", json!({"8": "a", "true": "b", "no": "c"}))]
#[case("[*a, 1]", json!([["x"], 1]))]
fn a_scalar_has_the_value_of_kubectl(#[case] text: &str, #[case] expected: Value) {
    let document = document(&format!("anchor: &a [x]\nvalue: \n  {text}\n"));
    assert_eq!(document.value()["value"], expected);
}

#[test]
fn of_a_key_that_is_there_twice_the_last_counts() {
    let document = document("a: 1\nb: 2\na: 3\n");
    assert_eq!(document.value(), json!({"a": 3, "b": 2}));
    assert_eq!(document.entry("a").unwrap().position.line, 3);
}

#[test]
fn the_first_merged_map_counts_and_keys_of_the_map_itself_come_first() {
    let text =
        "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2, d: 2}\nz: {d: 3, <<: [*x, *y]}\nq: {'<<': 1}\n";
    let value = document(text).value();
    assert_eq!(value["z"], json!({"a": 1, "b": 1, "c": 2, "d": 3}));
    assert_eq!(value["q"], json!({"<<": 1}));
}
