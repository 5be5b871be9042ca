//! The cluster of an unfinished command line.

use std::ffi::OsString;

use crate::connection::ConnectionArgs;

/// The cluster flags among the words that have values.
pub fn connection_of(words: &[OsString]) -> ConnectionArgs {
    let mut connection = ConnectionArgs::default();
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    for (number, word) in words.iter().enumerate() {
        let value = |flag: &str| match word.strip_prefix(flag)? {
            "" => words.get(number + 1).copied(),
            rest => rest.strip_prefix('='),
        };
        let value = |flag: &str| value(flag).filter(|v| !v.is_empty()).map(str::to_owned);
        if let Some(found) = value("--namespace").or_else(|| value("-n")) {
            connection.namespace = Some(found);
        }
        if let Some(found) = value("--context") {
            connection.context = Some(found);
        }
        if let Some(found) = value("--kubeconfig") {
            connection.kubeconfig = Some(found.into());
        }
    }
    connection
}
