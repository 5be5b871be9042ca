//! The harness's own requests to the API server, over connections that it keeps: waiting tests look
//! several times a second, and a kubectl for each look would load the machine more than the tests.
//! Users' actions are done with kubectl.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use e2e::mirror::Mirror;
use e2e::objects::{KINDS, Kind, Objects, resource};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::proxy::client;
use super::wait;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
});

static CLIENTS: Mutex<BTreeMap<PathBuf, Client>> = Mutex::new(BTreeMap::new());

/// The objects of these kinds in the namespace that the selector selects, kind after kind.
pub fn read(kubeconfig: &Path, namespace: &str, selector: &str) -> Result<Vec<Vec<Value>>, String> {
    let client = client_of(kubeconfig);
    let selected = ListParams::default().labels(selector);
    let lists = KINDS.map(|kind| list(client.clone(), kind, namespace, &selected));
    RUNTIME.block_on(try_join_all(lists))
}

/// The objects of the kind at that place in [`KINDS`].
pub fn read_kind(kubeconfig: &Path, namespace: &str, place: usize) -> Result<Vec<Value>, String> {
    let client = client_of(kubeconfig);
    let all = ListParams::default();
    RUNTIME.block_on(list(client, KINDS[place], namespace, &all))
}

/// Events on the object of that name, of that reason.
pub fn events(
    kubeconfig: &Path,
    namespace: &str,
    object: &str,
    reason: &str,
) -> Result<Vec<Value>, String> {
    let client = client_of(kubeconfig);
    let fields = format!("involvedObject.name={object},reason={reason}");
    let selected = ListParams::default().fields(&fields);
    RUNTIME.block_on(list(client, ("", "v1", "Event"), namespace, &selected))
}

/// Creates an object as another program would, and returns the stored one.
pub fn create(kubeconfig: &Path, namespace: &str, manifest: &Value) -> Result<Value, String> {
    let object: DynamicObject =
        serde_json::from_value(manifest.clone()).map_err(|error| error.to_string())?;
    let types = object.types.clone().unwrap_or_default();
    let kind = GroupVersionKind::try_from(&types).map_err(|error| error.to_string())?;
    let resource = ApiResource::from_gvk(&kind);
    let client = client_of(kubeconfig);
    let objects = Api::<DynamicObject>::namespaced_with(client, namespace, &resource);
    let created = RUNTIME.block_on(objects.create(&PostParams::default(), &object));
    created
        .map(|created| json!(created))
        .map_err(|error| format!("{manifest} was refused: {error}"))
}

/// Creates many objects of one kind at once; kubectl would create them one after the other.
pub fn create_all(kubeconfig: &Path, namespace: &str, objects: Vec<Value>) -> Result<(), String> {
    /// Concurrent requests.
    const AT_ONCE: usize = 16;
    let client = client_of(kubeconfig);
    let create = |manifest: Value| {
        let object: DynamicObject = serde_json::from_value(manifest).unwrap();
        let kind = GroupVersionKind::try_from(object.types.as_ref().unwrap()).unwrap();
        let resource = ApiResource::from_gvk(&kind);
        let objects = match namespace {
            "" => Api::<DynamicObject>::all_with(client.clone(), &resource),
            namespace => Api::namespaced_with(client.clone(), namespace, &resource),
        };
        async move { objects.create(&PostParams::default(), &object).await }
    };
    let creations = stream::iter(objects.into_iter().map(create));
    let creations = creations.buffer_unordered(AT_ONCE).try_collect::<Vec<_>>();
    let created = RUNTIME.block_on(creations);
    created.map(|_| ()).map_err(|error| error.to_string())
}

/// The API server's answer to a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    /// The warnings that kubectl prints after `Warning:`.
    pub warnings: Vec<String>,
}

/// Sends a request; the body is JSON.
pub fn send(kubeconfig: &Path, method: &str, path: &str, body: &Value) -> Answer {
    send_with(kubeconfig, http::Request::builder(), (method, path), body)
}

/// The same in the name of this user.
pub fn send_as(
    user: &str,
    kubeconfig: &Path,
    (method, path): (&str, &str),
    body: &Value,
) -> Answer {
    let request = http::Request::builder().header("impersonate-user", user);
    send_with(kubeconfig, request, (method, path), body)
}

fn send_with(
    kubeconfig: &Path,
    request: http::request::Builder,
    (method, path): (&str, &str),
    body: &Value,
) -> Answer {
    let request = request.method(method).uri(path);
    let request = request.header("content-type", "application/json");
    let body = match body {
        Value::Null => Vec::new(),
        body => body.to_string().into_bytes(),
    };
    let request = request.body(Body::from(body)).unwrap();
    let client = client_of(kubeconfig);
    RUNTIME.block_on(async {
        let response = client.send(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect_bytes().await.unwrap();
        let warnings = head.headers.get_all("warning").iter();
        let warnings = warnings.filter_map(|w| w.to_str().ok()?.split('"').nth(1).map(Into::into));
        Answer {
            status: head.status.as_u16(),
            body: serde_json::from_slice(&body).unwrap_or_default(),
            warnings: warnings.collect(),
        }
    })
}

/// Writes into the status of an object of one of the kinds that are read.
pub fn patch_status(
    kubeconfig: &Path,
    namespace: &str,
    (kind, name): (&str, &str),
    status: &Value,
) -> Result<(), String> {
    let known = KINDS.into_iter().find(|(_, _, known)| *known == kind);
    let resource = resource(known.ok_or_else(|| format!("{kind} is not read"))?);
    let client = client_of(kubeconfig);
    let objects = Api::<DynamicObject>::namespaced_with(client, namespace, &resource);
    let patch = Patch::Merge(json!({"status": status}));
    let params = PatchParams::default();
    let patched = RUNTIME.block_on(objects.patch_status(name, &params, &patch));
    patched
        .map(|_| ())
        .map_err(|error| format!("{name}: {error}"))
}

/// Deletes the PodCliqueSets of a namespace, without waiting for their end.
pub fn delete_sets(kubeconfig: &Path, namespace: &str) -> Result<(), String> {
    let resource = resource(SET);
    let client = client_of(kubeconfig);
    let sets = Api::<DynamicObject>::namespaced_with(client, namespace, &resource);
    let all = ListParams::default();
    let deleted = RUNTIME.block_on(sets.delete_collection(&DeleteParams::default(), &all));
    deleted.map(|_| ()).map_err(|error| error.to_string())
}

/// Creates a namespace, and waits until pods can be created in it: they are refused before its
/// ServiceAccount exists.
pub fn create_namespace(kubeconfig: &Path, name: &str) -> Result<(), String> {
    let client = client_of(kubeconfig);
    let namespaces = namespaces(client.clone());
    let namespace = DynamicObject::new(name, &resource(NAMESPACE));
    let created = RUNTIME.block_on(namespaces.create(&PostParams::default(), &namespace));
    created.map_err(|error| error.to_string())?;
    let all = ListParams::default();
    wait::until(|| {
        let account = ("", "v1", "ServiceAccount");
        let accounts = RUNTIME.block_on(list(client.clone(), account, name, &all))?;
        let is_there = !accounts.is_empty();
        is_there
            .then_some(())
            .ok_or_else(|| format!("{name} has no ServiceAccount"))
    })
}

/// Deletes a namespace, without waiting for its end.
pub fn delete_namespace(kubeconfig: &Path, name: &str) -> Result<(), String> {
    let namespaces = namespaces(client_of(kubeconfig));
    let deleted = RUNTIME.block_on(namespaces.delete(name, &DeleteParams::default()));
    deleted.map(|_| ()).map_err(|error| error.to_string())
}

const SET: Kind = ("grove.io", "v1alpha1", "PodCliqueSet");
const NAMESPACE: Kind = ("", "v1", "Namespace");

fn namespaces(client: Client) -> Api<DynamicObject> {
    Api::all_with(client, &resource(NAMESPACE))
}

/// The resources that are read, in kubectl's form.
pub fn resources() -> String {
    let names = KINDS.map(|kind| {
        let resource = resource(kind);
        format!("{}.{}", resource.plural, resource.group)
    });
    names
        .map(|name| name.trim_end_matches('.').to_owned())
        .join(",")
}

/// The watched objects of that control plane.
pub fn mirror(kubeconfig: &Path) -> Mirror {
    Mirror::of(&client_of(kubeconfig), RUNTIME.handle())
}

async fn list(
    client: Client,
    kind: Kind,
    namespace: &str,
    selected: &ListParams,
) -> Result<Vec<Value>, String> {
    let objects = Objects::of(client, kind, Some(namespace));
    let found = objects.list(selected).await;
    let found = found.map_err(|error| format!("{}: {error}", kind.2))?;
    Ok(found.objects)
}

fn client_of(kubeconfig: &Path) -> Client {
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = clients.entry(kubeconfig.to_owned());
    known
        .or_insert_with(|| RUNTIME.block_on(client(kubeconfig)))
        .clone()
}
