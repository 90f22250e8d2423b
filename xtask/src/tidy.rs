//! `cargo xtask tidy`: the rules of the repository that no compiler checks. Each check gives what it found wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{only, output, root};

/// A check: what it is called, and what is wrong.
type Check = (&'static str, fn(&Repository) -> Result<Vec<String>>);

const CHECKS: &[Check] = &[
    ("crate edges are those of ARCHITECTURE.md", crate_edges),
    ("paths in documents exist", paths_exist),
    ("long files give their reason", long_files),
    ("nothing is left half done", stub_words),
    ("no path of one machine", machine_paths),
    ("dependencies have their line and their use", dependencies),
    ("diagnostic codes are unique", codes),
    ("rules are numbered alike in memory and docs/semantics.md", rules),
    ("errors of `planted` can be planted", |_| Ok(crate::planted::stale())),
];

/// The longest a file may be without saying why: more is seldom one thing.
const LONG: usize = 600;

/// A line that begins so gives the reason for a long file.
const LONG_REASON: &str = "// Long because ";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &[])?;
    let repository = Repository::open()?;
    let mut n_wrong = 0;
    for (name, check) in CHECKS {
        let wrong = check(&repository).with_context(|| format!("tidy: {name}"))?;
        for line in &wrong {
            println!("tidy: {name}: {line}");
        }
        n_wrong += wrong.len();
    }
    if n_wrong == 0 {
        println!("tidy: {} checks passed", CHECKS.len());
        Ok(())
    } else {
        bail!("tidy found {n_wrong} things")
    }
}

/// The files under version control, and those that are new and not ignored.
struct Repository {
    root: PathBuf,
    files: Vec<String>,
}

impl Repository {
    fn open() -> Result<Self> {
        let root = root();
        let mut git = Command::new("git");
        git.current_dir(&root).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
        let mut files: Vec<String> = output(&mut git)?.lines().map(str::to_owned).collect();
        files.retain(|file| root.join(file).is_file());
        files.sort();
        files.dedup();
        Ok(Self { root, files })
    }

    fn read(&self, file: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(file)).with_context(|| file.to_owned())
    }

    fn ending(&self, endings: &[&str]) -> impl Iterator<Item = &String> {
        self.files.iter().filter(move |file| endings.iter().any(|ending| file.ends_with(ending)))
    }

    fn manifest(&self, file: &str) -> Result<toml::Table> {
        self.read(file)?.parse().with_context(|| file.to_owned())
    }
}

const CRATE: &str = "fencewright-";

/// The dependencies of each crate on crates of this repository, as cargo has them and as ARCHITECTURE.md tells.
fn crate_edges(repository: &Repository) -> Result<Vec<String>> {
    let mut real: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in repository.ending(&["/Cargo.toml"]) {
        let manifest = repository.manifest(file)?;
        let name = manifest["package"]["name"].as_str().context("a package has a name")?;
        let empty = toml::Table::new();
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table()).unwrap_or(&empty);
        let own = dependencies.keys().filter_map(|key| key.strip_prefix(CRATE)).map(str::to_owned);
        real.insert(name.strip_prefix(CRATE).unwrap_or(name).to_owned(), own.collect());
    }
    let text = repository.read("ARCHITECTURE.md")?;
    let section = text.split("\n## ").find(|section| section.starts_with("Crate edges"));
    let section = section.context("there is a section `Crate edges`")?;
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let names =
            |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
        let (Some(of), Some(uses)) = (cells.get(1), cells.get(2)) else { continue };
        told.extend(names(of).into_iter().map(|name| (name, names(uses))));
    }
    let mut wrong = Vec::new();
    for name in real.keys().chain(told.keys()).collect::<BTreeSet<_>>() {
        match (real.get(name), told.get(name)) {
            (Some(real), Some(told)) if real != told => {
                wrong.push(format!("`{name}` uses {real:?}, the table says {told:?}"));
            }
            (Some(_), Some(_)) | (None, None) => {}
            (Some(_), None) => wrong.push(format!("`{name}` is not in the table")),
            (None, Some(_)) => wrong.push(format!("`{name}` is in the table and there is no such crate")),
        }
    }
    Ok(wrong)
}

/// Every path in backticks in ARCHITECTURE.md and CONTRIBUTING.md, and every link of a document to a file.
fn paths_exist(repository: &Repository) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for file in repository.ending(&[".md"]) {
        let text = repository.read(file)?;
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let mut links: Vec<PathBuf> = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
            .filter(|link| !link.is_empty() && !link.contains("://"))
            .map(|link| folder.join(link))
            .collect();
        if ["ARCHITECTURE.md", "CONTRIBUTING.md"].contains(&file.as_str()) {
            let is_path = |word: &&str| {
                word.contains('/') && !word.contains(|c: char| c.is_whitespace() || "<>*$:".contains(c))
            };
            let inline = text.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
            links.extend(inline.filter(is_path).map(PathBuf::from));
        }
        let missing = links.into_iter().filter(|link| !repository.root.join(link).exists());
        wrong.extend(missing.map(|link| format!("{file}: {} does not exist", link.display())));
    }
    Ok(wrong)
}

fn long_files(repository: &Repository) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for file in repository.ending(&[".rs"]) {
        let text = repository.read(file)?;
        let n_lines = text.lines().count();
        if n_lines > LONG && !text.lines().any(|line| line.trim_start().starts_with(LONG_REASON)) {
            wrong.push(format!("{file} has {n_lines} lines: divide it, or write `{LONG_REASON}…` in it"));
        }
    }
    Ok(wrong)
}

/// Words that say that something is not there yet. Spelled in two parts, so that this file does not hold them.
fn stub_words(repository: &Repository) -> Result<Vec<String>> {
    let words =
        [["to", "do!("], ["unimple", "mented!("], ["FIX", "ME"], ["TO", "DO"], ["T", "BA"], ["X", "XX"]];
    let words = words.map(|parts| parts.concat());
    let mut wrong = Vec::new();
    for file in repository.ending(&[".rs", ".md", ".toml"]) {
        for (number, line) in repository.read(file)?.lines().enumerate() {
            let has = |word: &&String| {
                line.split(|c: char| !(c.is_alphanumeric() || "!(_".contains(c)))
                    .any(|w| w.starts_with(word.as_str()))
            };
            if let Some(word) = words.iter().find(has) {
                wrong.push(format!("{file}:{}: `{word}`", number + 1));
            }
        }
    }
    Ok(wrong)
}

fn machine_paths(repository: &Repository) -> Result<Vec<String>> {
    let roots = [["/wo", "rk/"], ["/ho", "me/"], ["/ro", "ot/"], ["/Us", "ers/"]].map(|parts| parts.concat());
    let mut wrong = Vec::new();
    for file in repository.ending(&[".rs", ".md", ".toml", ".snap", ".json", "/run"]) {
        for (number, line) in repository.read(file)?.lines().enumerate() {
            if roots.iter().any(|root| line.contains(root.as_str())) {
                wrong.push(format!("{file}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    Ok(wrong)
}

/// Every dependency, of the workspace or of one crate, has a row in docs/dependencies.md and a crate that uses it, and
/// every row is of one.
fn dependencies(repository: &Repository) -> Result<Vec<String>> {
    let is_outside = |name: &&String| !name.starts_with(CRATE);
    let manifest = repository.manifest("Cargo.toml")?;
    let shared = manifest["workspace"]["dependencies"].as_table().context("there are dependencies")?;
    let shared: BTreeSet<String> = shared.keys().filter(is_outside).cloned().collect();
    let mut used: BTreeSet<String> = BTreeSet::new();
    for file in repository.ending(&["/Cargo.toml"]) {
        let manifest = repository.manifest(file)?;
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let table = manifest.get(table).and_then(|table| table.as_table());
            used.extend(table.into_iter().flat_map(|table| table.keys()).filter(is_outside).cloned());
        }
    }
    let text = repository.read("docs/dependencies.md")?;
    let row = |line: &str| line.strip_prefix("| `")?.split('`').next().map(str::to_owned);
    let told: BTreeSet<String> = text.lines().filter_map(row).collect();
    let unused = shared.difference(&used).map(|name| format!("no crate uses `{name}`"));
    let all: BTreeSet<String> = shared.union(&used).cloned().collect();
    let untold = all.difference(&told).map(|name| format!("`{name}` has no row in docs/dependencies.md"));
    let gone = told.difference(&all);
    let gone =
        gone.map(|name| format!("docs/dependencies.md has a row for `{name}`, which is no dependency"));
    Ok(unused.chain(untold).chain(gone).collect())
}

/// The names of diagnostics, `E0103` and the like, where they are defined.
fn codes(repository: &Repository) -> Result<Vec<String>> {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in repository.ending(&[".rs"]) {
        let text = repository.read(file)?;
        for rest in text.split("name: \"").skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            let is_code = name.len() == 5
                && name.starts_with(['E', 'W'])
                && name[1..].bytes().all(|byte| byte.is_ascii_digit());
            if is_code {
                defined.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    let twice = defined.into_iter().filter(|(_, files)| files.len() > 1);
    Ok(twice.map(|(name, files)| format!("{name} is defined in {}", files.join(" and "))).collect())
}

/// Rule numbers such as `TSO-3`.
fn rules(repository: &Repository) -> Result<Vec<String>> {
    let mut in_code = BTreeSet::new();
    for file in repository.ending(&[".rs"]).filter(|file| file.starts_with("crates/memory/src/")) {
        in_code.extend(rule_numbers(&repository.read(file)?));
    }
    let mut tested = BTreeSet::new();
    for file in repository.ending(&[".rs"]).filter(|file| file.starts_with("crates/memory/tests/")) {
        let text = repository.read(file)?;
        for name in text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next()) {
            // `tso_4_and_tso_5_…` names two rules.
            let words: Vec<&str> = name.split('_').collect();
            for pair in words.windows(2) {
                tested.extend(rule_numbers(&format!("{}-{}", pair[0].to_uppercase(), pair[1])));
            }
        }
    }
    let in_text = rule_numbers(&repository.read("docs/semantics.md")?);
    let mut wrong = Vec::new();
    for rule in in_code.union(&in_text) {
        if !in_text.contains(rule) {
            wrong.push(format!("{rule} is not in docs/semantics.md"));
        }
        if !in_code.contains(rule) {
            wrong.push(format!("{rule} is in docs/semantics.md and not in crates/memory"));
        }
        if !tested.contains(rule) {
            wrong.push(format!("{rule} has no test that is named after it"));
        }
    }
    Ok(wrong)
}

fn rule_numbers(text: &str) -> BTreeSet<String> {
    let is_rule = |word: &&str| {
        let Some((model, number)) = word.split_once('-') else { return false };
        ["G", "SC", "TSO", "PSO", "SLOT"].contains(&model)
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(is_rule)
        .map(str::to_owned)
        .collect()
}
