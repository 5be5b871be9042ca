//! The value of a scalar. kubectl reads YAML by the rules of version 1.1, where `yes` is true and
//! `010` is 8, and sends that value to the API server.

use serde_json::{Number, Value};

/// The value of a scalar without quotes and tag; none if JSON has no such value.
pub(super) fn resolve_plain(text: &str) -> Option<Value> {
    if let Some(value) = word(text) {
        return Some(value);
    }
    let digits = text.trim_start_matches(['+', '-']);
    if [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(&digits) {
        return None;
    }
    let begins_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = begins_number.then(|| number(text)).flatten();
    Some(number.unwrap_or_else(|| text.into()))
}

fn word(text: &str) -> Option<Value> {
    let value = match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            true.into()
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            false.into()
        }
        _ => return None,
    };
    Some(value)
}

fn number(text: &str) -> Option<Value> {
    let plain = text.replace('_', "");
    whole(&plain).or_else(|| fraction(&plain))
}

/// With a prefix as in Go, and octal with a leading zero.
fn whole(text: &str) -> Option<Value> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, lower.get(2..)?),
        Some("0b") => (2, lower.get(2..)?),
        Some("0o") => (8, lower.get(2..)?),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, lower.get(1..)?),
        _ => (10, &*lower),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = u64::from_str_radix(digits, radix).ok()?;
    if is_negative {
        return Some(0_i64.checked_sub_unsigned(number)?.into());
    }
    Some(number.into())
}

/// A whole number stays a whole number, however it is written.
fn fraction(text: &str) -> Option<Value> {
    let is_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    if !text.chars().all(is_number) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    let text = number.to_string();
    let written = text.parse::<i64>().map(Value::from).ok();
    written.or_else(|| Some(Number::from_f64(number)?.into()))
}

/// A key in JSON; none if JSON has no such key.
pub(super) fn key_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
