//! The fewest fences of the papers' programs, found by trying, without the repair: no choice of fewer full fences is
//! enough even with a store-store fence at every place, and no choice of as many with fewer store-store fences.
//!
//! Fences only take executions away, so this covers every cheaper set: with the default costs a full fence is dearer
//! than the two store-store fences that are the most that is expected here.
//!
//! Programs with more choices than `FENCEWRIGHT_CHOICES`, else 500, are left out: with 100000 of them all are tried.

use std::path::Path;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Options, Task, Verdict, run};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::edit::{self, Remedy};
use fencewright_ir::{FenceKind, Program, Site};
use fencewright_memory::Model;
use fencewright_synth::{Beside, offers};
use fencewright_testkit::corpus;

/// The most choices of full fences that are tried for a program.
fn limit() -> usize {
    let set = std::env::var("FENCEWRIGHT_CHOICES").ok();
    set.map_or(500, |text| text.parse().expect("FENCEWRIGHT_CHOICES is a number"))
}

/// All choices of `count` of the sites.
fn choices(sites: &[Site], count: usize) -> Vec<Vec<Site>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in sites.iter().enumerate() {
        for mut others in choices(&sites[i + 1..], count - 1) {
            others.push(first);
            all.push(others);
        }
    }
    all
}

/// How many choices of `count` among `n` there are.
fn binomial(n: usize, count: usize) -> usize {
    (0..count).fold(1, |product, i| product * (n - i) / (i + 1))
}

fn refuted(program: &Program, model: Model, full: &[Site], store_store: &[Site]) -> bool {
    let fences =
        |sites: &[Site], kind| sites.iter().map(move |&s| Remedy::Fence(s, kind)).collect::<Vec<_>>();
    let remedies = [fences(full, FenceKind::Full), fences(store_store, FenceKind::StoreStore)].concat();
    let fenced = edit::apply(program, &remedies);
    let task = Task { program: &fenced, model, options: Options::default() };
    let budget = Budget { time: None, memory: None, states: Some(50_000) };
    let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
    let answer = run(&Explicit, &task, &mut context).expect("its traces replay");
    matches!(answer.verdict, Verdict::Violated(_))
}

/// `2m 1s` as two numbers.
fn counts(fences: &str) -> (usize, usize) {
    let of = |kind: char| {
        let part = fences.split(' ').find_map(|part| part.strip_suffix(kind));
        part.map_or(0, |number| number.parse().expect("a number of fences"))
    };
    (of('m'), of('s'))
}

/// Tries everything that is cheaper; whether there were not too many.
fn nothing_cheaper(test: &str, program: &Program, model: Model, fences: &str) -> bool {
    let (full, store_store) = counts(fences);
    let mut sites: Vec<Site> = Vec::new();
    for remedy in offers(program, Beside::default()) {
        if let Remedy::Fence(site, FenceKind::Full) = remedy {
            sites.push(site);
        }
    }
    if binomial(sites.len(), if store_store > 0 { full } else { full - 1 }) > limit() {
        return false;
    }
    if full > 0 {
        for fewer in choices(&sites, full - 1) {
            assert!(refuted(program, model, &fewer, &sites), "{test}: {fewer:?} are enough");
        }
    }
    if store_store > 0 {
        for as_many in choices(&sites, full) {
            if refuted(program, model, &as_many, &sites) {
                continue;
            }
            for fewer in choices(&sites, store_store - 1) {
                let found = refuted(program, model, &as_many, &fewer);
                assert!(found, "{test}: {as_many:?} and {fewer:?} are enough");
            }
        }
    }
    true
}

#[test]
fn nothing_cheaper_repairs_the_programs_of_the_papers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let entries = corpus::load(&root).expect("the corpus is well-formed");
    let mut tried = 0;
    for entry in &entries {
        if !entry.name.starts_with("netys2015/") && !entry.name.starts_with("pldi2011/") {
            continue;
        }
        for (model, expectation) in &entry.expected {
            let Some(fences) = &expectation.fences else { continue };
            let test = format!("{} under {}", entry.name, model.name());
            tried += usize::from(nothing_cheaper(&test, &entry.program, *model, fences));
        }
    }
    assert!(tried >= 26, "only {tried} expectations were tried");
}
