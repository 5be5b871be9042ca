//! Constants and enums with the comments that document them, read from their source, so that code
//! and documents agree.

use std::fs;

use anyhow::{Context, bail, ensure};
use syn::{Attribute, Expr, ExprLit, Fields, Item as Node, ItemConst, ItemEnum, Lit, Meta};

use crate::output;

/// A constant or a variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name in the source.
    pub name: String,
    /// Its text or number; empty without one.
    pub value: String,
    /// The comment, on one line.
    pub comment: String,
}

/// The items of the source file at that path below the root of the workspace.
pub fn parse(path: &str) -> anyhow::Result<Vec<Node>> {
    let text = fs::read_to_string(output::root().join(path)).with_context(|| path.to_owned())?;
    let file = syn::parse_file(&text).with_context(|| path.to_owned())?;
    Ok(file.items)
}

/// The public text constants, in their order.
pub fn constants(items: &[Node]) -> Vec<Item> {
    let all = items.iter().filter_map(|item| match item {
        Node::Const(constant) if is_public(constant) => Some(constant),
        _ => None,
    });
    all.filter_map(|constant| {
        Some(Item {
            name: constant.ident.to_string(),
            value: text_of(&constant.expr)?,
            comment: comment_of(&constant.attrs),
        })
    })
    .collect()
}

/// The items of the module of that name.
pub fn module<'a>(items: &'a [Node], name: &str) -> anyhow::Result<&'a [Node]> {
    let found = items.iter().find_map(|item| match item {
        Node::Mod(module) if module.ident == name => module.content.as_ref(),
        _ => None,
    });
    found
        .map(|(_, items)| items.as_slice())
        .with_context(|| format!("no module {name}"))
}

/// The variants of the enum of that name; each has to have a comment.
pub fn variants(items: &[Node], name: &str) -> anyhow::Result<Vec<Item>> {
    let found = items.iter().find_map(|item| match item {
        Node::Enum(found) if found.ident == name => Some(found),
        _ => None,
    });
    read_variants(found.with_context(|| format!("no enum {name}"))?)
}

fn read_variants(source: &ItemEnum) -> anyhow::Result<Vec<Item>> {
    let mut all = Vec::new();
    for variant in &source.variants {
        let name = variant.ident.to_string();
        let comment = comment_of(&variant.attrs);
        ensure!(
            !comment.is_empty(),
            "{}::{name} has no comment: describe its meaning",
            source.ident
        );
        if !matches!(variant.fields, Fields::Unit) {
            bail!("{}::{name} has fields", source.ident);
        }
        let value = variant.discriminant.as_ref();
        let value = value.and_then(|(_, value)| text_of(value));
        all.push(Item {
            name,
            value: value.unwrap_or_default(),
            comment,
        });
    }
    Ok(all)
}

fn is_public(constant: &ItemConst) -> bool {
    matches!(constant.vis, syn::Visibility::Public(_))
}

/// The literal, also the one inside a newtype: `EventReason("Ready")`.
pub fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => Some(number.base10_digits().to_owned()),
        Expr::Call(call) => text_of(call.args.first()?),
        _ => None,
    }
}

/// The doc comment on one line.
pub fn comment_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        if !pair.path.is_ident("doc") {
            return None;
        }
        text_of(&pair.value)
    });
    let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
    lines.join(" ").trim().to_owned()
}
