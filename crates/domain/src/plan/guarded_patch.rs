//! JSON patches that apply to one object only.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Action, Pointer, Purpose, Target};

/// A JSON patch (RFC 6902) whose first operation tests the uid: another object of the same name is
/// never changed. There is no other way to build an [`Action::Patch`].
#[derive(Clone, Debug, PartialEq)]
pub struct GuardedPatch {
    target: Target,
    resource_version: Option<String>,
    operations: Vec<Value>,
}

impl GuardedPatch {
    /// A patch of the object of this kind with this metadata; it changes nothing yet.
    pub fn of<K: Resource<DynamicType = ()>>(meta: &ObjectMeta) -> Self {
        let target = Target::of::<K>(meta);
        let uid = target.uid.clone();
        let patch = Self {
            target,
            resource_version: meta.resource_version.clone(),
            operations: Vec::new(),
        };
        patch.test(&Pointer::to(&["metadata", "uid"]), uid)
    }

    /// Tests that the object still has the observed resourceVersion.
    #[must_use]
    pub fn unless_changed(self) -> Self {
        let version = self.resource_version.clone();
        self.test(&Pointer::to(&["metadata", "resourceVersion"]), version)
    }

    /// Tests that the place has this value.
    #[must_use]
    pub fn test(self, place: &Pointer, value: impl Serialize) -> Self {
        self.operation(json!({"op": "test", "path": place.to_string(), "value": value}))
    }

    /// Sets the value of a place that may be absent; its parent exists.
    #[must_use]
    pub fn add(self, place: &Pointer, value: impl Serialize) -> Self {
        self.operation(json!({"op": "add", "path": place.to_string(), "value": value}))
    }

    /// Sets the value of a place that exists.
    #[must_use]
    pub fn replace(self, place: &Pointer, value: impl Serialize) -> Self {
        self.operation(json!({"op": "replace", "path": place.to_string(), "value": value}))
    }

    /// Removes a place that exists.
    #[must_use]
    pub fn remove(self, place: &Pointer) -> Self {
        self.operation(json!({"op": "remove", "path": place.to_string()}))
    }

    /// The write of this patch, with its reason.
    pub fn because(self, purpose: Purpose) -> Action {
        Action::Patch {
            patch: self,
            purpose,
        }
    }

    /// The object that is patched.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The operations, in their order.
    pub fn operations(&self) -> &[Value] {
        &self.operations
    }

    fn operation(mut self, operation: Value) -> Self {
        self.operations.push(operation);
        self
    }
}
