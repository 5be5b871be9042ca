//! The control planes of a run.

mod guarded;

use std::ops::Deref;
use std::sync::{
    LazyLock, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use anyhow::{Error, Result};

use super::control_plane::{ControlPlane, folder};
use super::installation::Installation;
use super::operator::{Operator, binary};

/// As on clusters that require the right on an owner's finalizers from any writer of an owner
/// reference that blocks deletion.
const PROTECTED_OWNERS: &str = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";

static SHARED: LazyLock<Result<Site>> = LazyLock::new(|| {
    let control_plane = ControlPlane::of_user_or_local("shared", 20)?;
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("shared-operator"))?;
    operator.wait_until_ready().map_err(Error::msg)?;
    Ok(Site {
        control_plane,
        operator,
    })
});

static PRIVATE: LazyLock<Result<Mutex<ControlPlane>>> =
    LazyLock::new(|| ControlPlane::local("private", 2, &[PROTECTED_OWNERS]).map(Mutex::new));

static QUIET: LazyLock<Result<Mutex<ControlPlane>>> = LazyLock::new(|| {
    let control_plane = ControlPlane::without_pod_collection("quiet", 2)?;
    control_plane.install_definitions();
    Ok(Mutex::new(control_plane))
});

static GANGS: LazyLock<Result<Lanes>> = LazyLock::new(|| {
    let control_plane = ControlPlane::local("gangs", 2, &[PROTECTED_OWNERS])?;
    let profile = "config.scheduler.profiles[0]";
    let values = [
        format!("{profile}.name=default-scheduler"),
        format!("{profile}.backend=kubernetes"),
    ];
    Ok(Lanes {
        installation: Installation::on(&control_plane, &values.each_ref().map(String::as_str)),
        control_plane,
    })
});

static LANES: LazyLock<Result<Lanes>> = LazyLock::new(|| {
    // One zone: pods get the zone of their node as a label, and two runs are compared.
    let control_plane = ControlPlane::local("lanes", 4, &[])?;
    let values = ["config.leaderElection.enabled=true"];
    Ok(Lanes {
        installation: Installation::on(&control_plane, &values),
        control_plane,
    })
});

pub use guarded::UNGUARDED;

static GUARDED: LazyLock<Result<Site>> = LazyLock::new(guarded::start);

static GUARDED_TURN: RwLock<()> = RwLock::new(());

/// The control plane with the webhook, unless a test has it alone.
pub struct Guarded {
    site: &'static Site,
    _turn: RwLockReadGuard<'static, ()>,
}

impl Deref for Guarded {
    type Target = Site;

    fn deref(&self) -> &Site {
        self.site
    }
}

/// A control plane with an operator.
#[derive(Debug)]
pub struct Site {
    pub control_plane: ControlPlane,
    pub operator: Operator,
}

/// A control plane with the chart and many operators.
#[derive(Debug)]
pub struct Lanes {
    pub control_plane: ControlPlane,
    pub installation: Installation,
}

/// The control plane that all tests share, each in its own namespace.
pub fn shared() -> &'static Site {
    // Before the control plane: a build uses the whole machine.
    binary();
    match &*SHARED {
        Ok(site) => site,
        Err(error) => panic!("{error:#}"),
    }
}

/// A control plane without an operator and, possibly, without definitions: for tests of the
/// operator's start and end, one after the other.
pub fn private() -> MutexGuard<'static, ControlPlane> {
    binary();
    alone(&PRIVATE)
}

/// A quiet control plane without an operator: for tests that count requests, one after the other.
pub fn quiet() -> MutexGuard<'static, ControlPlane> {
    binary();
    alone(&QUIET)
}

/// A control plane with one operator per namespace: for tests that end or disturb theirs.
pub fn lanes() -> &'static Lanes {
    started(&LANES)
}

/// A control plane whose API server calls the webhook before it stores our objects.
pub fn guarded() -> Guarded {
    Guarded {
        site: guarded_site(),
        _turn: GUARDED_TURN.read().unwrap_or_else(PoisonError::into_inner),
    }
}

/// The same, for a test that keeps the operator so busy that its answers to others may be late: the
/// API server then scales without the webhook.
pub fn guarded_alone() -> (&'static Site, RwLockWriteGuard<'static, ()>) {
    let turn = GUARDED_TURN.write();
    let turn = turn.unwrap_or_else(PoisonError::into_inner);
    (guarded_site(), turn)
}

fn guarded_site() -> &'static Site {
    binary();
    match &*GUARDED {
        Ok(site) => site,
        Err(error) => panic!("{error:#}"),
    }
}

/// A control plane whose own scheduler reads our gangs: for tests of placement, each with an
/// operator for one namespace, and with its own nodes.
pub fn gangs() -> &'static Lanes {
    started(&GANGS)
}

fn started(lanes: &'static Result<Lanes>) -> &'static Lanes {
    binary();
    match lanes {
        Ok(lanes) => lanes,
        Err(error) => panic!("{error:#}"),
    }
}

fn alone(site: &'static Result<Mutex<ControlPlane>>) -> MutexGuard<'static, ControlPlane> {
    match site {
        Ok(control_plane) => control_plane.lock().unwrap_or_else(PoisonError::into_inner),
        Err(error) => panic!("{error:#}"),
    }
}
