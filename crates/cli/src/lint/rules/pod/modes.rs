//! Modes of files in volumes.

use serde_json::Value;

use super::fields::values_at;
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_MODE: Rule = Rule::error(
    "invalid-mode",
    "a defaultMode or mode of a volume's files that is not from 0 to 0777 in octal",
    "The API server stores the set and refuses each of its pods.",
);

const FIELDS: [&str; 10] = [
    "volumes.configMap.defaultMode",
    "volumes.configMap.items.mode",
    "volumes.secret.defaultMode",
    "volumes.secret.items.mode",
    "volumes.downwardAPI.defaultMode",
    "volumes.downwardAPI.items.mode",
    "volumes.projected.defaultMode",
    "volumes.projected.sources.configMap.items.mode",
    "volumes.projected.sources.secret.items.mode",
    "volumes.projected.sources.downwardAPI.items.mode",
];

/// All rights of all users.
const HIGHEST: i64 = 0o777;

pub(super) fn check(at: &str, spec: &Value) -> Vec<Remark> {
    FIELDS
        .iter()
        .flat_map(|field| values_at(spec, at, field))
        .filter_map(|(at, value)| of_mode(at, value.as_i64()?))
        .collect()
}

fn of_mode(at: String, mode: i64) -> Option<Remark> {
    let problem = match mode {
        0..=HIGHEST => return None,
        ..0 => "must not be negative".to_owned(),
        _ => format!("is 0{mode:o} in octal, and must not be above 0777"),
    };
    let remark = Remark::new(&INVALID_MODE, at, problem).value(mode.to_string());
    Some(remark.remedy(remedy(mode)))
}

/// Most people write the octal digits, and forget the zero before them. A mode without any rights, such as
/// 01000, had its zero: nobody writes 512.
fn remedy(mode: i64) -> String {
    let has_rights = mode & HIGHEST != 0;
    let meant = has_rights.then(|| i64::from_str_radix(&mode.to_string(), 8));
    let meant = meant.and_then(Result::ok);
    match meant.filter(|meant| (0..=HIGHEST).contains(meant)) {
        Some(meant) => format!("write 0{mode}, or {meant} in JSON"),
        None => "use a mode such as 0644".to_owned(),
    }
}
