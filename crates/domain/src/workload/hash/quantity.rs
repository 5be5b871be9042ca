//! Quantities by value, so that `1000m` and `1` are the same.

use serde_json::Value;

/// Rewrites a quantity as a whole number of billionths. What is finer, larger or malformed
/// stays as it is.
pub(super) fn normalize(value: &mut Value) {
    if let Some(amount) = value.as_str().and_then(billionths) {
        *value = Value::String(amount.to_string());
    }
}

fn billionths(text: &str) -> Option<i128> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-'));
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = digits.checked_mul(scale(suffix)?)?;
    let divisor = power(10, fraction.len())?;
    (scaled % divisor == 0).then_some(scaled / divisor)
}

/// How many billionths one unit of the suffix is.
fn scale(suffix: &str) -> Option<i128> {
    const BILLION: i128 = 1_000_000_000;
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    let place = |list: &[&str]| list.iter().position(|s| *s == suffix);
    if let Some(place) = place(&binary) {
        return power(1024, place + 1)?.checked_mul(BILLION);
    }
    if let Some(place) = place(&decimal) {
        return power(1000, place);
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    power(10, usize::try_from(exponent.checked_add(9)?).ok()?)
}

fn power(base: i128, exponent: usize) -> Option<i128> {
    base.checked_pow(u32::try_from(exponent).ok()?)
}
