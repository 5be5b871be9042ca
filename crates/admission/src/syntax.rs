//! How Kubernetes wants things to be spelled.

/// The definition of a DNS label in errors.
pub(crate) const DNS_LABEL: &str = "lower-case letters, digits and hyphens, first and last a \
                                    letter or digit, at most 63 characters";

/// Characters of a DNS label.
pub(crate) const LONGEST_LABEL: usize = 63;

/// Whether it can be (part of) a host name (RFC 1123). Every valid label value of one word can,
/// too, so such a name works in both places.
pub fn is_dns_label(text: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    text.len() <= 63
        && text.bytes().all(is_inner)
        && !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// The nearest DNS label, as a proposal; `None` if nothing is left of the text.
pub(crate) fn nearest_dns_label(text: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let lower = text.to_lowercase();
    let hyphens = lower.replace(|c| !allowed(c), "-");
    let cut: String = hyphens.trim_matches('-').chars().take(63).collect();
    let label = cut.trim_end_matches('-');
    (!label.is_empty()).then(|| label.to_owned())
}

/// Whether it can be the key of a label or annotation: a name, before it an optional domain.
pub fn is_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((domain, name)) => is_dns_subdomain(domain) && is_key_name(name),
        None => is_key_name(text),
    }
}

/// Whether it can be the value of a label. It may be empty.
pub fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_key_name(text)
}

/// Whether it can be the name of an environment variable: printable ASCII except `=`, as the API
/// server accepts it from 1.32 on.
pub(crate) fn is_variable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'=')
}

fn is_key_name(text: &str) -> bool {
    let is_inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let is_outer = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.len() <= 63
        && text.bytes().all(is_inner)
        && is_outer(text.bytes().next())
        && is_outer(text.bytes().last())
}

fn is_dns_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_label)
}
