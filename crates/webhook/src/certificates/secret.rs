//! The Secret: the watch of all processes, and the writes of the leading one.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::ApiResource;
use kube::core::DynamicObject;
use kube::{Api, Client};
use tokio::sync::watch;

use super::error::{MAKE_SECRET, Unusable};
use super::issued_pair::IssuedPair;
use super::named_watch::watch_by_name;
use super::plan::{PairSource, SecretWrite};
use super::rotation::Clock;
use super::secret_content::{AUTHORITIES, NEXT, NEXT_TRUSTED_SINCE, PairKeys, SERVING, value};
use super::serving::Serving;
use super::validity::{ValidityCheck, report};

/// The state of the Secret.
#[derive(Clone, Debug)]
pub struct SecretWatch {
    /// Its content; `None` before it was read and while it does not exist.
    pub secret: watch::Receiver<Option<Arc<Secret>>>,
    /// The served certificate: the last usable content.
    pub serving: watch::Receiver<Option<Arc<Serving>>>,
}

/// Watches the Secret until the future is dropped. Unusable content is reported, and the former
/// certificate stays served. Each list, also without a change, checks whether that has expired.
pub fn watch_secret(
    client: Client,
    namespace: &str,
    name: &str,
    clock: Clock,
) -> (SecretWatch, impl Future<Output = ()> + Send + 'static) {
    let (secrets, secret) = watch::channel(None);
    let (pairs, serving) = watch::channel(None);
    let resource = ApiResource::erase::<Secret>(&());
    let api = Api::<DynamicObject>::namespaced_with(client, namespace, &resource);
    let (name, path) = (name.to_owned(), format!("{namespace}/{name}"));
    let watching = async move {
        let mut validity = ValidityCheck::default();
        let tell = |object: Option<DynamicObject>| {
            let secret = object.and_then(|object| decode(object, &path));
            let now = clock();
            publish(&pairs, secret.as_ref(), &path, now);
            let invalid = validity.find_news(pairs.borrow().as_ref(), now);
            if let Some(found) = invalid {
                report(&found);
            }
            secrets.send_replace(secret.map(Arc::new));
        };
        watch_by_name(api, &name, tell).await;
    };
    (SecretWatch { secret, serving }, watching)
}

fn decode(object: DynamicObject, path: &str) -> Option<Secret> {
    let secret = object.try_parse();
    secret
        .inspect_err(|error| tracing::warn!(secret = path, %error, "Secret cannot be decoded"))
        .ok()
}

fn publish(
    pairs: &watch::Sender<Option<Arc<Serving>>>,
    secret: Option<&Secret>,
    path: &str,
    now: Timestamp,
) {
    let Some(secret) = secret else {
        tracing::warn!(
            secret = path,
            "Secret of the webhook's certificate does not exist: {MAKE_SECRET}"
        );
        return;
    };
    match Serving::read(secret) {
        Ok(new) => {
            pairs.send_if_modified(|served| replace(served, new, now));
        }
        Err(Unusable::Missing(_)) if pairs.borrow().is_none() => tracing::info!(
            secret = path,
            "Secret holds no certificate yet: the leading operator makes it, or whatever \
             provides it"
        ),
        Err(problem) => tracing::warn!(
            secret = path,
            %problem,
            "Secret holds no certificate that can be served, the former one stays: empty the \
             Secret for a new one, or correct its provider"
        ),
    }
}

fn replace(served: &mut Option<Arc<Serving>>, new: Serving, now: Timestamp) -> bool {
    if served.as_ref().is_some_and(|served| served.is(&new)) {
        return false;
    }
    if new.is_valid_at(now) {
        tracing::info!(not_after = %new.not_after, "webhook serves another certificate");
    }
    *served = Some(Arc::new(new));
    true
}

/// The Secret with this content; foreign keys stay.
pub(super) fn rewrite(
    mut secret: Secret,
    write: &SecretWrite,
    made: Option<&IssuedPair>,
) -> Secret {
    let pairs = [(SERVING, write.serving), (NEXT, write.next)]
        .map(|(keys, source)| (keys, pair_from(&secret, source, made)));
    let data = secret.data.get_or_insert_default();
    for (keys, pair) in pairs {
        store_pair(data, keys, pair);
    }
    let made = made.map(|made| made.authority.as_str());
    let bundle = write.bundle.concat() + made.unwrap_or_default();
    data.insert(AUTHORITIES.to_owned(), ByteString(bundle.into_bytes()));
    set_trusted_since(&mut secret, write.trusted_since);
    secret
}

fn pair_from(
    secret: &Secret,
    source: PairSource,
    made: Option<&IssuedPair>,
) -> Option<[Vec<u8>; 2]> {
    let stored = |keys: PairKeys| {
        let certificate = value(secret, keys.certificate).ok()?.to_vec();
        Some([certificate, value(secret, keys.key).ok()?.to_vec()])
    };
    match source {
        PairSource::Serving => stored(SERVING),
        PairSource::Next => stored(NEXT),
        PairSource::Made => {
            made.map(|made| [made.certificate.clone().into(), made.key.clone().into()])
        }
        PairSource::Nothing => None,
    }
}

fn store_pair(data: &mut BTreeMap<String, ByteString>, keys: PairKeys, pair: Option<[Vec<u8>; 2]>) {
    if let Some([certificate, key]) = pair {
        data.insert(keys.certificate.to_owned(), ByteString(certificate));
        data.insert(keys.key.to_owned(), ByteString(key));
    } else {
        data.remove(keys.certificate);
        data.remove(keys.key);
    }
}

fn set_trusted_since(secret: &mut Secret, since: Option<Timestamp>) {
    let annotations = secret.metadata.annotations.get_or_insert_default();
    match since {
        Some(since) => annotations.insert(NEXT_TRUSTED_SINCE.to_owned(), since.to_string()),
        None => annotations.remove(NEXT_TRUSTED_SINCE),
    };
}
