//! The resources that the store serves, and their paths.

use std::fmt;

/// A resource.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::Display,
    strum::EnumCount,
    strum::EnumIter,
    strum::EnumString,
)]
#[allow(missing_docs)]
pub enum Resource {
    PodCliqueSet,
    PodCliqueScalingGroup,
    PodClique,
    PodGang,
    Pod,
    Service,
    HorizontalPodAutoscaler,
    ControllerRevision,
    PodGroup,
    CompositePodGroup,
    Workload,
    KaiPodGroup,
    VolcanoPodGroup,
    Event,
    Node,
    ClusterTopologyBinding,
    KaiTopology,
    ResourceClaim,
    ComputeDomain,
    ResourceClaimTemplate,
    KueueWorkload,
    ResourceFlavor,
}

impl Resource {
    /// API group and version, e.g. `grove.io/v1alpha1`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::PodCliqueSet
            | Self::PodCliqueScalingGroup
            | Self::PodClique
            | Self::ClusterTopologyBinding => "grove.io/v1alpha1",
            Self::PodGang => "scheduler.grove.io/v1alpha1",
            Self::HorizontalPodAutoscaler => "autoscaling/v2",
            Self::ControllerRevision => "apps/v1",
            Self::ResourceClaim | Self::ResourceClaimTemplate => "resource.k8s.io/v1",
            Self::ComputeDomain => "resource.nvidia.com/v1beta1",
            Self::PodGroup | Self::Workload => "scheduling.k8s.io/v1beta1",
            Self::CompositePodGroup => "scheduling.k8s.io/v1alpha3",
            Self::KaiPodGroup => "scheduling.run.ai/v2alpha2",
            Self::VolcanoPodGroup => "scheduling.volcano.sh/v1beta1",
            Self::KaiTopology => "kai.scheduler/v1alpha1",
            Self::KueueWorkload | Self::ResourceFlavor => "kueue.x-k8s.io/v1beta2",
            Self::Event => "events.k8s.io/v1",
            Self::Pod | Self::Service | Self::Node => "v1",
        }
    }

    /// Its kind in the API; several schedulers use the same name.
    pub fn kind(self) -> String {
        match self {
            Self::KaiPodGroup | Self::VolcanoPodGroup => Self::PodGroup.to_string(),
            Self::KaiTopology => "Topology".to_owned(),
            Self::KueueWorkload => Self::Workload.to_string(),
            other => other.to_string(),
        }
    }

    /// Whether it is defined by a CustomResourceDefinition.
    pub fn is_custom(self) -> bool {
        let is_of_others = matches!(
            self,
            Self::KaiPodGroup
                | Self::VolcanoPodGroup
                | Self::KaiTopology
                | Self::ComputeDomain
                | Self::KueueWorkload
                | Self::ResourceFlavor
        );
        is_of_others || self.api_version().contains("grove.io")
    }

    /// Whether its status is written by a subresource only. Nodes are made with their status here.
    pub fn has_status(self) -> bool {
        !matches!(
            self,
            Self::Event
                | Self::ControllerRevision
                | Self::Node
                | Self::ResourceClaimTemplate
                | Self::ResourceFlavor
        )
    }

    /// Whether its objects are in no namespace.
    pub fn is_of_cluster(self) -> bool {
        self.is_of_topology() || self == Self::ResourceFlavor
    }

    /// Whether it describes the topology. Requests about it are answered only in a cluster with a
    /// topology.
    pub fn is_of_topology(self) -> bool {
        matches!(
            self,
            Self::Node | Self::ClusterTopologyBinding | Self::KaiTopology
        )
    }

    /// Whether a PUT creates the object if there is none.
    pub fn is_created_by_put(self) -> bool {
        matches!(self, Self::Service | Self::Event)
    }

    /// Its name in paths.
    pub fn plural(self) -> String {
        match self {
            Self::KaiTopology => "topologies".to_owned(),
            other => format!("{}s", other.kind().to_lowercase()),
        }
    }

    /// The resource of that API group and version, and of that name in paths.
    pub fn served_at(api_version: &str, plural: &str) -> Option<Self> {
        use strum::IntoEnumIterator;
        let is_it = |r: &Self| r.api_version() == api_version && r.plural() == plural;
        Self::iter().find(is_it)
    }

    /// Path of the collection in a namespace.
    pub fn path(self, namespace: &str) -> String {
        let root = if self.api_version() == "v1" {
            "api"
        } else {
            "apis"
        };
        let (version, plural) = (self.api_version(), self.plural());
        format!("/{root}/{version}/namespaces/{namespace}/{plural}")
    }
}

/// Names an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The resource.
    pub resource: Resource,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Id {
    /// An object in namespace `default`.
    pub fn new(resource: Resource, name: &str) -> Self {
        Self {
            resource,
            namespace: "default".to_owned(),
            name: name.to_owned(),
        }
    }
}

impl Id {
    /// An object of the cluster, which is in no namespace.
    pub fn of_cluster(resource: Resource, name: &str) -> Self {
        Self {
            resource,
            namespace: String::new(),
            name: name.to_owned(),
        }
    }

    /// Another object of this namespace.
    #[must_use]
    pub fn beside(&self, resource: Resource, name: &str) -> Self {
        Self {
            resource,
            namespace: self.namespace.clone(),
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            "default" => write!(f, "{} {}", self.resource, self.name),
            namespace => write!(f, "{} {namespace}/{}", self.resource, self.name),
        }
    }
}

/// A path taken apart: collection, name, subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPath {
    /// The resource.
    pub resource: Resource,
    /// Namespace.
    pub namespace: String,
    /// Name, unless the collection is meant.
    pub name: Option<String>,
    /// E.g. `status`.
    pub subresource: Option<String>,
}

impl RequestPath {
    /// The collection that holds the object.
    pub fn of(id: &Id) -> Self {
        Self {
            resource: id.resource,
            namespace: id.namespace.clone(),
            name: None,
            subresource: None,
        }
    }

    /// The object, unless the collection is meant.
    pub fn id(&self) -> Option<Id> {
        Some(Id {
            resource: self.resource,
            namespace: self.namespace.clone(),
            name: self.name.clone()?,
        })
    }

    /// Takes a path apart; `None` if nothing is served there.
    pub fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let Some((root, rest)) = path.split_once("/namespaces/") else {
            return Self::parse_of_cluster(path);
        };
        let version = root.split_once('/')?.1;
        let mut parts = rest.split('/').map(str::to_owned);
        let namespace = parts.next()?;
        let plural = parts.next()?;
        let resource = Resource::served_at(version, &plural)?;
        (!resource.is_of_cluster()).then(|| Self {
            resource,
            namespace,
            name: parts.next(),
            subresource: parts.next(),
        })
    }

    /// The path of an object in no namespace, or of their collection.
    fn parse_of_cluster(path: &str) -> Option<Self> {
        let mut parts = path.split('/');
        let version = match parts.next()? {
            "api" => parts.next()?.to_owned(),
            _ => format!("{}/{}", parts.next()?, parts.next()?),
        };
        let resource = Resource::served_at(&version, parts.next()?)?;
        resource.is_of_cluster().then(|| Self {
            resource,
            namespace: String::new(),
            name: parts.next().map(str::to_owned),
            subresource: parts.next().map(str::to_owned),
        })
    }
}
