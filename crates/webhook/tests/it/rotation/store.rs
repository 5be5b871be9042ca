//! What is stored, in all its versions, with identities instead of certificates.

use jiff::{SignedDuration, Timestamp};
use webhook::certificates::plan::{Ca, Configuration, Observed, Pair, Patch, SecretWrite, Slot};
use webhook::certificates::{ConfigurationKind, Target, Unusable};

/// In seconds.
pub const LIFETIME: i64 = 1000;
const SKEW: i64 = 300;

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// An object in all versions, each with the time of its write.
pub struct Object<T>(pub Vec<(i64, T)>);

impl<T> Object<T> {
    pub fn newest(&self) -> &T {
        &self.0.last().unwrap().1
    }

    pub fn version(&self) -> usize {
        self.0.len()
    }

    /// The newest version that was there at that time.
    pub fn version_at(&self, time: i64) -> usize {
        self.0
            .iter()
            .filter(|(written, _)| *written <= time)
            .count()
    }
}

#[derive(Clone, Default)]
pub struct Secret {
    pub serving: Option<Pair>,
    pub next: Option<Pair>,
    pub bundle: Vec<Ca>,
    pub since: Option<Timestamp>,
}

/// A write, with the version that it expects.
#[derive(Clone)]
pub enum Write {
    Secret(usize, SecretWrite),
    Patch(usize, Patch),
}

pub struct Store {
    pub secret: Object<Secret>,
    /// The bundles of each webhook of each configuration.
    pub configurations: Vec<Object<Vec<Vec<String>>>>,
    made: usize,
}

impl Store {
    pub fn new() -> Self {
        let configuration = |webhooks| Object(vec![(0, vec![Vec::new(); webhooks])]);
        Self {
            secret: Object(vec![(0, Secret::default())]),
            configurations: vec![configuration(2), configuration(1)],
            made: 0,
        }
    }

    pub fn observe(&self, now: i64) -> Observed {
        let secret = self.secret.newest().clone();
        let configurations = self.configurations.iter().enumerate();
        let configurations = configurations.map(|(number, bundles)| Configuration {
            target: target(number),
            bundles: Some(bundles.newest().clone()),
        });
        Observed {
            now: at(now),
            lifetime: SignedDuration::from_secs(LIFETIME),
            serving: secret.serving.ok_or(Unusable::Missing("tls.crt")),
            next: secret.next.map(Ok),
            bundle: secret.bundle,
            next_trusted_since: secret.since,
            configurations: configurations.collect(),
        }
    }

    /// The version of what a patch is for.
    pub fn version_of(&self, patch: &Patch) -> usize {
        self.configurations[number(patch)].version()
    }

    /// Whether it is stored: not if another was since.
    pub fn write(&mut self, now: i64, write: &Write) -> bool {
        match write {
            Write::Secret(version, _) if *version != self.secret.version() => return false,
            Write::Secret(_, write) => {
                let next = self.rewritten(now, write);
                self.secret.0.push((now, next));
            }
            Write::Patch(version, patch) if *version != self.version_of(patch) => return false,
            Write::Patch(_, patch) => {
                let configuration = &mut self.configurations[number(patch)];
                let mut bundles = configuration.newest().clone();
                for place in &patch.webhooks {
                    bundles[*place].clone_from(&patch.bundle);
                }
                configuration.0.push((now, bundles));
            }
        }
        true
    }

    fn rewritten(&mut self, now: i64, write: &SecretWrite) -> Secret {
        let old = self.secret.newest().clone();
        let made = write.needs_pair().then(|| self.make(now));
        let source = |slot| match slot {
            Slot::Serving => old.serving.clone(),
            Slot::Next => old.next.clone(),
            Slot::Made => made.clone().map(|(pair, _)| pair),
            Slot::Nothing => None,
        };
        let kept = old.bundle.iter().filter(|ca| write.bundle.contains(&ca.id));
        let added = made.iter().map(|(_, ca)| ca);
        Secret {
            serving: source(write.serving),
            next: source(write.next),
            bundle: kept.chain(added).cloned().collect(),
            since: write.trusted_since,
        }
    }

    fn make(&mut self, now: i64) -> (Pair, Ca) {
        self.made += 1;
        let id = format!("ca-{}", self.made);
        let not_after = at(now + LIFETIME);
        let pair = Pair {
            not_before: at(now - SKEW),
            not_after,
            signed_by: id.clone(),
        };
        (pair, Ca { id, not_after })
    }

    /// How often what is served changed.
    pub fn promotions(&self) -> usize {
        let versions = self.secret.0.windows(2);
        let is_other = |two: &&[(i64, Secret)]| two[0].1.serving != two[1].1.serving;
        versions.filter(is_other).count() - 1
    }
}

fn target(number: usize) -> Target {
    Target {
        kind: ConfigurationKind::Mutating,
        name: number.to_string(),
    }
}

fn number(patch: &Patch) -> usize {
    patch.target.name.parse().unwrap()
}
