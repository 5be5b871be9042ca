//! Text that is kept compressed in memory.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// A long text that is rarely read, compressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedText(Box<[u8]>);

impl PackedText {
    /// The text; empty for the default.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut decoder = DeflateDecoder::new(&*self.0);
        let is_read = decoder.read_to_string(&mut text).is_ok();
        // Only `from` writes the bytes, so all others can be read.
        if is_read { text } else { String::new() }
    }
}

impl From<&str> for PackedText {
    fn from(text: &str) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let written = encoder.write_all(text.as_bytes());
        // A vector accepts every write.
        let packed = written.and_then(|()| encoder.finish()).unwrap_or_default();
        Self(packed.into_boxed_slice())
    }
}
