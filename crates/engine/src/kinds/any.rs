//! A kind whose type is not known at the call site: the actions of plans name it.

use std::marker::PhantomData;
use std::sync::Arc;

use domain::Key;
use domain::object::ownership;
use domain::plan::{GuardedPatch, Kind, Object, Target};
use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use serde_json::Value;

use crate::caches::watched::Watched;
use crate::context::Context;
use crate::informer;
use crate::requests::RequestError;
use crate::writes;

/// The answer to a write.
pub(crate) type Written<'a> = BoxFuture<'a, Result<(), RequestError>>;

/// The operations on objects of a kind.
pub(crate) trait AnyKind: Send + Sync {
    fn kind(&self) -> Kind;
    fn api_version(&self) -> String;
    /// Announces that the kind will be watched.
    fn expect(&self, context: &Context);
    /// Watches it for ever.
    fn watch(&self, context: Arc<Context>, client: Client) -> BoxFuture<'static, ()>;
    fn create<'a>(&self, context: &'a Context, object: &'a Object) -> Written<'a>;
    fn replace<'a>(&self, context: &'a Context, object: &'a Object) -> Written<'a>;
    /// PUT of the status in this JSON.
    fn replace_status<'a>(&self, context: &'a Context, key: &'a Key, body: Vec<u8>) -> Written<'a>;
    fn merge<'a>(&self, context: &'a Context, target: &'a Target, patch: &'a Value) -> Written<'a>;
    fn patch<'a>(&self, context: &'a Context, patch: &'a GuardedPatch) -> Written<'a>;
    fn delete<'a>(
        &self,
        context: &'a Context,
        target: &'a Target,
        version: Option<&'a str>,
    ) -> Written<'a>;
    /// Whether the object, as far as is known, has this controller.
    fn is_controlled_by(&self, context: &Context, key: &Key, uid: &str) -> bool;
    /// The metadata of an object, read live; `None` if the object does not exist.
    fn read_meta<'a>(
        &self,
        context: &'a Context,
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Option<ObjectMeta>, RequestError>>;
    /// Reads an object live; returns whether the API server answered.
    fn read_live<'a>(&self, context: &'a Context, key: &'a Key) -> BoxFuture<'a, bool>;
}

pub(super) struct Typed<K>(PhantomData<fn() -> K>);

impl<K> Typed<K> {
    pub(super) const NEW: Self = Self(PhantomData);
}

impl<K: Watched> AnyKind for Typed<K> {
    fn kind(&self) -> Kind {
        Kind::of::<K>()
    }

    fn api_version(&self) -> String {
        K::api_version(&()).into_owned()
    }

    fn expect(&self, context: &Context) {
        context.expect::<K>();
    }

    fn watch(&self, context: Arc<Context>, client: Client) -> BoxFuture<'static, ()> {
        informer::watch::<K>(context, client).boxed()
    }

    fn create<'a>(&self, context: &'a Context, object: &'a Object) -> Written<'a> {
        writes::create::<K>(context, object).boxed()
    }

    fn replace<'a>(&self, context: &'a Context, object: &'a Object) -> Written<'a> {
        writes::replace::<K>(context, object).boxed()
    }

    fn replace_status<'a>(&self, context: &'a Context, key: &'a Key, body: Vec<u8>) -> Written<'a> {
        writes::replace_status::<K>(context, key, body).boxed()
    }

    fn merge<'a>(&self, context: &'a Context, target: &'a Target, patch: &'a Value) -> Written<'a> {
        writes::merge::<K>(context, target, patch).boxed()
    }

    fn patch<'a>(&self, context: &'a Context, patch: &'a GuardedPatch) -> Written<'a> {
        writes::patch::<K>(context, patch).boxed()
    }

    fn delete<'a>(
        &self,
        context: &'a Context,
        target: &'a Target,
        version: Option<&'a str>,
    ) -> Written<'a> {
        writes::delete::<K>(context, target, version).boxed()
    }

    fn is_controlled_by(&self, context: &Context, key: &Key, uid: &str) -> bool {
        let known = context.caches.of::<K>().get(key);
        known.is_some_and(|object| ownership::is_controlled_by(object.meta(), uid))
    }

    fn read_meta<'a>(
        &self,
        context: &'a Context,
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Option<ObjectMeta>, RequestError>> {
        context.read_meta::<K>(key).boxed()
    }

    fn read_live<'a>(&self, context: &'a Context, key: &'a Key) -> BoxFuture<'a, bool> {
        context.read_live::<K>(key).boxed()
    }
}
