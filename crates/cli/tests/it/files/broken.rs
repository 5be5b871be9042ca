//! Files that cannot be parsed.

use std::fmt::Write;

use cli::files::{Source, read_documents};
use rstest::rstest;

use super::read;

#[rstest]
#[case::indentation(
    "a:\n  b: 1\n c: 2\n",
    "3:2: error: while parsing a block mapping, did not find expected key; align this line with those above"
)]
#[case::tab(
    "a:\n\tb: 1\n",
    "2:2: error: tabs disallowed within this context (block indentation); indent with blanks"
)]
#[case::quote(
    "a: \"b\nc: d\n",
    "2:1: error: invalid indentation in multiline quoted scalar; close the quotes, or correct the text in them"
)]
#[case::brace("a: {b: 1\n", "1:4: error: unclosed bracket '{'; close it")]
#[case::json(
    "{\"a\": 1,\n \"b\": }\n x",
    "3:2: error: did not find expected <document start>; separate documents by a line ---"
)]
#[case::anchor(
    "a: *b\n",
    "1:4: error: while parsing node, found unknown anchor; define it above, such as &name, or quote the text"
)]
#[case::circle(
    "a: &a [1, *a]\n",
    "1:11: error: an alias cannot be inside its own anchor"
)]
#[case::key(
    "a: 1\n? [b]\n: 1\n",
    "2:3: error: a list or a map cannot be a key; write a text"
)]
#[case::null_key("~: 1\n", "1:1: error: a key has to be a text")]
#[case::merge("a: 1\n<<: 2\n", "2:5: error: << takes a map, or an alias of one")]
#[case::number(
    "a: .inf\n",
    "1:4: error: .inf is a number that JSON does not have; write it in quotes"
)]
#[case::second_document("a: 1\n---\nb: [\n", "3:4: error: unclosed bracket '['; close it")]
fn says_where_it_is_broken(#[case] text: &str, #[case] expected: &str) {
    let broken = read(text).unwrap_err().to_string();
    assert_eq!(broken, format!("a.yaml:{expected}"));
}

#[test]
fn a_file_in_another_encoding_is_no_text() {
    let bytes = b"a: 1\nb: \xff\n".to_vec();
    let name = "a.yaml".into();
    let broken = read_documents(&Source { name, bytes }).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "a.yaml:2:4: error: not a text in UTF-8; save it as one"
    );
}

/// A small file with aliases of aliases would need all memory.
#[test]
fn aliases_of_aliases_end() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for i in 1..10 {
        let before = format!("*a{}, ", i - 1).repeat(10);
        writeln!(text, "a{i}: &a{i} [{before}]").unwrap();
    }
    let broken = read(&text).unwrap_err().to_string();
    assert!(
        broken.contains("aliases make the document too large"),
        "{broken}"
    );
}

#[test]
fn too_deep_nesting_is_refused() {
    let text = format!("a: {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&text).is_err());
    let text = "- ".repeat(100_000);
    assert!(read(&text).is_err());
}
