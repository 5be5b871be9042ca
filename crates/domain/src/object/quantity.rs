//! Amounts of resources, as Kubernetes writes them: `500m`, `16Gi`, `8`, `1e3`.

/// How much a quantity is; none if it is not one.
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
