//! Words that the glossary retired are in no document, no message and no code.

use std::fs;

use xtask::output;

use super::files::find_files;

const GLOSSARY: &str = "docs/glossary.md";
const FOLDERS: [&str; 7] = [
    "crates", "tests", "docs", "charts", "examples", "hack", "config",
];
/// Without the changelog, which quotes sentences of earlier releases.
const PAGES: [&str; 3] = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];
const EXTENSIONS: [&str; 7] = ["rs", "md", "snap", "yaml", "sh", "go", "tpl"];

/// The phrases in the first column of the glossary's last table.
fn retired() -> Vec<String> {
    let page = fs::read_to_string(output::root().join(GLOSSARY)).unwrap();
    let (_, table) = page.split_once("## Words that are not used").unwrap();
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let phrases = cells.flat_map(|cell| cell.split(',')).map(str::trim);
    // A word with a note is retired in one meaning only.
    let everywhere = phrases.filter(|phrase| !phrase.contains('('));
    everywhere.map(str::to_owned).collect()
}

/// The words of a text on one line, in lower case: names in code are taken apart, and comment
/// marks, quotes and line ends between two words of a sentence are left out.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut last = ' ';
    for letter in text.chars() {
        if letter.is_uppercase() && last.is_lowercase() {
            words.push(' ');
        }
        match letter {
            '_' | '/' | '!' | '"' | '\\' | '#' => words.push(' '),
            _ => words.extend(letter.to_lowercase()),
        }
        last = letter;
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the phrase stands in the text as whole words.
fn contains(words: &str, phrase: &str) -> bool {
    words.match_indices(phrase).any(|(at, _)| {
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let before = words[..at].chars().next_back();
        let after = words[at + phrase.len()..].chars().next();
        !is_letter(before) && !is_letter(after)
    })
}

#[test]
fn a_phrase_is_found_over_lines_and_in_names() {
    let text = "    /// Nobody that is\n    /// told so.\nfn is_made_anew() {}\nstruct MadeAnew;";
    let words = words(text);
    assert!(contains(&words, "is told so"), "{words}");
    assert_eq!(words.matches("made anew").count(), 2, "{words}");
    assert!(!contains("the obstacles", "obstacle"));
}

#[test]
fn no_retired_word_is_used() {
    let phrases = retired();
    assert!(phrases.len() > 10, "{phrases:?}");
    let root = output::root();
    let texts = FOLDERS
        .iter()
        .flat_map(|folder| find_files(&root.join(folder), &EXTENSIONS))
        .chain(PAGES.map(|page| root.join(page)));
    let mut used = Vec::new();
    for path in texts {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy();
        if name == GLOSSARY || name == file!() {
            continue;
        }
        let words = words(&fs::read_to_string(&path).unwrap());
        let found = phrases.iter().filter(|phrase| contains(&words, phrase));
        used.extend(found.map(|phrase| format!("{name}: {phrase}")));
    }
    assert!(
        used.is_empty(),
        "the glossary has the words to use:\n{}",
        used.join("\n")
    );
}
