//! Source files as input of the reference.

use xtask::reference::metrics;
use xtask::source;

const SOURCE: &str = r#"
/// Label of pods: on two
/// lines.
pub const A: &str = "a";
const PRIVATE: &str = "private";
/// Normal on the set: a newtype.
pub const B: EventReason = EventReason("B");
pub const NUMBER: fn() = none;
pub mod inner {
    /// Inner.
    pub const C: &str = "c";
}
pub enum E {
    /// One.
    One = 1,
    Two,
}
"#;

fn items() -> Vec<syn::Item> {
    syn::parse_file(SOURCE).unwrap().items
}

#[test]
fn constants_have_their_value_and_their_comment_on_one_line() {
    let read = |items: &[syn::Item]| -> Vec<[String; 3]> {
        let all = source::constants(items).into_iter();
        all.map(|i| [i.name, i.value, i.comment]).collect()
    };
    let outer = read(&items());
    assert_eq!(outer[0], ["A", "a", "Label of pods: on two lines."]);
    assert_eq!(outer[1], ["B", "B", "Normal on the set: a newtype."]);
    assert_eq!(outer.len(), 2);
    let items = items();
    let inner = read(source::module(&items, "inner").unwrap());
    assert_eq!(inner, [["C", "c", "Inner."]]);
    assert!(source::module(&items, "other").is_err());
}

#[test]
fn a_variant_without_a_comment_is_refused() {
    let error = source::variants(&items(), "E").unwrap_err().to_string();
    assert!(error.starts_with("E::Two has no comment"), "{error}");
    let ended = SOURCE.replace("    Two,\n", "");
    let items = syn::parse_file(&ended).unwrap().items;
    let variants = source::variants(&items, "E").unwrap();
    assert_eq!((variants.len(), variants[0].value.as_str()), (1, "1"));
}

/// A gauge without labels, a family of histograms, a counter that a function creates, a counter of
/// another crate.
#[test]
fn metrics_are_found_where_they_are_registered() {
    let all = metrics::all().unwrap();
    let find = |name: &str| {
        let mut all = all.iter();
        let metric = all.find(|metric| metric.exposed() == name);
        let metric = metric.unwrap_or_else(|| panic!("{name}"));
        (metric.sort, metric.labels.join(","))
    };
    assert_eq!(find("grove_leader"), ("gauge", String::new()));
    let duration = find("grove_reconcile_duration_seconds");
    assert_eq!(duration, ("histogram", "controller".to_owned()));
    let (sort, labels) = find("grove_objects");
    assert_eq!(sort, "gauge");
    assert!(labels.starts_with("kind,"), "{labels}");
    let requests = find("grove_admission_requests_total");
    assert_eq!(requests, ("counter", "webhook,operation,result".to_owned()));
    assert!(all.len() > 20 && all.iter().all(|metric| metric.help.len() > 10));
}
