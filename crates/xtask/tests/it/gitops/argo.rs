//! Argo CD: the script of `argocd-cm.yaml` for the kind, in its version of Lua.

use std::fs;

use mlua::{Lua, LuaOptions, LuaSerdeExt as _, StdLib, Table};
use serde_json::Value;
use xtask::{gitops, output};

use super::Verdict::{self, Current, Failed, InProgress};

pub fn judge(object: &Value) -> Verdict {
    match run(object).0.as_str() {
        "Healthy" => Current,
        "Progressing" => InProgress,
        "Degraded" => Failed,
        other => panic!("Argo CD does not know {other}"),
    }
}

pub fn status(object: &Value) -> String {
    run(object).0
}

pub fn message(object: &Value) -> String {
    run(object).1
}

/// Status and message. Argo CD opens no Lua library that reaches the machine.
fn run(object: &Value) -> (String, String) {
    let lua = Lua::new_with(StdLib::NONE, LuaOptions::default()).unwrap();
    let value = lua.to_value(object).unwrap();
    lua.globals().set("obj", value).unwrap();
    let health: Table = lua.load(script(object)).eval().unwrap();
    (
        health.get("status").unwrap(),
        health.get("message").unwrap(),
    )
}

fn script(object: &Value) -> String {
    let path = output::root().join("config/argocd/argocd-cm.yaml");
    let config_map: Value = serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let kind = object["kind"].as_str().unwrap();
    let known = gitops::KINDS.iter().find(|(_, name)| *name == kind);
    let key = format!("resource.customizations.health.{}_{kind}", known.unwrap().0);
    config_map["data"][key].as_str().unwrap().to_owned()
}
