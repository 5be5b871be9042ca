//! Places in an object.

use std::fmt;

/// A place in an object, as a JSON patch names it (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// The place that these fields lead to, from the root of the object.
    pub fn to(fields: &[&str]) -> Self {
        let root = Self(String::new());
        fields.iter().fold(root, |place, field| place.then(field))
    }

    /// The value of this label.
    pub fn label(key: &str) -> Self {
        Self::to(&["metadata", "labels", key])
    }

    /// The value of this annotation.
    pub fn annotation(key: &str) -> Self {
        Self::to(&["metadata", "annotations", key])
    }

    /// A field, or an index, of this place.
    #[must_use]
    pub fn then(&self, field: &str) -> Self {
        let escaped = field.replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{escaped}", self.0))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
