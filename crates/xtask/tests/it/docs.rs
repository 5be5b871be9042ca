//! Every name in a document exists: files, headings, metrics, labels, variables, reasons, alerts.

mod decisions;
mod known;
mod names;
mod page;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Component, Path, PathBuf};

use known::Known;
use page::Page;
use xtask::output;

/// Folders with documents, besides the root.
const FOLDERS: [&str; 4] = ["docs", "charts", "examples", "config"];

fn collect(folder: &Path, is_deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(output::root().join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if output::root().join(&path).is_dir() {
            if is_deep {
                collect(&path, is_deep, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// All documents by their path from the root.
fn pages() -> BTreeMap<PathBuf, Page> {
    let mut paths = Vec::new();
    collect(Path::new(""), false, &mut paths);
    for folder in FOLDERS {
        collect(Path::new(folder), true, &mut paths);
    }
    let read = |path: &PathBuf| Page::read(&fs::read_to_string(output::root().join(path)).unwrap());
    let pages: BTreeMap<_, _> = paths
        .iter()
        .map(|path| (path.clone(), read(path)))
        .collect();
    assert!(pages.len() > 20, "{:?}", pages.keys());
    pages
}

/// The target file of a link of that page, from the root; `None` if it is outside of the tree.
fn target(page: &Path, link: &str) -> Option<PathBuf> {
    let (path, _) = link.split_once('#').unwrap_or((link, ""));
    if path.is_empty() {
        return Some(page.to_path_buf());
    }
    let mut target = PathBuf::new();
    for part in page.parent()?.join(path).components() {
        match part {
            Component::ParentDir => target.pop().then_some(())?,
            Component::Normal(name) => target.push(name),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(target)
}

/// Links within the tree without a target.
fn dead_links(path: &Path, page: &Page, pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let is_dead = |link: &&String| {
        let Some(file) = target(path, link) else {
            return true;
        };
        let anchor = link.split_once('#').map(|(_, anchor)| anchor);
        match (pages.get(&file), anchor) {
            (Some(target), Some(anchor)) => !target.anchors.contains(anchor),
            (Some(_), None) => false,
            (None, _) => !output::root().join(&file).exists(),
        }
    };
    page.links.iter().filter(is_dead).cloned().collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let mut dead = Vec::new();
    for (path, page) in &pages {
        let found = dead_links(path, page, &pages);
        dead.extend(
            found
                .iter()
                .map(|link| format!("{}: {link}", path.display())),
        );
        let undefined = page.undefined.iter();
        dead.extend(undefined.map(|link| format!("{}: [{link}]", path.display())));
    }
    assert!(dead.is_empty(), "{dead:#?}");
    let count: usize = pages.values().map(|page| page.links.len()).sum();
    assert!(count > 100, "{count} links");
}

/// A document without a link to it is not read.
#[test]
fn every_document_is_found_from_the_first_one() {
    let pages = pages();
    let mut reached = BTreeSet::new();
    let mut next = VecDeque::from([PathBuf::from("README.md")]);
    while let Some(path) = next.pop_front() {
        let Some(page) = pages.get(&path).filter(|_| !reached.contains(&path)) else {
            continue;
        };
        next.extend(page.links.iter().filter_map(|link| target(&path, link)));
        reached.insert(path);
    }
    let in_docs = pages.keys().filter(|path| path.starts_with("docs"));
    let lost: Vec<_> = in_docs.filter(|path| !reached.contains(*path)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn every_name_in_the_documents_exists() {
    let known = Known::read();
    let pages = pages();
    let is_of_users = |path: &&PathBuf| path.starts_with("docs") || *path == Path::new("README.md");
    let mut unknown = Vec::new();
    let mut count = 0;
    for path in pages.keys().filter(is_of_users) {
        let named = names::named(&pages[path]);
        count += named.len();
        let wrong = named.iter().filter_map(|name| known.find_fault(name));
        unknown.extend(wrong.map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(count > 300, "{count} names");
}

#[test]
fn the_documented_versions_are_those_of_the_tests() {
    let read = |path: &str| fs::read_to_string(output::root().join(path)).unwrap();
    let (modules, page) = (
        read("hack/localcluster/go.mod"),
        read("docs/compatibility.md"),
    );
    let version = |module: &str| {
        let lines = modules.lines().map(str::trim);
        let mut found = lines.filter_map(|line| line.strip_prefix(module)?.strip_prefix(" v"));
        found.next().unwrap().to_owned()
    };
    let kubernetes = version("k8s.io/kubernetes");
    assert!(page.contains(&format!("run, on {kubernetes} and no other patch")));
    let helm = version("helm.sh/helm/v4");
    assert!(page.contains(&format!("Helm {helm} renders the chart in the tests")));
}

/// The errors of a test page with wrong names among right ones.
#[test]
fn missing_names_are_found() {
    let text = fs::read_to_string(output::root().join("crates/xtask/tests/it/docs/wrong.md"));
    let page = Page::read(&text.unwrap());
    let known = Known::read();
    let faults: Vec<String> = names::named(&page)
        .iter()
        .filter_map(|name| known.find_fault(name))
        .collect();
    assert_eq!(
        faults,
        [
            "no metric grove_no_such_total",
            "metric grove_queue_depth has no label queue",
            "no key grove.io/no-such-key",
            "no variable GROVE_NO_SUCH",
            "no condition NoSuch",
            "no reason NoSuchReason",
            "no alert NoSuchAlert",
            "no condition Redy",
            "no reason NoReason",
            "no reason NoSuchCell",
            "no event NoSuchEvent",
            "no alert GroveNoSuchAlert",
        ]
    );
    let path = PathBuf::from("docs/wrong.md");
    let pages = BTreeMap::from([(path.clone(), page)]);
    let dead = dead_links(&path, &pages[&path], &pages);
    assert_eq!(dead, ["nowhere.md", "#nowhere", "../../outside.md"]);
    assert_eq!(pages[&path].undefined, ["decision 999999"]);
}
