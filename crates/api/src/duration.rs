//! Durations in the form of Go: `10s`, `4h`, `1h30m`.

use std::fmt;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The texts that Go's `time.ParseDuration` accepts.
pub(crate) const PATTERN: &str =
    "^[+-]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$";

/// The same, greater than 0: one part has a digit that is not 0.
pub(crate) const POSITIVE: &str = concat!(
    "^[+]?",
    "(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))*",
    "([0-9]*[1-9][0-9]*([.][0-9]*)?|[0-9]*[.][0-9]*[1-9][0-9]*)(ns|us|µs|μs|ms|s|m|h)",
    "(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))*$"
);

/// Nanoseconds of each unit. A unit comes after the units that are prefixes of it.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// A duration as the user wrote it. It is kept as text so that a stored value that cannot be parsed
/// makes one condition, not an undecodable object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("maxLength" = 64))]
pub struct GoDuration(pub String);

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It is not a sequence of numbers with units.
    #[error("{0:?} is not a duration: write numbers with units, e.g. 30s, 4h or 1h30m")]
    Malformed(String),
    /// It does not fit into 64 bits of nanoseconds, Go's limit.
    #[error("{0:?} is too long a duration: the limit is 292 years, e.g. write 2562047h")]
    TooLong(String),
}

impl GoDuration {
    /// The duration of the text, by the rules of Go's `time.ParseDuration`: a sign, then numbers
    /// with the units `ns`, `us`, `ms`, `s`, `m` and `h`; `0` needs no unit. Fractions of a
    /// nanosecond are dropped.
    ///
    /// # Errors
    /// When the text is not of that form, or the duration is longer than 292 years.
    pub fn parse(&self) -> Result<SignedDuration, DurationError> {
        let malformed = || DurationError::Malformed(self.0.clone());
        let too_long = || DurationError::TooLong(self.0.clone());
        let (sign, unsigned) = match self.0.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, self.0.strip_prefix('+').unwrap_or(&self.0)),
        };
        if unsigned == "0" {
            return Ok(SignedDuration::ZERO);
        }
        if unsigned.is_empty() {
            return Err(malformed());
        }
        let mut nanoseconds = 0_i128;
        let mut rest = unsigned;
        while !rest.is_empty() {
            let (part, after) = parse_part(rest).ok_or_else(malformed)?;
            let part = part.ok_or_else(too_long)?;
            nanoseconds = nanoseconds.checked_add(part).ok_or_else(too_long)?;
            rest = after;
        }
        let nanoseconds = i64::try_from(sign * nanoseconds).map_err(|_| too_long())?;
        Ok(SignedDuration::from_nanos(nanoseconds))
    }

    /// Whole seconds in the shortest form that Go reads: `0s`, `90s` becomes `1m30s`.
    pub fn from_seconds(seconds: i64) -> Self {
        let total = seconds.unsigned_abs();
        let sign = if seconds < 0 { "-" } else { "" };
        let amounts = [
            (total / 3600, "h"),
            (total / 60 % 60, "m"),
            (total % 60, "s"),
        ];
        let parts: Vec<String> = amounts
            .into_iter()
            .filter(|(amount, _)| *amount > 0)
            .map(|(amount, unit)| format!("{amount}{unit}"))
            .collect();
        if parts.is_empty() {
            return Self("0s".to_owned());
        }
        Self(format!("{sign}{}", parts.concat()))
    }
}

impl fmt::Display for GoDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for GoDuration {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// The first number with its unit in nanoseconds (`None` if it is too large), and the rest of the
/// text.
fn parse_part(text: &str) -> Option<(Option<i128>, &str)> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(after) => digits(after),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (unit, rest) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((*unit, unit_end(rest.strip_prefix(name)?)?)))?;
    Some((amount(whole, fraction, unit), rest))
}

/// A unit ends at the end of the text or at the next number: `m` is not the unit of `5mo`.
fn unit_end(rest: &str) -> Option<&str> {
    rest.chars()
        .next()
        .is_none_or(|c| c == '.' || c.is_ascii_digit())
        .then_some(rest)
}

fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn amount(whole: &str, fraction: &str, unit: i128) -> Option<i128> {
    let whole = if whole.is_empty() {
        0
    } else {
        whole.parse::<i128>().ok()?
    };
    // No unit has more than 13 digits of nanoseconds: later digits have no effect.
    let fraction: String = fraction.chars().take(18).collect();
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let fraction = fraction.parse::<i128>().unwrap_or_default();
    whole
        .checked_mul(unit)?
        .checked_add(fraction.checked_mul(unit)? / scale)
}
