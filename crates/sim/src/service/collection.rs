//! The collection of a list or a watch.

use crate::resource::{Id, RequestPath, Resource};

/// All objects of a resource, in one namespace or in all.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub resource: Resource,
    pub namespace: Option<String>,
}

impl Collection {
    /// Parses the path of a collection; `None` if it is the path of one object, or of nothing that
    /// is served.
    pub(super) fn parse(path: &str) -> Option<Self> {
        if path.contains("/namespaces/") {
            let target = RequestPath::parse(path).filter(|target| target.name.is_none())?;
            return Some(Self {
                resource: target.resource,
                namespace: Some(target.namespace),
            });
        }
        let (_root, rest) = path.strip_prefix('/')?.split_once('/')?;
        let (version, plural) = rest.rsplit_once('/')?;
        Some(Self {
            resource: Resource::served_at(version, plural)?,
            namespace: None,
        })
    }

    pub(super) fn holds(&self, id: &Id) -> bool {
        let namespace = self.namespace.as_ref();
        id.resource == self.resource && namespace.is_none_or(|name| *name == id.namespace)
    }
}
