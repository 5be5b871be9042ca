//! Secrets in text: scripts, messages, lines of a log.

use super::{REDACTED, names};

/// Tokens that are known by their beginning.
const BEGINNINGS: [&str; 9] = [
    "hf_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xoxb-",
    "AKIA",
];
const SHORTEST_TOKEN: usize = 16;
const SHORTEST_AFTER_BEARER: usize = 8;
/// A text of several lines follows, in YAML.
const BLOCKS: [&str; 6] = ["|", "|+", "|-", ">", ">+", ">-"];
/// Words before a token in a header.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// The text without secrets, and the number of hidden ones.
pub fn mask_text(text: &str) -> (String, usize) {
    if text.contains("PRIVATE KEY-----") {
        return (REDACTED.to_owned(), 1);
    }
    let mut scan = Scan {
        rest: text,
        shown: String::with_capacity(text.len()),
        hidden: 0,
    };
    while !scan.rest.is_empty() {
        scan.step();
    }
    (scan.shown, scan.hidden)
}

/// Whether it only names a variable: `$(TOKEN)`, `$TOKEN`, `${TOKEN}`.
pub fn is_reference(value: &str) -> bool {
    let Some(name) = value.strip_prefix('$') else {
        return false;
    };
    let inner = name.strip_prefix('(').and_then(|n| n.strip_suffix(')'));
    let inner = inner.or_else(|| name.strip_prefix('{').and_then(|n| n.strip_suffix('}')));
    let name = inner.unwrap_or(name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether it names a variable as Kubernetes replaces it in arguments: `$(TOKEN)`.
pub fn is_reference_in_spec(value: &str) -> bool {
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let name = value.trim_matches(['$', '(', ')']);
    value.starts_with("$(") && is_reference(value) && name.chars().all(is_upper)
}

struct Scan<'a> {
    rest: &'a str,
    shown: String,
    hidden: usize,
}

impl<'a> Scan<'a> {
    /// Copies the text before the next word and the word; hides its value if it names a secret.
    fn step(&mut self) {
        let between = self.count(|c| !is_of_name(c));
        let between = self.show(between);
        if between.starts_with("://") {
            self.hide_user();
        }
        let length = self.count(is_of_name);
        let word = self.rest.get(..length).unwrap_or_default();
        if is_token(word) {
            self.hide(length);
            return;
        }
        self.show(length);
        let is_hidden = names::is_sensitive(word) && self.hide_value(word.starts_with("--"));
        if !is_hidden && word.eq_ignore_ascii_case("bearer") {
            self.hide_after_scheme(SHORTEST_AFTER_BEARER);
        }
    }

    /// Copies the separator between a name and its value, and hides the value; false without a
    /// value.
    fn hide_value(&mut self, is_flag: bool) -> bool {
        let Some(separator) = separator_of(self.rest, is_flag) else {
            return false;
        };
        self.show(separator);
        let quote = self.show(opening_of(self.rest));
        if !quote.is_empty() {
            self.hide(end_of(self.rest, quote));
            self.show(quote.len());
            // In a shell, adjacent characters are part of the value.
            let goes_on = |c: char| !c.is_whitespace() && !",}])&;|\\".contains(c) && !is_quote(c);
            if self.rest.starts_with(goes_on) {
                self.hide(self.count(|c| !c.is_whitespace()));
            }
            return true;
        }
        let length = self.count(|c| !c.is_whitespace());
        let value = self.rest.get(..length).unwrap_or_default();
        if BLOCKS.contains(&value) {
            self.show(length);
            self.hide_block();
        } else if SCHEMES
            .iter()
            .any(|scheme| value.eq_ignore_ascii_case(scheme))
        {
            self.show(length);
            self.hide_after_scheme(1);
        } else {
            self.hide(length);
        }
        true
    }

    /// Hides the lines below a name that are indented further, a multi-line text of YAML.
    fn hide_block(&mut self) {
        let mut end = 0;
        for line in self.rest.split_inclusive('\n') {
            let is_of_block = end == 0 || line.starts_with([' ', '\t', '\n']);
            if !is_of_block {
                break;
            }
            end += line.len();
        }
        let first = self.count(|c| c != '\n').min(end);
        self.show(first);
        let rest = self.rest.get(..end - first).unwrap_or_default();
        let begin = rest.len() - rest.trim_start().len();
        let length = rest.trim().len();
        self.show(begin);
        self.hide(length);
    }

    /// `Bearer x`: hides the word after the blank if it is that long.
    fn hide_after_scheme(&mut self, least: usize) {
        let blanks = self.count(|c| c == ' ');
        let word = self.rest.get(blanks..).unwrap_or_default();
        let length = word.find(|c: char| c.is_whitespace() || is_quote(c));
        let length = length.unwrap_or(word.len());
        if blanks > 0 && length >= least {
            self.show(blanks);
            self.hide(length);
        }
    }

    /// `https://user:password@host`.
    fn hide_user(&mut self) {
        let is_of_host = |c: char| !c.is_whitespace() && !is_quote(c) && !"/?#".contains(c);
        let authority = self.count(is_of_host);
        let user = self.rest.get(..authority).and_then(|host| host.rfind('@'));
        self.hide(user.unwrap_or(0));
    }

    fn hide(&mut self, length: usize) {
        let value = self.rest.get(..length).unwrap_or_default();
        if value.is_empty() || value == REDACTED || is_reference(value) {
            self.show(length);
            return;
        }
        self.shown.push_str(REDACTED);
        self.hidden += 1;
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn show(&mut self, length: usize) -> &'a str {
        let (shown, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.shown.push_str(shown);
        self.rest = rest;
        shown
    }

    /// The length in bytes of the next characters of that kind.
    fn count(&self, is_of_it: impl Fn(char) -> bool) -> usize {
        let end = self.rest.find(|c| !is_of_it(c));
        end.unwrap_or(self.rest.len())
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

fn is_quote(c: char) -> bool {
    "\"'`".contains(c)
}

/// Whether the token is known by its beginning.
pub fn is_token(word: &str) -> bool {
    let is_known = BEGINNINGS.iter().any(|b| word.starts_with(b));
    let is_jwt = word.starts_with("eyJ") && word.split('.').count() == 3;
    // Names of objects have no capitals.
    let is_random = word.len() >= SHORTEST_TOKEN && word.contains(char::is_uppercase);
    is_random && (is_known || is_jwt)
}

/// Where the quoted text ends; a quote behind a backslash belongs to it.
fn end_of(quoted: &str, quote: &str) -> usize {
    quoted
        .match_indices(quote)
        .map(|(end, _)| end)
        .find(|end| !quoted.get(..*end).is_some_and(|q| q.ends_with('\\')))
        .unwrap_or(quoted.len())
}

/// A quote, with the backslashes before it where it is inside another one.
fn opening_of(text: &str) -> usize {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    let quote = text.get(slashes..).and_then(|t| t.chars().next());
    quote.filter(|c| is_quote(*c)).map_or(0, |_| slashes + 1)
}

/// The length of the separator between a name and its value: `=`, `: `, `":"`, and for a flag also
/// a blank.
fn separator_of(text: &str, is_flag: bool) -> Option<usize> {
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let closing = opening_of(text);
    let mut length = closing;
    let after = |length: usize| text.get(length..).unwrap_or_default();
    // `environ["TOKEN"] = "x"`, `setdefault("TOKEN", "x")`
    let is_quoted = closing > 0;
    length += usize::from(is_quoted && after(length).starts_with(']'));
    length += blanks(after(length));
    let sign = ["=>", ":=", "=", ":", ","]
        .iter()
        .filter(|sign| is_quoted || **sign != ",")
        .find(|sign| after(length).starts_with(**sign));
    match sign {
        Some(sign) if !after(length).starts_with("://") => {
            length += sign.len();
            Some(length + blanks(after(length)))
        }
        Some(_) => None,
        None => {
            let begins_another = after(length).starts_with('-') || after(length).is_empty();
            (is_flag && length > 0 && !begins_another).then_some(length)
        }
    }
}
