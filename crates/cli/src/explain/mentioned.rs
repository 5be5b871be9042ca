//! The names in the sentence of a cause: those of missing and taken objects stand in the words of the
//! API server, of the scheduler and of the operator, and in no field.

use super::named::Named;

impl Named {
    /// The same with the names that the sentence mentions.
    pub(super) fn with_mentioned(self, sentence: &str) -> Self {
        let account = name_after(sentence, "looking up service account ");
        let account = account.and_then(|path| path.rsplit('/').next());
        self.with("ACCOUNT", account)
            .with("CLASS", name_after(sentence, "no PriorityClass with name "))
            .with("QUOTA", name_after(sentence, "exceeded quota: "))
            .with("CLAIM", name_after(sentence, "persistentvolumeclaim \""))
            .with_queue(sentence)
            .with_taken(sentence)
    }

    /// "queue NAME, set by KEY, does not exist: .. one that `kubectl get TYPE` lists", or "the set names
    /// no queue of Kueue (label KEY)".
    fn with_queue(self, sentence: &str) -> Self {
        let label = || name_after(sentence, "no queue of Kueue (label ");
        self.with("KEY", name_after(sentence, ", set by ").or_else(label))
            .with("QUEUES", name_after(sentence, "one that `kubectl get "))
    }

    /// `create KIND NAME: NameConflict: ..`
    fn with_taken(self, sentence: &str) -> Self {
        let before = sentence
            .split_once(": NameConflict: ")
            .map(|(before, _)| before);
        let mut words = before.unwrap_or_default().rsplit(' ');
        let name = words.next().filter(|name| !name.is_empty());
        self.with("NAME", name)
            .with("TYPE", words.next().map(str::to_lowercase))
    }
}

/// The name that follows these words.
fn name_after<'a>(sentence: &'a str, lead: &str) -> Option<&'a str> {
    let (_, rest) = sentence.split_once(lead)?;
    let is_end = |c: char| !c.is_alphanumeric() && !"-./_".contains(c);
    let name = rest.split(is_end).next()?.trim_end_matches('.');
    (!name.is_empty()).then_some(name)
}
