//! A control plane with an operator.

use std::sync::LazyLock;

use anyhow::{Error, Result};

use super::control_plane::{ControlPlane, folder};
use super::operator::Operator;

/// The one that all tests share, each in a namespace of its own.
static SHARED: LazyLock<Result<Site>> = LazyLock::new(|| {
    let control_plane = ControlPlane::of_user_or_local("shared", 20)?;
    control_plane.install_definitions();
    let operator = Operator::start(&control_plane.kubeconfig, &folder("shared-operator"))?;
    operator.wait_until_ready().map_err(Error::msg)?;
    Ok(Site {
        control_plane,
        operator,
    })
});

/// A control plane with an operator.
#[derive(Debug)]
pub struct Site {
    pub control_plane: ControlPlane,
    pub operator: Operator,
}

/// The site that all tests share.
pub fn shared() -> &'static Site {
    match &*SHARED {
        Ok(site) => site,
        Err(error) => panic!("{error:#}"),
    }
}
