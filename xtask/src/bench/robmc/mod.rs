//! The benchmark of S. Joshi and D. Kroening, *Property-driven fence insertion using reorder bounded model checking*, section
//! 7: seven programs in C with a growing innocent fragment, two models, the four algorithms and the default of `fix`.
//!
//! Every repair is a run of the release binary with the engine `bmc`, so what is counted includes the compiler and the proof
//! of the repaired program. A strategy that is stopped at the limit is not asked about larger sizes of that program: the
//! smaller of its limits is for `te` and `fi`, which the paper shows to explode. Fails if a repair of `robmc-et` is missing,
//! if its number of queries grows with the size, if the paper's algorithms differ in the number of fences, or if the
//! default, whose answers are minima, has more than they have.

mod instances;
mod plot;
mod rows;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::child;
use crate::shell::{build_release, only, option, root, target};
use instances::{PROGRAMS, sizes};
use plot::{Quantity, draw};
use rows::{Row, STRATEGIES, Solved, read, write};

/// The default of `fix`.
const DEFAULT: &str = "hitting-sets";

const MODELS: [&str; 2] = ["tso", "pso"];

/// Programs that are drawn.
const DRAWN: [&str; 2] = ["peterson", "dijkstra"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--limit", "--short-limit", "--programs", "--strategies", "--rows", "--plots"])?;
    let number = |name: &str, default: u64| -> Result<u64> {
        option(arguments, name)?
            .map_or(Ok(default), |text| text.parse().with_context(|| format!("`{name} {text}`")))
    };
    let chosen = |name: &str, all: &[&'static str]| -> Result<Vec<&'static str>> {
        let Some(names) = option(arguments, name)? else { return Ok(all.to_vec()) };
        names
            .split(',')
            .map(|one| {
                let known = all.iter().find(|known| **known == one);
                known.copied().with_context(|| format!("`{name} {one}`: known are {}", all.join(", ")))
            })
            .collect()
    };
    let (limit, short) = (number("--limit", 600)?, number("--short-limit", 20)?);
    let programs = chosen("--programs", &PROGRAMS)?;
    let strategies = chosen("--strategies", &STRATEGIES)?;
    let file =
        option(arguments, "--rows")?.map_or_else(|| target().join("robmc.csv"), |path| root().join(path));
    build_release()?;
    let binary = target().join("release").join("fencewright");

    let mut rows = read(&file)?;
    for &strategy in &strategies {
        let limit = if ["te", "fi"].contains(&strategy) { short } else { limit };
        for &program in &programs {
            for model in MODELS {
                series(&binary, (strategy, model, program), limit, (&mut rows, &file))?;
            }
        }
    }
    println!("rows: {}", file.display());
    table(&rows);
    if let Some(folder) = option(arguments, "--plots")? {
        plots(&rows, &root().join(folder))?;
    }
    judge(&rows, &programs)
}

/// One strategy on one program under one model: all sizes, until it is stopped at the limit.
fn series(
    binary: &Path,
    (strategy, model, program): (&str, &str, &str),
    limit: u64,
    (rows, kept): (&mut Vec<Row>, &Path),
) -> Result<()> {
    for n in sizes() {
        let known = rows.iter().find(|row| row.is_of(strategy, model, program, n));
        let solved = match known {
            Some(known) => known.solved.is_some(),
            None => {
                let row = fix(binary, (strategy, model, program, n), limit)?;
                println!("{row}");
                let solved = row.solved.is_some();
                rows.push(row);
                write(kept, rows)?;
                solved
            }
        };
        if !solved {
            break;
        }
    }
    Ok(())
}

fn fix(binary: &Path, (strategy, model, program, n): (&str, &str, &str, usize), limit: u64) -> Result<Row> {
    let file: PathBuf = instances::write(program, n)?;
    let mut command = Command::new(binary);
    command.arg("fix").arg(&file).args(["--model", model, "--engine", "bmc", "--strategy", strategy]);
    // The limit is for the whole command; no question of it may end sooner.
    command.args(["--format", "json", "--timeout", "none"]);
    let child = child::run(&mut command, Duration::from_secs(limit))?;
    let solved = match child.code {
        None => None,
        Some(0) => {
            let value: serde_json::Value = serde_json::from_slice(&child.stdout)
                .with_context(|| format!("fix {} prints no JSON", file.display()))?;
            let repair = &value["results"][0]["repair"];
            let fences = repair["fences"].as_array().map(Vec::as_slice).unwrap_or_default();
            let count = |kind: &str| fences.iter().filter(|fence| fence["kind"] == kind).count();
            let queries = repair["rounds"].as_u64().context("a repair has its number of rounds")?;
            Some(Solved { queries, fences: (count("full"), count("store-store")) })
        }
        Some(code) => bail!("fix {} by {strategy} under {model} ends with {code}", file.display()),
    };
    let row = Row {
        strategy: strategy.to_owned(),
        model: model.to_owned(),
        program: program.to_owned(),
        n,
        seconds: child.seconds,
        solved,
        limit,
    };
    Ok(row)
}

fn table(rows: &[Row]) {
    println!(
        "\n{:13} {:5} {:>6} {:>6} {:>8} {:>13} {:>9} {:>9}",
        "strategy", "model", "limit", "solved", "of", "most queries", "seconds", "largest"
    );
    let wanted = PROGRAMS.len() * sizes().count();
    for strategy in STRATEGIES {
        for model in MODELS {
            let of = || rows.iter().filter(move |row| row.strategy == strategy && row.model == model);
            if of().next().is_none() {
                continue;
            }
            let solved: Vec<&Row> = of().filter(|row| row.solved.is_some()).collect();
            let queries = solved.iter().filter_map(|row| row.solved.as_ref()).map(|one| one.queries).max();
            println!(
                "{strategy:13} {model:5} {:>6} {:>6} {wanted:>8} {:>13} {:>9.1} {:>9.2}",
                of().map(|row| row.limit).max().unwrap_or(0),
                solved.len(),
                queries.unwrap_or(0),
                solved.iter().map(|row| row.seconds).sum::<f64>(),
                solved.iter().map(|row| row.seconds).fold(0.0, f64::max),
            );
        }
    }
    println!(
        "\nfences (full + store-store), and queries at the smallest and the largest size that was solved"
    );
    println!(
        "{:10} {:5} {:>7}  {}",
        "program",
        "model",
        "fences",
        STRATEGIES.map(|s| format!("{s:>18}")).join("")
    );
    for program in PROGRAMS {
        for model in MODELS {
            let of = |strategy: &str| {
                let mut solved: Vec<(usize, &Solved)> = (rows.iter())
                    .filter(|row| row.strategy == strategy && row.model == model && row.program == program)
                    .filter_map(|row| Some((row.n, row.solved.as_ref()?)))
                    .collect();
                solved.sort_by_key(|&(n, _)| n);
                solved
            };
            let Some((full, store)) =
                STRATEGIES.iter().find_map(|s| of(s).first().map(|(_, one)| one.fences))
            else {
                continue;
            };
            let cells = STRATEGIES.map(|strategy| {
                let text = match (of(strategy).first(), of(strategy).last()) {
                    (Some((n, first)), Some((m, last))) => {
                        format!("{n}:{} {m}:{}", first.queries, last.queries)
                    }
                    _ => "-".to_owned(),
                };
                format!("{text:>18}")
            });
            println!("{program:10} {model:5} {:>7}  {}", format!("{full}+{store}"), cells.join(""));
        }
    }
}

fn plots(rows: &[Row], folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for program in DRAWN {
        for model in MODELS {
            for quantity in [Quantity::Queries, Quantity::Seconds] {
                let path = folder.join(format!("robmc-{program}-{model}-{}.svg", quantity.name()));
                draw(rows, (program, model), quantity, &path)?;
                println!("plot: {}", path.display());
            }
        }
    }
    Ok(())
}

/// What must be so.
fn judge(rows: &[Row], programs: &[&str]) -> Result<()> {
    // Numbers of fences that were found, with who found them.
    type Found<'a> = BTreeMap<(usize, usize), Vec<&'a str>>;
    let mut wrong = Vec::new();
    let mut fences: BTreeMap<(&str, &str, usize), Found<'_>> = BTreeMap::new();
    for row in rows {
        if let Some(solved) = &row.solved {
            let question = (row.program.as_str(), row.model.as_str(), row.n);
            fences.entry(question).or_default().entry(solved.fences).or_default().push(&row.strategy);
        }
    }
    for ((program, model, n), found) in &fences {
        let minimum = found.iter().find(|(_, who)| who.contains(&DEFAULT)).map(|(count, _)| *count);
        let of_pairs: Vec<_> =
            found.iter().filter(|(_, who)| who.iter().any(|who| *who != DEFAULT)).collect();
        let dearer = minimum.is_some_and(|(full, store)| {
            of_pairs.iter().any(|((more, beside), _)| full > *more || full + store > more + beside)
        });
        if of_pairs.len() > 1 || dearer {
            wrong.push(format!("{program} with {n} under {model}: the numbers of fences differ: {found:?}"));
        }
    }
    if rows.iter().any(|row| row.strategy == "robmc-et") {
        for &program in programs {
            for model in MODELS {
                let found: Vec<Option<&Solved>> = sizes()
                    .map(|n| {
                        let row = rows.iter().find(|row| row.is_of("robmc-et", model, program, n));
                        row.and_then(|row| row.solved.as_ref())
                    })
                    .collect();
                let n_solved = found.iter().flatten().count();
                if n_solved < found.len() {
                    wrong.push(format!(
                        "{program} under {model}: robmc-et solves {n_solved} of {}",
                        found.len()
                    ));
                }
                // Which violations the solver finds differs from size to size; twice as many in the larger half would be
                // more than that.
                let (small, large) = found.split_at(found.len() / 2);
                let most = |half: &[Option<&Solved>]| half.iter().flatten().map(|one| one.queries).max();
                if most(large) > most(small).map(|most| 2 * most) {
                    wrong
                        .push(format!("{program} under {model}: the queries of robmc-et grow with the size"));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}
