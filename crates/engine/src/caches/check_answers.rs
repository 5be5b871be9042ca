//! The API server's answers about pods of new templates. A restart forgets them and asks again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::plan::{CheckAnswer, CheckedTemplate};
use jiff::{SignedDuration, Timestamp};

/// A refused template is asked about again after these times, and then each minute: the cause may
/// be a missing object.
const REPEATS: [SignedDuration; 3] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(20),
    SignedDuration::from_secs(60),
];

/// The last answer about a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The answer.
    pub answer: CheckAnswer,
    /// When the question is repeated; `None` if the answer is final.
    pub repeat_at: Option<Timestamp>,
}

/// The last answer about the newest template of each clique, by uid of the set.
#[derive(Debug, Default)]
pub struct CheckAnswers(Mutex<HashMap<String, BySet>>);

/// By clique.
type BySet = HashMap<String, Entry>;

#[derive(Debug)]
struct Entry {
    hash: String,
    /// How often the question was repeated.
    repeats: usize,
    known: KnownAnswer,
}

impl CheckAnswers {
    /// The API server answered.
    pub fn insert(&self, template: &CheckedTemplate, answer: CheckAnswer, now: Timestamp) {
        let mut all = self.lock();
        let of_set = all.entry(template.set_uid.clone()).or_default();
        let before = of_set
            .get(&template.clique)
            .filter(|entry| entry.hash == template.hash);
        let repeats = before.map_or(0, |entry| entry.repeats.saturating_add(1));
        let wait = REPEATS.get(repeats).or(REPEATS.last());
        let is_refused = answer != CheckAnswer::Accepted;
        let repeat_at = wait
            .filter(|_| is_refused)
            .and_then(|wait| now.checked_add(*wait).ok());
        let entry = Entry {
            hash: template.hash.clone(),
            repeats,
            known: KnownAnswer { answer, repeat_at },
        };
        of_set.insert(template.clique.clone(), entry);
    }

    /// The answer about exactly this template.
    pub fn get(&self, template: &CheckedTemplate) -> Option<KnownAnswer> {
        let all = self.lock();
        let entry = all.get(&template.set_uid)?.get(&template.clique)?;
        (entry.hash == template.hash).then(|| entry.known.clone())
    }

    /// The set is gone.
    pub fn clear(&self, set_uid: &str) {
        self.lock().remove(set_uid);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, BySet>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
