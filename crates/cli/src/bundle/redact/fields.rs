//! The fields with harmless content, and its form.

use api::GoDuration;
use domain::object::quantity::parse_quantity;
use jiff::Timestamp;

/// Images. A tag looks like a value: `registry.local/token:1.2`.
pub const IMAGES: [&str; 2] = ["image", "imageID"];
/// Sentences for people.
pub const MESSAGES: [&str; 3] = ["description", "message", "note"];
/// Objects with a `message` that a workload wrote.
pub const OF_WORKLOADS: [&str; 3] = ["cause", "lastFailures", "terminated"];
/// Amounts, by the names of resources.
pub const QUANTITIES: [&str; 9] = [
    "allocatable",
    "capacity",
    "hard",
    "limits",
    "overhead",
    "requests",
    "resourceRequests",
    "target",
    "used",
];
/// Amounts.
const AMOUNTS: [&str; 4] = ["averageValue", "divisor", "sizeLimit", "storage"];
/// Names that a message may repeat.
pub const NAMES_IN_MESSAGES: [&str; 8] = [
    "clique",
    "domain",
    "hostname",
    "name",
    "namespace",
    "nodeName",
    "pod",
    "queue",
];
/// Fields of names, words for programs and versions, in addition to fields that end like
/// `claimName`.
const NAMED: &str = include_str!("named.txt");
/// Selectors and lists of numbers as one text.
const LISTS: [&str; 5] = [
    "completed",
    "completedIndices",
    "hpaPodSelector",
    "scaledInReplicas",
    "selector",
];
/// Words that Kubernetes' own fields take.
const ENUMERATIONS: &str = include_str!("enumerations.txt");
const ENDS_OF_NAMES: [&str; 3] = ["Hash", "Name", "Names"];
const LONGEST_NAME: usize = 253;
const LONGEST_DURATION: usize = 16;
/// Beginnings of fields of a pod that the downward API knows.
const OWN_FIELDS: [&str; 3] = ["metadata.", "spec.", "status."];
/// Units after a number.
pub const UNITS: [&str; 17] = [
    "Ei", "Gi", "Ki", "Mi", "Pi", "Ti", "E", "G", "K", "M", "P", "T", "h", "k", "m", "ms", "s",
];

/// Whether the field's content is harmless by its form.
pub fn is_harmless(key: &str, text: &str) -> bool {
    let has = |words: &str, word: &str| words.split_whitespace().any(|known| known == word);
    let is_named = || has(NAMED, key) || ENDS_OF_NAMES.iter().any(|end| key.ends_with(end));
    has(ENUMERATIONS, text)
        || is_time(text)
        || is_duration(text)
        || is_share(text)
        || (is_name(text) && (matches!(key, "port" | "targetPort") || is_named()))
        || (has_form_of_name(text) && (LISTS.contains(&key) || IMAGES.contains(&key)))
        || (AMOUNTS.contains(&key) && is_quantity(text))
        || (key == "resourceVersion" && text.chars().all(|c| c.is_ascii_digit()))
        || (key == "fieldPath" && OWN_FIELDS.iter().any(|own| text.starts_with(own)))
}

/// A name of an object or a key: no blanks, no signs of a shell.
pub fn is_name(text: &str) -> bool {
    let is_short = text.len() <= LONGEST_NAME && !text.contains(['=', ',']);
    is_short && has_form_of_name(text) && !super::text::is_token(text)
}

/// The same, however long it is, or several of them.
pub fn has_form_of_name(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_./:@+,={}".contains(c);
    text.chars().all(is_of_name)
}

/// A time: `2026-01-01T00:00:00Z`.
pub fn is_time(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// A time that something takes: `30s`, `4h30m`.
fn is_duration(text: &str) -> bool {
    let is_short = text.len() <= LONGEST_DURATION;
    is_short && GoDuration::from(text).parse().is_ok()
}

/// A share: `25%`.
fn is_share(text: &str) -> bool {
    let number = text.strip_suffix('%').unwrap_or_default();
    (1..=3).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit())
}

/// An amount of a resource: `500m`, `4Gi`.
pub fn is_quantity(text: &str) -> bool {
    parse_quantity(text).is_some()
}

/// Whether the text is a replacement of a hidden one.
pub fn is_mark(text: &str) -> bool {
    let inner = text.strip_prefix("<hidden: ");
    let number = inner.and_then(|inner| inner.split_once(" character"));
    number.is_some_and(|(number, rest)| {
        number.chars().all(|c| c.is_ascii_digit()) && matches!(rest, ">" | "s>")
    })
}
