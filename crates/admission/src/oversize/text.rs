//! What is refused before it is decoded.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entries::{MAX_ENTRIES, too_many};
use crate::field::FieldError;

/// Entries of lists that are too many in the text of a set: an object of very many entries takes longer to decode
/// than to refuse. A text that is no object is not judged here.
pub fn of_text(text: &[u8]) -> Option<FieldError> {
    let count = Cell::new(0);
    let mut text = serde_json::Deserializer::from_slice(text);
    // It ends where there are too many, or where the decoder finds something wrong as well.
    let _ended = Counter(&count).deserialize(&mut text);
    (count.get() > MAX_ENTRIES).then(|| too_many(count.get()))
}

/// Counts the entries of lists, and fails when they are too many.
struct Counter<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Counter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Counter(self.0))?.is_some() {
            self.0.set(self.0.get().saturating_add(1));
            if self.0.get() > MAX_ENTRIES {
                return Err(A::Error::custom("too many entries"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Counter(self.0))?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
