//! The length of an object as JSON, without creating the text.

use std::io;

use serde::Serialize;

/// Length of the value as JSON.
pub fn bytes(value: &impl Serialize) -> i128 {
    let mut counted = Counted(0);
    // A value that cannot be serialized has no length; the parts of a template can be serialized.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

struct Counted(i128);

impl io::Write for Counted {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .saturating_add(i128::try_from(text.len()).unwrap_or(i128::MAX));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
