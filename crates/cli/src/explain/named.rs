//! Names for the placeholders of a remedy, so that its commands can be pasted.

/// The known names, each with its placeholder: `SET`, `NAMESPACE`, `POD` and so on.
#[derive(Clone, Debug, Default)]
pub struct Named(Vec<(&'static str, String)>);

impl Named {
    /// The same with the name for this placeholder, if it is known.
    #[must_use]
    pub fn with(mut self, placeholder: &'static str, name: Option<impl Into<String>>) -> Self {
        self.0.extend(name.map(|name| (placeholder, name.into())));
        self
    }

    /// The remedy with the known names. Without a container it names none: the pod has a default one.
    pub fn fill(&self, remedy: &str) -> String {
        let remedy = match self.find("CONTAINER") {
            Some(_) => remedy.to_owned(),
            None => remedy.replace(" -c CONTAINER", ""),
        };
        let pieces = remedy.split_inclusive(|c: char| !c.is_ascii_uppercase());
        pieces.map(|piece| self.fill_piece(piece)).collect()
    }

    /// A piece is a word in capitals with the letter behind it, or a letter.
    fn fill_piece(&self, piece: &str) -> String {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_uppercase());
        match self.find(word) {
            Some(name) => piece.replacen(word, name, 1),
            None => piece.to_owned(),
        }
    }

    fn find(&self, placeholder: &str) -> Option<&str> {
        let mut all = self.0.iter();
        let found = all.find(|(known, _)| *known == placeholder)?;
        Some(&found.1)
    }
}
