//! The documents: their links lead to files that are there, and to headings that these have.
//!
//! So do the names of documents in code. Links to other sites are not looked at.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let documents = texts(|path| path.extension().is_some_and(|extension| extension == "md"));
    let anchors: BTreeMap<&Path, Vec<String>> =
        documents.iter().map(|(path, text)| (path.as_path(), anchors(text))).collect();
    let wrong: Vec<String> = documents
        .iter()
        .flat_map(|(path, text)| links(text).into_iter().map(move |link| (path, text, link)))
        .filter_map(|(path, text, (link, place))| {
            let expected = missing(path, &link, &anchors)?;
            Some(format!("{}:{}: link {link}: {expected}", shown(path), line(text, place.start)))
        })
        .collect();
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(anchors.contains_key(root().join("docs/architecture.md").as_path()), "docs were read");
}

#[test]
fn every_document_that_is_named_is_there() {
    let wrong: Vec<String> = texts(|_| true)
        .iter()
        .flat_map(|(path, text)| {
            named(text).map(move |(name, start)| (path, line(text, start), name))
        })
        .filter(|(_, _, name)| !root().join(name).is_file())
        .map(|(path, line, name)| format!("{}:{line}: {name}: expected a file", shown(path)))
        .collect();
    assert!(wrong.is_empty(), "documents that are not there:\n{}", wrong.join("\n"));
}

#[test]
fn anchors_are_made_as_github_makes_them() {
    let text = "# 0.1.0 at `c54f58d`, 2026-11-24\n## FFO #50–#59\n### FFO #50–#59\n\
                All 2,587 roots\n---\n```sh\n# no heading\n```\n#55 is none either\n\
                # A [link](there.md#heading) & *more_or_less*\n## ffo 5059\n";
    let expected = [
        "010-at-c54f58d-2026-11-24",
        "ffo-5059",
        "ffo-5059-1",
        "all-2587-roots",
        "a-link--more_or_less",
        "ffo-5059-2",
    ];
    assert_eq!(anchors(text), expected);
}

/// Returns what was expected where `link` of the document `from` leads, if it is not there.
fn missing(from: &Path, link: &str, anchors: &BTreeMap<&Path, Vec<String>>) -> Option<String> {
    let (file, anchor) =
        link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = match file {
        "" => from.to_owned(),
        _ => match from.with_file_name("").join(file).canonicalize() {
            Ok(target) => target,
            Err(_) => return Some(format!("expected the file {file} beside {}", shown(from))),
        },
    };
    let anchor = anchor?;
    let has_it =
        anchors.get(target.as_path()).is_some_and(|all| all.iter().any(|one| one == anchor));
    (!has_it).then(|| format!("expected a heading in {} whose anchor is #{anchor}", shown(&target)))
}

/// Returns where the links and images of a document lead, within this repository.
fn links(text: &str) -> Vec<(String, Range<usize>)> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
        .into_offset_iter()
        .filter_map(|(event, place)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((dest_url.into_string(), place))
            }
            _ => None,
        })
        .filter(|(link, _)| !link.contains(':'))
        .collect()
}

/// Returns the anchors that GitHub gives the headings of a document: their text in lower case without
/// punctuation, hyphens for spaces, and a number for each after the first that is the same.
fn anchors(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut times = HashMap::<String, usize>::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(part) | Event::Code(part), Some(heading)) => heading.push_str(&part),
            (Event::End(TagEnd::Heading(_)), Some(text)) => {
                let anchor = anchor(text);
                let before = times.entry(anchor.clone()).or_default();
                found.push(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
                *before += 1;
                heading = None;
            }
            _ => {}
        }
    }
    found
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|&sign| sign.is_alphanumeric() || " -_".contains(sign));
    kept.flat_map(char::to_lowercase).map(|sign| if sign == ' ' { '-' } else { sign }).collect()
}

/// Returns each `docs/….md` in a text, and where it begins.
fn named(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.match_indices("docs/").filter_map(|(start, _)| {
        let rest = &text[start..];
        let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && !"/-_".contains(sign))?;
        rest[end..].starts_with(".md").then(|| (&rest[..end + 3], start))
    })
}

fn line(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("the repository")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns the files of the repository that are text and that `wanted` names, without what is built.
fn texts(wanted: impl Fn(&Path) -> bool) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("a file of it").path();
            if path.ends_with("target") || path.ends_with(".git") || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path)
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.insert(path, text);
            }
        }
    }
    found
}
