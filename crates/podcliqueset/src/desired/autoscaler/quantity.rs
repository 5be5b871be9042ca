//! Quantities such as `500m` and `0.5`, which are the same.
//!
//! The crate for them (`kube_quantity`) panics where a number is too large, and reads no exponents.

/// The API server rounds up to a billionth.
const PLACES: i32 = 9;
/// The API server cuts larger values down to this.
const MOST: i128 = i64::MAX as i128 * 1_000_000_000;

/// The value in billionths; the text itself if it is no quantity.
pub(super) fn plain(text: &str) -> String {
    billionths(text).map_or_else(|| text.to_owned(), |value| value.to_string())
}

fn billionths(text: &str) -> Option<i128> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let (factor, power) = scale(suffix)?;
    let power = power
        .checked_add(PLACES)?
        .checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let value = digits.saturating_mul(factor);
    let step = 10_i128.saturating_pow(power.unsigned_abs());
    let value = if power < 0 {
        value / step + i128::from(value % step > 0)
    } else {
        value.saturating_mul(step)
    };
    Some(sign * value.min(MOST))
}

/// A factor, and a power of ten.
fn scale(suffix: &str) -> Option<(i128, i32)> {
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    if let Some(place) = BINARY.iter().position(|known| *known == suffix) {
        let power = u32::try_from(place).ok()?.saturating_add(1);
        return Some((1024_i128.saturating_pow(power), 0));
    }
    if let Some(place) = DECIMAL.iter().position(|known| *known == suffix) {
        let power = i32::try_from(place).ok()?.saturating_sub(3);
        return Some((1, power.saturating_mul(3)));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    Some((1, exponent.parse().ok()?))
}
