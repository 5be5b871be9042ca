//! "Why is my gang not running": ten ways to be stuck, each named in condition `Ready`.

mod claims;
mod gangs;
mod nodes;
mod refused;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen, condition, same};

/// A set of one clique of two pods, its pod spec with these fields.
fn set_with(fields: &Value) -> Value {
    let mut clique = clique("worker", 2);
    let spec = clique["spec"]["podSpec"].as_object_mut().unwrap();
    spec.extend(fields.as_object().unwrap().clone());
    set("svc", &[clique], &[])
}

/// Waits until the set and its PodClique give the cause in these words, with an event on the set,
/// and its PodGang, if there is one, gives it too; and `kubectl get` shows it.
fn is_stuck(ns: &Namespace<'_>, reason: &str, words: &str) {
    let expected = format!("False/{reason}");
    ns.until("the cause is named", |seen| {
        let podclique = seen.one("PodClique", "svc-0-worker")?;
        same("PodClique", &condition(podclique, "Ready"), &expected)?;
        expect_words(podclique, "2 pods ", words)?;
        let set = seen.one("PodCliqueSet", "svc")?;
        same("PodCliqueSet", &condition(set, "Ready"), &expected)?;
        expect_words(set, "replica 0: clique worker ", words)?;
        for gang in seen.all("PodGang") {
            same("PodGang", &condition(gang, "Ready"), &expected)?;
        }
        let events = ns.events("svc", reason);
        same("events", &events.len(), &1)
    });
    is_explained(ns, &["explain", "svc"], reason, words);
    exits_with(ns, 1).unwrap();
    let table = table(ns);
    let rows = || {
        table
            .lines()
            .filter(|l| !l.is_empty() && !l.starts_with("NAME "))
    };
    let is_shown = |row: &str| row.split_whitespace().any(|word| word == reason);
    assert!(rows().count() >= 2 && rows().all(is_shown), "{table}");
}

/// Scripts see by the exit code whether there is something to look at.
fn exits_with(ns: &Namespace<'_>, expected: i32) -> Result<(), String> {
    for args in [&["tree", "svc"][..], &["tree"], &["explain", "svc"]] {
        let output = ns.grove_command(args).output().unwrap();
        same(&args.join(" "), &output.status.code(), &Some(expected))?;
    }
    Ok(())
}

/// The remedy for a claim names the claim and its template, so the manual has it in other words.
const REMEDY_OF_CLAIM: &str = "`kubectl get resourceclaimtemplates -n ";

/// `kubectl grove explain` gives the cause in these words, and a remedy of the manual.
fn is_explained(ns: &Namespace<'_>, args: &[&str], reason: &str, words: &str) {
    let text = ns.grove_words(args);
    let cause = format!("is not ready: {reason} Cause ");
    let missing: Vec<_> = [&*cause, words]
        .into_iter()
        .filter(|words| !text.contains(words))
        .collect();
    assert!(missing.is_empty(), "no {missing:?} in: {text}");
    let (_, remedy) = text.split_once("Remedy ").unwrap();
    let (remedy, _) = remedy.split_once(" Next ").unwrap();
    let manual = include_str!("../../../../docs/operations.md");
    let rows = manual.lines().filter_map(|line| line.strip_suffix(" |"));
    let mut remedies = rows.filter_map(|row| Some(row.rsplit_once(" | ")?.1));
    let is_of_claim = reason == "ClaimMissing" && remedy.starts_with(REMEDY_OF_CLAIM);
    let is_there = is_of_claim || remedies.any(|manual| is_filled(manual, remedy));
    assert!(is_there, "the manual has no {remedy:?}: {text}");
}

/// Whether the remedy is that of the manual, with a name in place of each word in capitals.
fn is_filled(manual: &str, remedy: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase();
    let is_same = |(wanted, found): (&str, &str)| {
        let (start, end) = (wanted.find(is_capital), wanted.rfind(is_capital));
        let (Some(start), Some(end)) = (start, end) else {
            return wanted == found;
        };
        let is_placeholder = end > start && wanted[start..=end].chars().all(is_capital);
        let is_name = found.starts_with(&wanted[..start]) && found.ends_with(&wanted[end + 1..]);
        wanted == found || (is_placeholder && is_name && !found.contains(is_capital))
    };
    manual.split(' ').count() == remedy.split(' ').count()
        && manual.split(' ').zip(remedy.split(' ')).all(is_same)
}

/// The table that a user reads first; it has to fit 120 columns.
fn table(ns: &Namespace<'_>) -> String {
    let table = ns.kubectl(&["get", "pcs,pcsg,pclq"]) + &ns.kubectl(&["get", "pg"]);
    assert!(table.lines().all(|line| line.len() <= 120), "{table}");
    table
}

/// Fails unless the message of `Ready` contains both.
fn expect_words(object: &Value, place: &str, words: &str) -> Result<(), String> {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|c| c["type"] == "Ready").unwrap();
    let message = ready["message"].as_str().unwrap();
    let is_there = message.contains(place) && message.contains(words);
    is_there.then_some(()).ok_or_else(|| message.to_owned())
}

/// Waits until the cause is gone and no longer reported: `Ready` is True, no error is left, and an
/// event reports it.
fn is_mended(ns: &Namespace<'_>) {
    ns.until("it is mended", |seen: &Seen| {
        for (kind, name) in [("PodCliqueSet", "svc"), ("PodClique", "svc-0-worker")] {
            let object = seen.one(kind, name)?;
            same(
                kind,
                &condition(object, "Ready"),
                &"True/AllReady".to_owned(),
            )?;
            same("errors", &object["status"]["lastErrors"], &Value::Null)?;
        }
        same("events", &ns.events("svc", "Ready").len(), &1)?;
        exits_with(ns, 0)
    });
}

/// A manifest of this kind with these fields.
fn object(api: &str, kind: &str, name: &str, fields: &Value) -> Value {
    let mut object = json!({"apiVersion": api, "kind": kind, "metadata": {"name": name}});
    let all = object.as_object_mut().unwrap();
    all.extend(fields.as_object().unwrap().clone());
    object
}
