//! Names of secrets.

const WORDS: [&str; 15] = [
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "dsn",
    "otp",
    "pass",
    "pw",
    "pwd",
    "secrets",
    "sig",
    "signature",
    "sshpass",
];
/// Also as the end of a word: `HFTOKEN`, `dbpassword`. Not `tokens`, which models count.
const ENDS: [&str; 12] = [
    "accesskey",
    "apikey",
    "dbpass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "privatekey",
    "requirepass",
    "secret",
    "secretkey",
    "token",
];
/// Before `key`, `keys` or `tokens`.
const OWNERS: [&str; 10] = [
    "access",
    "account",
    "api",
    "encryption",
    "license",
    "master",
    "private",
    "refresh",
    "secret",
    "signing",
];

/// Whether a value with this name is probably a secret: `--api-key`, `DB_PASSWORD`, `authToken`.
pub fn is_sensitive(name: &str) -> bool {
    let words = words_of(name);
    let is_secret =
        |word: &String| WORDS.contains(&&**word) || ENDS.iter().any(|end| word.ends_with(end));
    let is_owned_key = |pair: &[String]| match pair {
        [owner, what] => OWNERS.contains(&&**owner) && ["key", "keys", "tokens"].contains(&&**what),
        _ => false,
    };
    words.iter().any(is_secret) || words.windows(2).any(is_owned_key)
}

/// Its words in small letters: split where there is no letter or digit, and before a capital.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_after_small = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (is_after_small && c.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        is_after_small = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}
