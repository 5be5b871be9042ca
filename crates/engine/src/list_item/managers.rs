//! Removes the managed fields from an object's text.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// The text as API servers write it: without spaces. In a string the quotes would be escaped. A
/// label or an annotation may have this name, too, but its value is no list.
const MANAGERS: &str = r#""managedFields":["#;

/// The text with an empty list in place of the first managed fields, which belong to the object's
/// own metadata: these come before its spec. Text in another form stays as it is.
pub(super) fn cut_managers(object: &str) -> Cow<'_, str> {
    let Some(at) = object.find(MANAGERS) else {
        return Cow::Borrowed(object);
    };
    let (before, list) = object.split_at(at + MANAGERS.len() - 1);
    let mut values = Deserializer::from_str(list).into_iter::<IgnoredAny>();
    let is_value = matches!(values.next(), Some(Ok(_)));
    match list.get(values.byte_offset()..) {
        Some(after) if is_value => Cow::Owned([before, "[]", after].concat()),
        _ => Cow::Borrowed(object),
    }
}
