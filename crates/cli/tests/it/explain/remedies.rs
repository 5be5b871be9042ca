//! Remedies equal those of docs/operations.md.

use std::collections::BTreeMap;

use api::conditions::Reason;
use cli::explain::remedy_of;
use strum::IntoEnumIterator as _;

const MANUAL: &str = include_str!("../../../../../docs/operations.md");

/// The remedy of each reason in the manual's tables: rows of reason, meaning and remedy.
fn documented() -> BTreeMap<&'static str, &'static str> {
    let rows = MANUAL.lines().filter_map(|line| {
        let cells = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let (reason, rest) = cells.split_once("` | ")?;
        let (_, remedy) = rest.split_once(" | ")?;
        reason.parse::<Reason>().is_ok().then_some((reason, remedy))
    });
    rows.collect()
}

#[test]
fn each_remedy_is_that_of_the_manual_word_for_word() {
    let documented = documented();
    assert!(documented.len() > 20, "{documented:?}");
    for reason in Reason::iter() {
        let word = reason.to_string();
        assert_eq!(remedy_of(reason), documented.get(&*word).copied(), "{word}");
    }
}

#[test]
fn each_cause_has_a_remedy() {
    let causes = Reason::iter().filter(|r| r.priority() < usize::MAX);
    let without: Vec<Reason> = causes.filter(|r| remedy_of(*r).is_none()).collect();
    assert_eq!(without, vec![]);
}
