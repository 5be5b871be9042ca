//! Text that is kept compressed.

use domain::object::packed_text::PackedText;
use rstest::rstest;

#[rstest]
#[case::empty("")]
#[case::json(r#"{"cliques": []}"#)]
#[case::several_bytes_a_character("ü€😀")]
fn a_text_is_read_as_it_was_written(#[case] text: &str) {
    assert_eq!(PackedText::from(text).to_text(), text);
    assert_eq!(PackedText::from(text), PackedText::from(text));
}

#[test]
fn the_default_is_empty() {
    assert_eq!(PackedText::default().to_text(), "");
}
