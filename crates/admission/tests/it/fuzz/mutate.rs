//! Random changes of an object: of its nodes, then of the bytes of its text.

use serde_json::{Value, json};

use super::random::Random;

/// Numbers in forms that `serde_json::Value` does not hold.
const NUMBERS: [&str; 8] = [
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "1e400",
    "-0",
    "1e-400",
    "0.1",
    "99999999999999999999999999999999999999",
];
const COUNTS: [i32; 10] = [i32::MIN, -1, 0, 1, 2, 3, 500, 10_000, 10_001, i32::MAX];

/// Stands for one of [`NUMBERS`] until the text is written.
const PLACEHOLDER: &str = "\u{1}number";

const TEXTS: [&str; 22] = [
    "",
    " ",
    "-",
    "a",
    "A",
    "0",
    "1-1-1",
    "frontend",
    "leader",
    "worker",
    "prefill",
    "prefill-0-worker",
    "é",
    "\u{202e}\u{0}🦀",
    "İ",
    "a/b/c",
    "=",
    "4h",
    "-1s",
    "9999999h999999999m1e9s",
    "Training",
    "CliqueStartupTypeExplicit",
];

/// Changes one node.
pub(super) fn change_value(root: &mut Value, corpus: &[Value], random: &mut Random) {
    let strange = random.one_of(corpus).clone();
    let pointers = pointers(root);
    let pointer = random.one_of(&pointers).clone();
    match random.below(12) {
        0 => remove(root, &pointer, random),
        1 => repeat(root, &pointer, random),
        // The same place, or any other, of another object.
        2 => {
            let node = strange.pointer(&pointer).cloned();
            set(root, &pointer, node.unwrap_or(Value::Null));
        }
        3 => {
            let from = random.one_of(&self::pointers(&strange)).clone();
            set(root, &pointer, strange.pointer(&from).cloned().unwrap());
        }
        4 => {
            let other: &String = random.one_of(&pointers);
            swap(root, &pointer, other);
        }
        5 => set(root, &pointer, odd(random)),
        // Mostly of the same type: decoding fails early otherwise.
        _ => {
            let value = root.pointer(&pointer).map(|node| like(node, random));
            set(root, &pointer, value.unwrap_or_default());
        }
    }
}

/// All places of an object.
fn pointers(root: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![(String::new(), root)];
    while let Some((at, node)) = left.pop() {
        match node {
            Value::Object(fields) => left.extend(fields.iter().map(|(key, value)| {
                let key = key.replace('~', "~0").replace('/', "~1");
                (format!("{at}/{key}"), value)
            })),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                left.extend(items.map(|(i, value)| (format!("{at}/{i}"), value)));
            }
            _ => {}
        }
        found.push(at);
    }
    found
}

fn set(root: &mut Value, pointer: &str, value: Value) {
    if let Some(node) = root.pointer_mut(pointer) {
        *node = value;
    }
}

fn swap(root: &mut Value, one: &str, other: &str) {
    let both = (root.pointer(one).cloned(), root.pointer(other).cloned());
    if let (Some(first), Some(second)) = both {
        set(root, one, second);
        set(root, other, first);
    }
}

fn remove(root: &mut Value, pointer: &str, random: &mut Random) {
    match root.pointer_mut(pointer) {
        Some(Value::Object(fields)) if !fields.is_empty() => {
            let key = fields.keys().nth(random.below(fields.len())).cloned();
            fields.remove(&key.unwrap());
        }
        Some(Value::Array(items)) if !items.is_empty() => {
            items.remove(random.below(items.len()));
        }
        Some(node) => *node = Value::Null,
        None => {}
    }
}

/// A list's item once more, up to a hundred times; any other node as a list of itself.
fn repeat(root: &mut Value, pointer: &str, random: &mut Random) {
    match root.pointer_mut(pointer) {
        Some(Value::Array(items)) if !items.is_empty() => {
            let item = random.one_of(items).clone();
            let times = *random.one_of(&[1, 1, 1, 2, 100]);
            items.extend(std::iter::repeat_n(item, times));
        }
        Some(node) => *node = Value::Array(vec![node.clone(), node.clone()]),
        None => {}
    }
}

/// Another value of the same type; for a list or object, one with fewer entries.
fn like(node: &Value, random: &mut Random) -> Value {
    match node {
        Value::Number(_) => json!(random.one_of(&COUNTS)),
        Value::String(_) => json!(random.one_of(&TEXTS)),
        Value::Bool(is_set) => json!(!is_set),
        Value::Array(items) => items
            .iter()
            .take(random.below(items.len()))
            .cloned()
            .collect(),
        other => other.clone(),
    }
}

fn odd(random: &mut Random) -> Value {
    let count = random.one_of(&COUNTS);
    match random.below(12) {
        0 => Value::Null,
        1 => json!(random.is_one_in(2)),
        2 => json!({}),
        3 => json!([]),
        4..=6 => json!(count),
        7 => json!(PLACEHOLDER),
        8 => json!(random.one_of(&TEXTS).repeat(300)),
        9 => json!({random.one_of(&TEXTS).to_owned(): random.one_of(&TEXTS)}),
        _ => json!(random.one_of(&TEXTS)),
    }
}

/// The object as text.
pub(super) fn write(set: &Value, random: &mut Random) -> Vec<u8> {
    let text = set.to_string();
    let placeholder = json!(PLACEHOLDER).to_string();
    let number: &&str = random.one_of(&NUMBERS);
    text.replace(&placeholder, number).into_bytes()
}

/// Changes some bytes.
pub(super) fn change_bytes(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        let end = at.saturating_add(random.below(20)).min(text.len());
        match random.below(5) {
            0 => drop(text.drain(at..end)),
            1 => text.truncate(at),
            2 => {
                let copied = text[at..end].to_vec();
                text.splice(at..at, copied);
            }
            3 => text.insert(at, *random.one_of(b"\"[]{},:-0\\\xff\x00")),
            _ if at < text.len() => text[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
}
