//! The width of text: that of the terminal, within limits.

use cli::output::{WIDTH, indent, indent_within, prose_columns};
use rstest::rstest;

#[rstest]
#[case::a_pipe_or_a_file(None, WIDTH)]
#[case::narrower_than_words(Some(20), 40)]
#[case::the_narrowest(Some(40), 40)]
#[case::usual(Some(100), 100)]
#[case::the_widest(Some(120), 120)]
#[case::too_wide_to_read(Some(250), 120)]
fn prose_fits_the_terminal(#[case] terminal: Option<usize>, #[case] columns: usize) {
    assert_eq!(prose_columns(terminal), columns);
}

/// Lines are as long as the width lets them be, behind the same margin.
#[rstest]
#[case(40)]
#[case(80)]
#[case(120)]
fn lines_fill_the_width(#[case] width: usize) {
    let text = indent_within("  - ", &"word ".repeat(100), width);
    let lengths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
    let longest = lengths.iter().max().unwrap();
    assert!((width - 4..=width).contains(longest), "{text}");
    let is_below = |line: &str| line.starts_with("    word");
    assert!(text.lines().skip(1).all(is_below), "{text}");
}

/// Tests and programs that did not ask for the terminal get 80 columns.
#[test]
fn text_has_80_columns_by_default() {
    let words = "word ".repeat(100);
    assert_eq!(indent("", &words), indent_within("", &words, WIDTH));
}
