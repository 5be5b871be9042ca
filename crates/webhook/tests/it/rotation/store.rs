//! All versions of the stored objects, with identities instead of certificates.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use webhook::certificates::plan::{
    Ca, Configuration, Observed, Pair, PairSource, Patch, SecretWrite,
};
use webhook::certificates::{ConfigurationKind, Target, Unusable};

/// In seconds: two days.
pub const LIFETIME: i64 = 2 * 24 * 3600;
/// How long a pair is valid before its creation.
const SKEW: i64 = LIFETIME / 2;

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

    /// The newest version at that time.
    pub fn version_at(&self, time: i64) -> usize {
        self.0.partition_point(|(written, _)| *written <= time)
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
    /// All created CAs, by number.
    made: Vec<Ca>,
    /// How many of them are for former names.
    outdated: usize,
}

impl Store {
    pub fn new() -> Self {
        let configuration = |webhooks| Object(vec![(0, vec![Vec::new(); webhooks])]);
        Self {
            secret: Object(vec![(0, Secret::default())]),
            configurations: vec![configuration(2), configuration(1)],
            made: Vec::new(),
            outdated: 0,
        }
    }

    /// The observation at this time of the observer's clock; the observer began the grace that long
    /// ago.
    pub fn observe(&self, clock: i64, grace_began: Option<i64>) -> Observed {
        let secret = self.secret.newest().clone();
        let forgotten = self.forgotten(&secret);
        let configurations = self.configurations.iter().enumerate();
        let configurations = configurations.map(|(number, bundles)| Configuration {
            target: target(number),
            bundles: Some(bundles.newest().clone()),
        });
        Observed {
            now: at(clock),
            lifetime: SignedDuration::from_secs(LIFETIME),
            serving: secret
                .serving
                .ok_or(Unusable::Missing("tls.crt"))
                .and_then(|pair| self.named(pair)),
            next: secret.next.map(|pair| self.named(pair)),
            bundle: secret.bundle,
            forgotten,
            next_trusted_since: secret.since,
            trusted_for: grace_began.map(SignedDuration::from_secs),
            configurations: configurations.collect(),
        }
    }

    fn named(&self, pair: Pair) -> Result<Pair, Unusable> {
        let outdated = &self.made[..self.outdated];
        if outdated.iter().any(|ca| ca.id == pair.signed_by) {
            return Err(Unusable::NamesMissing(vec!["new.svc".into()]));
        }
        Ok(pair)
    }

    fn forgotten(&self, secret: &Secret) -> Vec<Ca> {
        let bundles = self.configurations.iter().flat_map(Object::newest);
        let trusted: BTreeSet<&String> = bundles.flatten().collect();
        let is_forgotten = |ca: &&Ca| trusted.contains(&ca.id) && !secret.bundle.contains(ca);
        self.made.iter().filter(is_forgotten).cloned().collect()
    }

    /// Whether each webhook trusts something.
    pub fn is_installed(&self) -> bool {
        let mut bundles = self.configurations.iter().flat_map(Object::newest);
        bundles.all(|bundle| !bundle.is_empty())
    }

    pub fn empty_secret(&mut self, now: i64) {
        self.secret.0.push((now, Secret::default()));
    }

    /// All existing pairs have the former names from now on.
    pub fn change_names(&mut self) {
        self.outdated = self.made.len();
    }

    /// The version that a patch is for.
    pub fn version_of(&self, patch: &Patch) -> usize {
        self.configurations[number(patch)].version()
    }

    /// Whether it is stored: not if another write came first. The writer's clock is that far ahead.
    pub fn write(&mut self, now: i64, skew: i64, write: &Write) -> bool {
        match write {
            Write::Secret(version, _) if *version != self.secret.version() => return false,
            Write::Secret(_, write) => {
                let next = self.rewritten(now + skew, write);
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

    fn rewritten(&mut self, clock: i64, write: &SecretWrite) -> Secret {
        let old = self.secret.newest().clone();
        let made = write.needs_pair().then(|| self.make(clock));
        let source = |slot| match slot {
            PairSource::Serving => old.serving.clone(),
            PairSource::Next => old.next.clone(),
            PairSource::Made => made.clone().map(|(pair, _)| pair),
            PairSource::Nothing => None,
        };
        let kept = self.made.iter().filter(|ca| write.bundle.contains(&ca.id));
        let added = made.iter().map(|(_, ca)| ca);
        Secret {
            serving: source(write.serving),
            next: source(write.next),
            bundle: kept.chain(added).cloned().collect(),
            since: write.trusted_since,
        }
    }

    fn make(&mut self, clock: i64) -> (Pair, Ca) {
        let id = format!("ca-{}", self.made.len());
        let not_after = at(clock + LIFETIME);
        let pair = Pair {
            not_before: at(clock - SKEW),
            not_after,
            signed_by: id.clone(),
        };
        let ca = Ca { id, not_after };
        self.made.push(ca.clone());
        (pair, ca)
    }

    /// How often another pair was served.
    pub fn promotions(&self) -> usize {
        let served = self
            .secret
            .0
            .iter()
            .filter_map(|(_, secret)| secret.serving.as_ref());
        let mut served: Vec<&String> = served.map(|pair| &pair.signed_by).collect();
        served.dedup();
        served.len() - 1
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
