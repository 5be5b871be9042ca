//! Names in the code of documents.

use super::page::{Code, Page};

/// A name of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A metric, and the names of the labels that follow it.
    Metric(String, Vec<String>),
    /// A label, an annotation, a finalizer, a gate.
    Key(String),
    /// An environment variable.
    Variable(String),
    /// The type of a condition.
    Condition(String),
    /// The reason of a condition or an event.
    Reason(String),
    /// The reason of an event.
    Event(String),
    /// An alert.
    Alert(String),
}

/// All names in the document, in their order.
pub fn named(page: &Page) -> Vec<Name> {
    page.codes.iter().flat_map(names_in).collect()
}

fn names_in(code: &Code) -> Vec<Name> {
    let text = code.text.as_str();
    let mut all: Vec<Name> = metrics(text);
    all.extend(words(text, "grove.io/", is_in_key).filter_map(key));
    all.extend(words(text, "GROVE_", is_in_variable).map(|word| Name::Variable(word.to_owned())));
    all.extend(text.split_whitespace().flat_map(verdict));
    if is_pascal(text) {
        all.extend(of_word(&code.about, code.is_cell, text));
    }
    all
}

/// A word that follows `condition`, `reason` and so on, or that is in a column with that head.
fn of_word(about: &str, is_cell: bool, word: &str) -> Option<Name> {
    let word = word.to_owned();
    match about {
        "condition" => Some(Name::Condition(word)),
        "reason" => Some(Name::Reason(word)),
        "event" => Some(Name::Event(word)),
        "alert" => Some(Name::Alert(word)),
        _ if is_cell && about.starts_with("event ") => Some(Name::Event(word)),
        _ if is_alert(&word) => Some(Name::Alert(word)),
        _ => None,
    }
}

/// All alerts begin with this.
fn is_alert(word: &str) -> bool {
    let rest = word.strip_prefix("Grove").unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_pascal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && word.chars().any(|c| c.is_ascii_lowercase())
}

/// `Ready=False/InvalidSpec`
fn verdict(word: &str) -> Vec<Name> {
    let Some((type_, verdict)) = word.split_once('=') else {
        return Vec::new();
    };
    let (status, reason) = verdict.split_once('/').unwrap_or((verdict, ""));
    if !is_pascal(type_) || !["True", "False", "Unknown"].contains(&status) {
        return Vec::new();
    }
    let reason = Some(reason).filter(|reason| is_pascal(reason));
    let reason = reason.map(|reason| Name::Reason(reason.to_owned()));
    [Some(Name::Condition(type_.to_owned())), reason]
        .into_iter()
        .flatten()
        .collect()
}

/// API versions and kubectl's names of objects (`podclique.grove.io/demo-0-a`) look like keys but
/// are not; `grove.io/...` stands for any key.
fn key(word: &str) -> Option<Name> {
    let word = word.trim_end_matches(['.', '-']);
    let (group, name) = word.split_once('/')?;
    let version = name.strip_prefix('v').unwrap_or_default();
    let is_version = version.starts_with(|c: char| c.is_ascii_digit());
    let is_object = ["podclique", "podgang", "clustertopology"]
        .iter()
        .any(|kind| group.starts_with(kind));
    (!name.is_empty() && !is_version && !is_object).then(|| Name::Key(word.to_owned()))
}

/// `grove_queue_depth{controller="podclique"}`
fn metrics(text: &str) -> Vec<Name> {
    let names = words(text, "grove_", is_in_metric).filter(|word| !word.ends_with('_'));
    let with_labels = names.map(|name| {
        let behind = text.split_once(name).map_or("", |(_, behind)| behind);
        let labels = behind.strip_prefix('{').and_then(|l| l.split_once('}'));
        let labels = labels.map_or("", |(labels, _)| labels).split(',');
        let labels = labels.filter_map(|label| label.split(['=', '!']).next());
        let labels = labels.map(|label| label.trim().to_owned());
        Name::Metric(name.to_owned(), labels.filter(|l| !l.is_empty()).collect())
    });
    with_labels.collect()
}

/// Words of these letters that begin with the text, or have it after a dot, and continue after it.
fn words<'a>(
    text: &'a str,
    part: &'static str,
    letters: fn(char) -> bool,
) -> impl Iterator<Item = &'a str> {
    text.split(move |c| !letters(c)).filter(move |word| {
        let found = word.split_once(part);
        found.is_some_and(|(before, after)| {
            (before.is_empty() || before.ends_with('.')) && !after.is_empty()
        })
    })
}

fn is_in_metric(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
}

fn is_in_variable(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

fn is_in_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./-".contains(c)
}
