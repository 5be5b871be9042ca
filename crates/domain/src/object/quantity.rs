//! Amounts of resources, in the notation of Kubernetes: `500m`, `16Gi`, `8`, `1e3`.

/// The value of a quantity; none if the text is not one.
pub fn parse_quantity(text: &str) -> Option<f64> {
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let scale = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024_f64,
        "Mi" => 1024_f64.powi(2),
        "Gi" => 1024_f64.powi(3),
        "Ti" => 1024_f64.powi(4),
        "Pi" => 1024_f64.powi(5),
        "Ei" => 1024_f64.powi(6),
        _ => return parse_exponent(text),
    };
    let number: f64 = number.parse().ok()?;
    (number * scale).is_finite().then_some(number * scale)
}

/// A number with an exponent, such as `1e3` or `12E-2`.
fn parse_exponent(text: &str) -> Option<f64> {
    let is_allowed = |c: char| c.is_ascii_digit() || "eE+-.".contains(c);
    let number: f64 = text.parse().ok()?;
    (text.chars().all(is_allowed) && number.is_finite()).then_some(number)
}

/// The value of a quantity in whole billionths, exactly; none if it is finer, too large or
/// malformed.
pub fn parse_billionths(text: &str) -> Option<i128> {
    let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-'));
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scaled = digits.checked_mul(billionths_of(suffix)?)?;
    let divisor = power(10, fraction.len())?;
    (scaled % divisor == 0).then_some(scaled / divisor)
}

/// How many billionths one unit of the suffix is.
fn billionths_of(suffix: &str) -> Option<i128> {
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
