//! Metrics that a source file registers.

use std::collections::BTreeMap;
use std::mem;

use anyhow::Context;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, File, Ident, ItemFn, ItemStruct, ItemType, LitStr, Local, Pat};

use super::Metric;
use crate::source::text_of;

/// Types of the library, and their names in the text format.
const SORTS: [(&str, &str); 4] = [
    ("Histogram", "histogram"),
    ("Gauge", "gauge"),
    ("Counter", "counter"),
    ("Info", "info"),
];

/// Words of a piece of source.
#[derive(Clone, Debug, Default)]
struct Words {
    names: Vec<String>,
    texts: Vec<String>,
}

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, name: &'ast Ident) {
        self.names.push(name.to_string());
    }

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.texts.push(text.value());
    }
}

fn words(visit: impl FnOnce(&mut Words)) -> Words {
    let mut words = Words::default();
    visit(&mut words);
    words
}

/// Facts of a source file about metrics.
#[derive(Clone, Default)]
pub(super) struct MetricFacts {
    pub(super) calls: Vec<Call>,
    /// Words of types by their user: fields, functions, variables, aliases.
    types: BTreeMap<String, Words>,
    /// The same of the module that this one is in.
    outer: BTreeMap<String, Words>,
    /// Names of the fields of each struct.
    pub(super) fields: BTreeMap<String, Vec<String>>,
}

/// Methods that serve values counted elsewhere, and their names in the text format.
const WRITTEN: [(&str, &str); 2] = [("counter", "Counter"), ("gauge", "Gauge")];

/// `register(name, help, metric)`, or `counter(name, help, value)`
#[derive(Clone)]
pub(super) struct Call {
    name: String,
    help: String,
    metric: Words,
}

impl MetricFacts {
    pub(super) fn of(file: &File) -> Self {
        let mut facts = Self::default();
        facts.visit_file(file);
        facts
    }

    /// Types of the module that this one is in count, too: it may implement them.
    pub(super) fn look_in(&mut self, outer: &Self) {
        self.outer.clone_from(&outer.types);
    }

    fn type_of(&self, name: &str) -> Option<&Words> {
        self.types.get(name).or_else(|| self.outer.get(name))
    }
}

impl<'ast> Visit<'ast> for MetricFacts {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let mut arguments = call.args.iter();
        let text = |expression: Option<&Expr>| expression.and_then(text_of);
        let (name, help) = (text(arguments.next()), text(arguments.next()));
        let metric = arguments.next().and_then(|last| metric_of(call, last));
        if let (Some(name), Some(help), Some(metric)) = (name, help, metric) {
            self.calls.push(Call { name, help, metric });
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        let mut names = Vec::new();
        for field in &item.fields {
            let Some(name) = field.ident.as_ref().map(ToString::to_string) else {
                continue;
            };
            let words = words(|words| words.visit_type(&field.ty));
            self.types.insert(name.clone(), words);
            names.push(name);
        }
        self.fields.insert(item.ident.to_string(), names);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        let words = words(|words| words.visit_type(&item.ty));
        self.types.insert(item.ident.to_string(), words);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let words = words(|words| words.visit_return_type(&item.sig.output));
        self.types.insert(item.sig.ident.to_string(), words);
        visit::visit_item_fn(self, item);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) {
            let words = words(|words| words.visit_expr(&init.expr));
            // Not instead of a field, which `self.name` means.
            self.types.entry(name.ident.to_string()).or_insert(words);
        }
        visit::visit_local(self, local);
    }
}

/// The words of the metric, if this is a call that has one served.
fn metric_of(call: &ExprMethodCall, metric: &Expr) -> Option<Words> {
    if call.method == "register" {
        return Some(words(|words| words.visit_expr(metric)));
    }
    let written = WRITTEN.iter().find(|(method, _)| call.method == method);
    written.map(|(_, sort)| Words {
        names: vec![(*sort).to_owned()],
        texts: Vec::new(),
    })
}

impl Call {
    /// The registered metrics; `labels` has the names of the fields of all structs.
    pub(super) fn describe(
        &self,
        facts: &MetricFacts,
        labels: &BTreeMap<String, Vec<String>>,
    ) -> anyhow::Result<Metric> {
        let words = self.resolve(facts);
        let is_named = |name: &str| words.names.iter().any(|word| word == name);
        let sort = SORTS.iter().find(|(type_, _)| is_named(type_));
        let (_, sort) = *sort.with_context(|| {
            let name = &self.name;
            format!("{name}: cannot see whether it is a Counter, Gauge, Histogram or Info")
        })?;
        let by = words.names.iter().find_map(|word| labels.get(word));
        let of_info = || {
            if sort == "info" {
                words.texts.clone()
            } else {
                Vec::new()
            }
        };
        Ok(Metric {
            name: self.name.clone(),
            sort,
            labels: by.cloned().unwrap_or_else(of_info),
            help: self.help.clone(),
        })
    }

    /// The words of the metric, with each word replaced by those of its type here or in the module
    /// outside.
    fn resolve(&self, facts: &MetricFacts) -> Words {
        let mut words = self.metric.clone();
        // A variable, its constructor, an alias: no path from a metric to its type is longer.
        for _ in 0..3 {
            for name in mem::take(&mut words.names) {
                match facts.type_of(&name) {
                    Some(type_) => {
                        words.names.extend(type_.names.iter().cloned());
                        words.texts.extend(type_.texts.iter().cloned());
                    }
                    None => words.names.push(name),
                }
            }
        }
        words
    }
}
