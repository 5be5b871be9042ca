//! Every case of admission, as a file: lint finds the problems of the webhook, with the same paths
//! and words, as YAML and as JSON.

use std::collections::BTreeSet;

use admission::defaults::{DefaultsConfig, apply, apply_on_update};
use admission::{Rules, oversize, validate, validate_update, warnings};
use api::PodCliqueSet;
use cli::files::Source;
use cli::lint::{Report, StoredObjects, judge_sources};
use serde_json::Value;
use testkit::admission_cases::{Case, all};

use super::source;

/// Cases that `lint --old STORED NEW` does not find, with the reason.
const NOT_FOUND: &[(&str, &str)] = &[];

type Write = fn(&str, &Value) -> Source;

/// The two ways in which a case is written.
const WRITERS: [Write; 2] = [
    |name, object| {
        source(
            &format!("{name}.yaml"),
            serde_saphyr::to_string(object).unwrap(),
        )
    },
    |name, object| {
        source(
            &format!("{name}.json"),
            serde_json::to_string_pretty(object).unwrap(),
        )
    },
];

fn decode(object: &Value) -> PodCliqueSet {
    serde_json::from_value(object.clone()).unwrap()
}

/// The texts of the webhook: errors, or else warnings.
fn expected(case: &Case) -> (Vec<String>, Vec<String>) {
    let (config, rules) = (DefaultsConfig::default(), Rules::default());
    let text = case.object.to_string();
    if let Some(error) = oversize::of_text(text.as_bytes()) {
        return (vec![error.to_string()], Vec::new());
    }
    let mut new = decode(&case.object);
    let old = case.before.as_ref().map(|old| apply(&decode(old), &config));
    let errors = match &old {
        None => validate(&apply(&new, &config), &rules),
        Some(old) => {
            apply_on_update(old, &mut new, &config);
            validate_update(old, &new, &rules)
        }
    };
    if !errors.is_empty() {
        return (errors.iter().map(ToString::to_string).collect(), Vec::new());
    }
    let new = apply(&new, &config);
    let warnings = warnings::of_set(old.as_ref(), &new).into_iter();
    let warnings = warnings.map(|w| format!("{}: {}", w.path, w.text));
    (Vec::new(), warnings.collect())
}

fn lint(case: &Case, write: Write, with_old: bool) -> Report {
    let old = case.before.as_ref().filter(|_| with_old);
    let old: Vec<_> = old.iter().map(|old| write("old", old)).collect();
    let new = write(case.name, &case.object);
    let stored = StoredObjects::of(&old).unwrap();
    judge_sources(&[new], &stored).into_report(&[])
}

/// The findings of a rule, in the order of the rules.
fn said(report: &Report, rule: &str) -> Vec<String> {
    let said = report.findings.iter().filter(|f| f.remark.rule.id == rule);
    said.map(|f| f.remark.to_string()).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// The difference between the findings of lint and the expected ones of a case.
fn judge(case: &Case, write: Write) -> Result<(), String> {
    let report = lint(case, write, true);
    let (errors, warned) = expected(case);
    let found = sorted(said(&report, "refused"));
    if found != sorted(errors.clone()) {
        return Err(format!("refused: {found:#?}\ninstead of {errors:#?}"));
    }
    let refused = report
        .findings
        .iter()
        .filter(|f| f.remark.rule.id == "refused");
    let paths = sorted(refused.map(|f| f.remark.path.clone()).collect());
    if paths != sorted(case.refused_at.clone()) {
        return Err(format!(
            "refused at {paths:?} instead of {:?}",
            case.refused_at
        ));
    }
    if !errors.is_empty() {
        return Ok(());
    }
    let found = sorted(said(&report, "admitted-with-warning"));
    if found != sorted(warned.clone()) {
        return Err(format!("warned of: {found:#?}\ninstead of {warned:#?}"));
    }
    let definition = said(&report, "definition");
    // The rules of pods are this command's own: admission does not look at them.
    let is_refused = !definition.is_empty() || !report.unreadable.is_empty();
    if is_refused {
        return Err(format!(
            "accepted, and refused: {definition:#?} {:?}",
            report.unreadable
        ));
    }
    Ok(())
}

#[test]
fn each_case_is_found_with_the_same_path_and_words() {
    let cases = all();
    let mut wrong = Vec::new();
    let mut not_found = BTreeSet::new();
    for case in &cases {
        for write in WRITERS {
            if let Err(why) = judge(case, write) {
                not_found.insert(case.name);
                wrong.push(format!("{}: {why}", case.name));
            }
        }
    }
    let known: BTreeSet<_> = NOT_FOUND.iter().map(|(name, _)| *name).collect();
    assert_eq!(not_found, known, "{}", wrong.join("\n"));
    assert!(cases.len() >= 297, "{}", cases.len());
}

/// The line of a path in a printed object, found by writing another value there.
fn line_of(object: &Value, path: &str) -> usize {
    const HERE: &str = "this is the place";
    let mut marked = object.clone();
    let mut here = &mut marked;
    let mut rest = path;
    while let Some((name, after)) = first_name(rest) {
        let key = match here {
            Value::Array(items) if name.parse::<usize>().is_ok_and(|i| i < items.len()) => name,
            Value::Object(fields) if fields.contains_key(name) => name,
            _ => break,
        };
        here = match key.parse::<usize>() {
            Ok(i) if here.is_array() => &mut here[i],
            _ => &mut here[key],
        };
        rest = after;
    }
    *here = HERE.into();
    let text = serde_json::to_string_pretty(&marked).unwrap();
    text.lines().position(|line| line.contains(HERE)).unwrap() + 1
}

/// The first name, index or key of a path, and the rest of the path.
fn first_name(path: &str) -> Option<(&str, &str)> {
    if let Some(inner) = path.strip_prefix('[') {
        return inner.split_once(']');
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    (!path.is_empty()).then(|| path.split_at(end))
}

/// The reported line is that of the field, or of the nearest enclosing one.
#[test]
fn each_case_is_found_in_its_line() {
    let mut looked_at = 0;
    for case in all() {
        for finding in lint(&case, WRITERS[1], true).findings {
            let path = &finding.remark.path;
            assert_eq!(
                finding.line,
                line_of(&case.object, path),
                "{}: {path}",
                case.name
            );
            looked_at += 1;
        }
    }
    assert!(looked_at >= 1000, "{looked_at}");
}

/// Problems that only a comparison shows: `--old` finds them, and only `--old`.
#[test]
fn changes_are_found_with_the_stored_version_only() {
    let is_hidden = |case: &&Case| {
        let is_refused = !case.refused_at.is_empty();
        is_refused && said(&lint(case, WRITERS[0], false), "refused").is_empty()
    };
    let cases = all();
    let hidden: Vec<_> = cases.iter().filter(is_hidden).collect();
    assert!(hidden.iter().all(|case| case.before.is_some()));
    let names: Vec<_> = hidden.iter().map(|case| case.name).collect();
    insta::assert_snapshot!(names.join("\n"));
}
