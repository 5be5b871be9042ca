//! Links lead to a decision by its number, so that its title may change.

use std::collections::BTreeSet;
use std::fs;

use xtask::output;

/// The number of a decision whose heading begins with an anchor of that number.
fn number(title: &str) -> Option<&str> {
    let (number, rest) = title.strip_prefix("<a id=\"")?.split_once("\"></a>")?;
    rest.strip_prefix(number)?
        .starts_with(". ")
        .then_some(number)
}

#[test]
fn every_decision_has_its_number_as_anchor_and_one_place_in_the_table() {
    let text = fs::read_to_string(output::root().join("docs/decisions.md")).unwrap();
    let mut numbers = BTreeSet::new();
    for title in text.lines().filter_map(|line| line.strip_prefix("### ")) {
        let number = number(title).unwrap_or_else(|| panic!("{title}"));
        assert!(numbers.insert(number), "{title}");
        let links = text.matches(&format!("[{number}](#{number})")).count();
        assert_eq!(links, 1, "{title}: links in the table");
    }
    assert!(numbers.len() > 100, "{numbers:?}");
}
