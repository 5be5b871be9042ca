//! The declaration of a kind.

use std::fmt::Debug;

use kube::core::{ClusterResourceScope, NamespaceResourceScope};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use crate::cache::{Cache, Change};
use crate::caches::Caches;
use crate::list_item::ListItem;
use crate::scope::Scope;

/// A kind that the operator watches. Its name, version and scope follow from the type.
pub trait Watched:
    Resource<DynamicType = (), Scope: WatchedScope>
    + Clone
    + Debug
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
    /// Which objects of the kind are watched.
    const SELECTION: Selection = Selection::All;
    /// Whether the API server may not serve it: its CustomResourceDefinition may come and go, or
    /// the operator may have no right on it. Nothing waits for such a kind once that is known;
    /// `Caches::is_served` returns whether it is served.
    const IS_OPTIONAL: bool = false;
    /// Whether all fields that the operator reads are the same in both versions: then no controller
    /// is triggered.
    fn says_the_same(_old: &Self, _new: &Self) -> bool {
        false
    }
    /// Keeps facts about any version that a watch or a list shows, also about a version older than
    /// the one that an answer or a live read has shown already.
    fn notice(_shown: &Self, _caches: &Caches) {}
    /// Keeps facts about objects that are gone.
    fn remember(_change: &Change<Self>, _caches: &Caches) {}
}

/// Which objects of a kind are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    All,
    /// Those with our managed-by label.
    Managed {
        /// Another label that all our objects of this kind have, `key` or `key=value`. It finds the
        /// objects that lost the managed-by label while no operator watched. The names of pods and
        /// Services do not reveal them, so an unseen pod would get a second one beside it, and an
        /// unseen Service would outlive its replica.
        fallback_selector: &'static str,
    },
}

impl Selection {
    /// Whether the watch shows labelled objects only.
    pub fn is_by_label(self) -> bool {
        self != Self::All
    }
}

/// Whether a kind is namespaced or cluster-wide.
pub trait WatchedScope: Sized {
    /// The scopes in which its objects are watched if the operator manages these scopes. An
    /// operator of some namespaces has no right on objects of the cluster, and does not ask for it.
    fn scopes(scopes: &[Scope]) -> Vec<Scope>;

    /// The API by which it is listed and watched in one of them.
    fn api<K>(client: Client, scope: &Scope) -> Api<ListItem<K>>
    where
        K: Resource<DynamicType = (), Scope = Self>;
}

impl WatchedScope for NamespaceResourceScope {
    fn scopes(scopes: &[Scope]) -> Vec<Scope> {
        scopes.to_vec()
    }

    fn api<K>(client: Client, scope: &Scope) -> Api<ListItem<K>>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        match scope.namespace() {
            None => Api::all(client),
            Some(namespace) => Api::namespaced(client, namespace),
        }
    }
}

impl WatchedScope for ClusterResourceScope {
    fn scopes(scopes: &[Scope]) -> Vec<Scope> {
        scopes
            .iter()
            .filter(|scope| **scope == Scope::Cluster)
            .cloned()
            .collect()
    }

    fn api<K>(client: Client, _: &Scope) -> Api<ListItem<K>>
    where
        K: Resource<DynamicType = (), Scope = Self>,
    {
        Api::all(client)
    }
}

/// An empty cache of the kind.
impl<K: Watched> Default for Cache<K> {
    fn default() -> Self {
        Self::new(K::SELECTION.is_by_label())
    }
}
