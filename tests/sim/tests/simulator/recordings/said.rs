//! The operator's words and actions, as lines.

use std::collections::BTreeMap;

use api::labels;
use serde_json::Value;
use sim::check::OPERATOR;
use sim::store::Record;
use sim::{Resource, Store, view};

/// Conditions without information about the state of a pod.
const DULL: [&str; 2] = ["UpdateInProgress", "PodCliqueScheduled"];

/// The previous lines.
#[derive(Default)]
pub struct Said {
    facts: BTreeMap<String, String>,
    /// Length of the log at that time.
    length: usize,
}

impl Said {
    /// The lines since then.
    pub fn listen(&mut self, store: &Store) -> Vec<String> {
        let names = Names::of(store);
        let facts = facts(store);
        let is_new = |(key, text): &(&String, &String)| self.facts.get(*key) != Some(*text);
        let new = facts.iter().filter(is_new);
        let new = new.map(|(key, text)| format!("{key} {text}").trim_end().to_owned());
        let gone = self.facts.keys().filter(|key| !facts.contains_key(*key));
        let gone = gone.map(|key| format!("no more: {key}"));
        let deeds = store.log.iter().skip(self.length).filter_map(deed);
        let lines = new.chain(gone).chain(deeds);
        let lines = lines
            .map(|line| format!("        {}", names.replace(&line)))
            .collect();
        self.length = store.log.len();
        self.facts = facts;
        lines
    }
}

/// Names of pods by their slot: `w-0` is the first pod of slot 0, `w-0'` its successor.
struct Names(Vec<(String, String)>);

impl Names {
    fn of(store: &Store) -> Self {
        let created = store.log.iter().filter(|r| r.before.is_none());
        let pods = created.filter(|r| r.id.resource == Resource::Pod);
        let mut names: Vec<(String, String)> = vec![];
        for pod in pods {
            let owner = view::owner(&pod.last).map_or("", |(_, name, _)| name);
            let clique = owner.rsplit('-').next().unwrap_or_default();
            let mut short = format!("{clique}-{}", view::index(&pod.last).unwrap_or(-1));
            while names.iter().any(|(_, known)| *known == short) {
                short.push('\'');
            }
            names.push((pod.id.name.clone(), short));
        }
        Self(names)
    }

    fn replace(&self, text: &str) -> String {
        let all = self.0.iter();
        all.fold(text.to_owned(), |text, (name, short)| {
            text.replace(name, short)
        })
    }
}

/// The texts in statuses and events.
fn facts(store: &Store) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    for (_, set) in store.all(Resource::PodCliqueSet) {
        facts.extend(conditions("set", set));
        for key in ["phase", "restartCount", "disruptionRestarts"] {
            let value = set["status"].get(key);
            facts.extend(value.map(|value| (format!("set: {key}"), value.to_string())));
        }
        for entry in view::list(set, "/status/replicaAttempts") {
            let (attempt, message) = (&entry["attempt"], &entry["message"]);
            facts.insert("set: attempt".to_owned(), format!("{attempt} {message}"));
        }
        for failure in view::list(set, "/status/lastFailures") {
            facts.insert(format!("set: lastFailures {failure}"), String::new());
        }
    }
    for (id, clique) in store.all(Resource::PodClique) {
        facts.extend(conditions(&id.name, clique));
        let completed = clique["status"].get("completedIndices");
        facts.extend(completed.map(|c| (format!("{}: completed", id.name), c.to_string())));
    }
    for (id, pod) in store.all(Resource::Pod) {
        for key in [labels::START, "grove.io/start-at"] {
            let value = view::annotation(pod, key);
            if !value.is_empty() {
                facts.insert(format!("{}: {key}", id.name), value.to_owned());
            }
        }
    }
    let events = store.all(Resource::Event).map(|(_, event)| event);
    facts.extend(events.map(|e| event(e)));
    facts
}

fn conditions<'a>(of: &'a str, object: &'a Value) -> impl Iterator<Item = (String, String)> {
    let all = view::list(object, "/status/conditions");
    let told = all.filter(|c| !DULL.contains(&view::text(c, "/type")));
    told.map(move |c| {
        let [type_, status, reason, message] =
            ["/type", "/status", "/reason", "/message"].map(|key| view::text(c, key));
        (
            format!("{of}: {type_}"),
            format!("{status} {reason}: {message}"),
        )
    })
}

fn event(event: &Value) -> (String, String) {
    let [type_, reason, note] = ["/type", "/reason", "/note"].map(|key| view::text(event, key));
    let about = view::text(event, "/regarding/name");
    (
        format!("event {type_} {reason} on {about}: {note}"),
        String::new(),
    )
}

/// Creations and deletions by the operator.
fn deed(record: &Record) -> Option<String> {
    let is_meant = matches!(record.id.resource, Resource::Pod | Resource::PodClique);
    if record.actor != OPERATOR || !is_meant {
        return None;
    }
    let is_going = |o: &Value| view::is_terminating(o);
    let verb = match (&record.before, &record.after) {
        (None, _) => "creates",
        (Some(before), _) if !is_going(before) && is_going(&record.last) => "deletes",
        _ => return None,
    };
    Some(format!("{verb} {}", record.id.name))
}
