//! Sets that are refused before they are decoded.

mod section;

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use self::section::{Field, SetSection};
use super::entries::{MAX_ENTRIES, too_many};
use super::single::check_list;
use crate::field::FieldError;

/// The exceeded limit of a set's text: number of cliques, of scaling groups, or of entries of all
/// lists. Decoding a very large object takes longer than refusing it. A text that is not an object
/// passes.
pub fn of_text(text: &[u8]) -> Option<FieldError> {
    let scan = Scan::default();
    let mut text = serde_json::Deserializer::from_slice(text);
    // It ends where there are too many, or where the decoder finds something wrong as well.
    let _ended = Counter(&scan, SetSection::Set).deserialize(&mut text);
    let entries = scan.entries.get();
    let too_long = scan.too_long.into_inner();
    too_long.or_else(|| (entries > MAX_ENTRIES).then(|| too_many(entries)))
}

/// The counts so far.
#[derive(Default)]
struct Scan {
    entries: Cell<usize>,
    too_long: RefCell<Option<FieldError>>,
}

/// Counts the entries of lists, and fails when they are too many.
struct Counter<'a>(&'a Scan, SetSection);

impl<'de> DeserializeSeed<'de> for Counter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, text: D) -> Result<(), D::Error> {
        text.deserialize_any(self)
    }
}

impl Counter<'_> {
    /// Counts one list to its end, so that the error has its length.
    fn refuse_list<'de, A: SeqAccess<'de>>(
        &self,
        mut length: usize,
        mut list: A,
    ) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {
            length = length.saturating_add(1);
        }
        let path = self.1.path();
        let error = path.and_then(|at| check_list(&at, length));
        *self.0.too_long.borrow_mut() = error;
        Err(A::Error::custom("too long a list"))
    }
}

impl<'de> Visitor<'de> for Counter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (scan, most) = (self.0, self.1.most_entries());
        let mut length = 0_usize;
        while list
            .next_element_seed(Counter(scan, SetSection::Elsewhere))?
            .is_some()
        {
            length = length.saturating_add(1);
            scan.entries.set(scan.entries.get().saturating_add(1));
            if most.is_some_and(|most| length > most) {
                return self.refuse_list(length, list);
            }
            if scan.entries.get() > MAX_ENTRIES {
                return Err(A::Error::custom("too many entries"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(section) = map.next_key_seed(Field(self.1))? {
            map.next_value_seed(Counter(self.0, section))?;
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
