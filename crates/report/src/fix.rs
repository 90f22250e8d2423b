//! What a repair says to a person. The `repair` object of JSON is made in `fix_json`.

use std::fmt::{self, Write};

use fencewright_base::SourceMap;
use fencewright_engine::{Answer, Guarantee, Verdict};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program, Side, StatementId};
use fencewright_memory::Model;
use fencewright_synth::{Avoidance, Chosen, Evidence, Reason, Repair};

use crate::terminal::{Style, execution, statistics, why};
use crate::words::{checked, count};

/// A repair of one program under one model.
#[derive(Debug, Clone)]
pub struct FixReport<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// The program as it was.
    pub program: &'a Program,
    /// The files its spans point into.
    pub sources: &'a SourceMap,
    /// The model.
    pub model: Model,
    /// What came of it.
    pub repair: &'a Repair,
    /// The change of the user's file, if there is one.
    pub diff: Option<&'a str>,
}

/// The result in a line.
pub fn headline(report: &FixReport<'_>, style: Style) -> String {
    let (word, color, what) = match report.repair {
        Repair::AlreadySafe(_) => ("HOLDS", "1;32", "proved as it is, nothing to repair".to_owned()),
        Repair::Repaired(repaired) => {
            let remedies: Vec<Remedy> = repaired.remedies.iter().map(|chosen| chosen.remedy).collect();
            let how = match (&repaired.avoidance, repaired.minimum) {
                (Some(avoidance), _) => {
                    format!("proved, the cheapest for the avoid formula of {}", avoidance.abstraction)
                }
                (None, true) => "minimum, proved".to_owned(),
                (None, false) => "proved, perhaps not the fewest".to_owned(),
            };
            ("REPAIRED", "1;32", format!("{}: {how}", tally(&remedies)))
        }
        Repair::WrongUnderSc(_) => {
            ("WRONG", "1;31", "violated under sequential consistency too, no fence can help".to_owned())
        }
        Repair::NotFound(not_found) => match &not_found.reason {
            Reason::NotRepairable(_) => {
                ("NOT REPAIRED", "1;31", "violated with every fence in place".to_owned())
            }
            Reason::GaveUp(_) => {
                ("UNKNOWN", "1;33", "too many candidates were violated, given up".to_owned())
            }
            Reason::Unproved(answer) => {
                let what =
                    format!("the cheapest candidate is neither refuted nor proved ({})", unproved(answer));
                ("UNKNOWN", "1;33", what)
            }
            Reason::Unavoidable { abstraction, finer } => {
                let what = format!(
                    "the abstraction {abstraction} has a violation that no fence excludes; try --abstraction {finer}"
                );
                ("NOT REPAIRED", "1;31", what)
            }
            Reason::NotInferred { abstraction, unknown } => {
                let what = format!("there is no avoid formula of {abstraction}: {}", why(unknown));
                ("UNKNOWN", "1;33", what)
            }
            Reason::Refuted(_) => {
                ("UNKNOWN", "1;33", "what the avoid formula gives is violated at a fence".to_owned())
            }
        },
    };
    let word = style.paint(word, color);
    format!("{} under {}: {word} — {what}\n", report.file, report.model.name().to_uppercase())
}

/// The result, each remedy with the execution that makes it necessary, the change of the file, and the proof.
pub fn details(report: &FixReport<'_>, style: Style) -> String {
    let mut out = headline(report, style);
    write_details(&mut out, report, style).expect("writing to a string does not fail");
    out
}

fn write_details(out: &mut String, report: &FixReport<'_>, style: Style) -> fmt::Result {
    let FixReport { file: _, program, sources, model: _, repair, diff } = report;
    let properties = checked(program);
    if !properties.is_empty() {
        writeln!(out, "  property: {}", properties.join("; "))?;
    }
    let show = |out: &mut String, Evidence { program, trace, execution: seen }: &Evidence| {
        out.push('\n');
        out.push_str(&execution(program, sources, trace, seen, style));
    };
    match repair {
        Repair::AlreadySafe(safe) => {
            write_unneeded(out, program, sources, &safe.unneeded)?;
            writeln!(out, "  {}", statistics(&safe.proof))
        }
        Repair::Repaired(repaired) => {
            for Chosen { remedy, cost, evidence, spare } in &repaired.remedies {
                write!(out, "\n  {} (cost {cost})", place(program, sources, *remedy))?;
                match evidence {
                    Some(evidence) => {
                        out.push_str("; without it:\n");
                        show(out, evidence);
                    }
                    None if *spare => {
                        out.push_str("; proved without it too, only the abstraction asks for it\n");
                    }
                    None => out.push_str("; whether it is needed was not decided\n"),
                }
            }
            if let Some(diff) = diff {
                write!(out, "\n{diff}")?;
            }
            out.push('\n');
            for alternative in &repaired.alternatives {
                let places: Vec<String> =
                    alternative.iter().map(|&remedy| place(program, sources, remedy)).collect();
                writeln!(out, "  or: {}", places.join("; "))?;
            }
            if !repaired.complete {
                writeln!(out, "  there may be more repairs than are listed")?;
            }
            write_unneeded(out, &repaired.program, sources, &repaired.unneeded)?;
            if let Some(Avoidance { abstraction, states, transitions }) = &repaired.avoidance {
                let (states, transitions) = (count(*states, "state"), count(*transitions, "transition"));
                writeln!(out, "  the avoid formula of {abstraction}: {states}, {transitions}")?;
                return writeln!(out, "  the repaired program: {}", statistics(&repaired.proof));
            }
            let rounds = count(repaired.rounds as u64, "candidate");
            writeln!(out, "  {rounds} tried; the repaired program: {}", statistics(&repaired.proof))
        }
        Repair::WrongUnderSc(wrong) => {
            out.push('\n');
            out.push_str(&execution(program, sources, &wrong.trace, &wrong.execution, style));
            Ok(())
        }
        Repair::NotFound(not_found) => match &not_found.reason {
            Reason::NotRepairable(evidence) | Reason::GaveUp(evidence) | Reason::Refuted(evidence) => {
                show(out, evidence);
                Ok(())
            }
            Reason::Unproved(answer) => {
                for &remedy in &not_found.candidate {
                    writeln!(out, "  candidate: {}", place(program, sources, remedy))?;
                }
                if not_found.exact {
                    writeln!(out, "  no repair costs less than {}", not_found.cost)?;
                }
                writeln!(out, "  {}", statistics(answer))
            }
            Reason::Unavoidable { .. } | Reason::NotInferred { .. } => Ok(()),
        },
    }
}

fn write_unneeded(
    out: &mut String,
    program: &Program,
    sources: &SourceMap,
    unneeded: &[StatementId],
) -> fmt::Result {
    for &statement in unneeded {
        let line =
            line_of(program, sources, statement).map_or(String::new(), |line| format!("line {line}: "));
        writeln!(out, "  {line}`{}` is not needed", program.statements[statement].text)?;
    }
    Ok(())
}

/// `1 full fence, 2 store-store fences`.
fn tally(remedies: &[Remedy]) -> String {
    let number = |wanted: fn(&Remedy) -> bool| remedies.iter().filter(|remedy| wanted(remedy)).count() as u64;
    let full = number(|remedy| matches!(remedy, Remedy::Fence(_, FenceKind::Full)));
    let store = number(|remedy| matches!(remedy, Remedy::Fence(_, FenceKind::StoreStore)));
    let atomic = number(|remedy| matches!(remedy, Remedy::Atomic(_)));
    let parts = [(full, "full fence"), (store, "store-store fence"), (atomic, "atomic write")];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(*n, what)).collect();
    parts.join(", ")
}

/// ``line 31, behind `write: x := 1`: full fence``.
fn place(program: &Program, sources: &SourceMap, remedy: Remedy) -> String {
    let (statement, side, kind) = match remedy {
        Remedy::Fence(site, FenceKind::Full) => (site.statement, side_text(site.side), "full fence"),
        Remedy::Fence(site, FenceKind::StoreStore) => {
            (site.statement, side_text(site.side), "store-store fence")
        }
        Remedy::Atomic(statement) => (statement, "", "atomic write"),
    };
    let line = line_of(program, sources, statement).map_or(String::new(), |line| format!("line {line}, "));
    format!("{line}{side}`{}`: {kind}", program.statements[statement].text)
}

fn side_text(side: Side) -> &'static str {
    match side {
        Side::Before => "before ",
        Side::After => "behind ",
    }
}

fn line_of(program: &Program, sources: &SourceMap, statement: StatementId) -> Option<usize> {
    program.statements[statement].span.map(|span| sources.line_column(span).line)
}

fn unproved(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Holds(Guarantee::UpTo(_)) => "no violation, but within bounds only".to_owned(),
        Verdict::Unknown(unknown) => why(unknown),
        Verdict::Holds(Guarantee::Unbounded) | Verdict::Violated(_) => "decided".to_owned(),
    }
}
