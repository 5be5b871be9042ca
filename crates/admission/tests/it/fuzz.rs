//! Sets changed at random, good and hostile ones. None causes a panic, an answer without end, or an
//! answer that contradicts itself (`judge`).
//!
//! `FUZZ_SECONDS=60 cargo test -p admission fuzz::` runs for a minute; `FUZZ_SEED=7` runs that seed
//! alone.

mod mutate;
mod random;

use std::panic::catch_unwind;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use admission::defaults::{DefaultsConfig, apply, apply_on_update};
use admission::{Rules, validate_update};
use serde_json::Value;

use self::random::Random;
use crate::hostile::sets;
use crate::judge::{decode, is_bounded, judge};
use testkit::good_set::good;

/// Seeds of a run without `FUZZ_SECONDS`: about a second.
const SEEDS: u64 = 1_000;
/// Larger objects are hostile by their size, which `hostile` tests.
const MAX_CORPUS_BYTES: usize = 20_000;

fn corpus() -> &'static [Value] {
    static CORPUS: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let hostile = sets::all().iter().map(|(_, set)| set);
        let small = hostile.filter(|set| set.to_string().len() <= MAX_CORPUS_BYTES);
        let mut all = vec![good()];
        all.extend(examples("examples"));
        all.extend(examples("examples/schedulers"));
        all.extend(small.cloned());
        all
    });
    &CORPUS
}

/// The sets of the examples that users start from.
fn examples(folder: &str) -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<_> = std::fs::read_dir(root.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|is| is == "yaml"))
        .collect();
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap());
    let documents = texts.flat_map(|text| {
        let each = text.split("\n---").map(str::to_owned);
        each.collect::<Vec<_>>()
    });
    let values = documents.filter_map(|text| serde_saphyr::from_str::<Value>(&text).ok());
    values
        .filter(|value| value["kind"] == "PodCliqueSet")
        .collect()
}

/// The input of a seed.
fn input(seed: u64, corpus: &[Value]) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut set = random.one_of(corpus).clone();
    for _ in 0..random.below(6) {
        mutate::change_value(&mut set, corpus, &mut random);
    }
    let mut text = mutate::write(&set, &mut random);
    if random.is_one_in(4) {
        mutate::change_bytes(&mut text, &mut random);
    }
    text
}

/// Claims that hold for any two objects, one of which replaces the other.
fn judge_change(before: &[u8], after: &[u8]) {
    let (Ok(before), Ok(mut after)) = (decode(before), decode(after)) else {
        return;
    };
    let config = DefaultsConfig::default();
    let before = apply(&before, &config);
    apply_on_update(&before, &mut after, &config);
    let once = after.clone();
    apply_on_update(&before, &mut after, &config);
    assert!(
        once == after,
        "defaults of an update that are applied twice differ"
    );
    let errors = validate_update(&before, &after, &Rules::default());
    assert!(is_bounded(&errors), "{} errors of a change", errors.len());
}

fn run(seed: u64, corpus: &[Value]) {
    let text = input(seed, corpus);
    let other = input(seed.wrapping_add(1), corpus);
    let is_good = catch_unwind(|| {
        judge(&text);
        judge_change(&other, &text);
        judge_change(good().to_string().as_bytes(), &text);
    });
    let text = String::from_utf8_lossy(&text);
    assert!(is_good.is_ok(), "FUZZ_SEED={seed}: {text}");
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap())
}

#[test]
fn no_set_makes_a_panic_or_an_answer_without_end() {
    let corpus = corpus();
    if let Some(seed) = number("FUZZ_SEED") {
        return run(seed, corpus);
    }
    let Some(seconds) = number("FUZZ_SECONDS") else {
        return (0..SEEDS).for_each(|seed| run(seed, corpus));
    };
    let start = Instant::now();
    let mut seeds = SEEDS..;
    while start.elapsed() < Duration::from_secs(seconds) {
        run(seeds.next().unwrap(), corpus);
    }
    eprintln!("{} seeds", seeds.start - SEEDS);
}

#[test]
fn the_corpus_and_its_changes_are_worth_the_time() {
    let corpus = corpus();
    let sets = corpus.iter().map(|set| decode(set.to_string().as_bytes()));
    assert!(sets.flatten().count() >= 7, "examples are not read");
    let seeds = 0..SEEDS;
    let sets = seeds.filter_map(|seed| decode(&input(seed, corpus)).ok());
    let count = sets.count();
    assert!(count > 300, "only {count} of {SEEDS} inputs can be decoded");
    assert!(count < 1_000, "all inputs can be decoded");
}
