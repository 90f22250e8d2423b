//! What a repair says to a person. The `repair` object of JSON is made in `fix_json`, the results of SARIF in `fix_sarif`.

use std::fmt::{self, Write};

use fencewright_base::{SourceMap, Span};
use fencewright_engine::{Answer, Guarantee, Verdict};
use fencewright_ir::edit::Remedy;
use fencewright_ir::{Edge, FenceKind, Op, OrderId, OrderWord, Program, Side, StatementId};
use fencewright_memory::{Execution, Model};
use fencewright_synth::{Avoidance, Chosen, Evidence, NotFound, Reason, Repair, Repaired};

use crate::literal::{Literal, LiteralExecution, Standing, write_execution};
use crate::table::wrap;
use crate::terminal::{Style, execution, guarantee_text, statistics, why, write_unknown};
use crate::words::{asked, count, violation_text};

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
    /// The repair as a change of the user's file, if there is one.
    pub patch: Option<&'a Patch>,
    /// The atomic writes of the repair as a list beside the file, where its language has no way to write them.
    pub atomic_list: Option<&'a str>,
    /// How the fences that are not needed can be taken out of the file, each for itself.
    pub removals: &'a [Removal],
    /// How many places of the text say what must never happen.
    pub stated: usize,
    /// Of a compiled program, what is looked for whatever its text states, a word each.
    pub looked_for: Option<&'a [String]>,
    /// What the literal machine says, if the program was compiled.
    pub literal: Option<&'a LiteralFix>,
}

/// What the literal machine has to do with a repair. Where the repair is its own, so are the executions: the repair has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralFix {
    /// How it stands to the answer, and the execution that shows that there is no repair.
    pub literal: Literal,
    /// For each remedy of a repair of its own what happens without it.
    pub without: Vec<Option<LiteralExecution>>,
}

impl FixReport<'_> {
    /// What is checked, in the user's words; nothing if the text states nothing.
    pub(crate) fn checked(&self) -> Vec<String> {
        match self.literal {
            Some(fix) if fix.literal.standing == Standing::Decided => fix.literal.checks.clone(),
            _ => asked(self.program, self.stated, self.looked_for),
        }
    }

    /// Whether the text states nothing that could be violated.
    pub(crate) fn states_nothing(&self) -> bool {
        asked(self.program, self.stated, self.looked_for).is_empty()
    }

    /// The execution of the literal machine that shows that there is no repair.
    pub(crate) fn literal_execution(&self) -> Option<&LiteralExecution> {
        self.literal?.literal.execution.as_ref()
    }

    /// The execution of the literal machine without one of the remedies.
    pub(crate) fn literally_without(&self, remedy: usize) -> Option<&LiteralExecution> {
        self.literal?.without.get(remedy)?.as_ref()
    }
}

/// A repair as a change of the user's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// As a unified diff.
    pub diff: String,
    /// For each remedy, in the order of the repair, its part of the change. Where the parts cannot be told apart the
    /// first has all of it and the others nothing. No two of all these replacements meet.
    pub parts: Vec<Vec<Replacement>>,
}

/// A piece of text that is replaced; an insertion replaces nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub span: Span,
    /// By this.
    pub text: String,
}

/// A fence of the program that is not needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its statement, in the program as it was.
    pub statement: StatementId,
    /// The change of the file that takes it out; none if that cannot be written.
    pub edits: Vec<Replacement>,
}

/// The result in a line.
pub fn headline(report: &FixReport<'_>, style: Style) -> String {
    let (word, color, what) = match report.repair {
        Repair::AlreadySafe(_) if report.states_nothing() => {
            ("EXPLORED", "1;33", "the file states no property, so there is nothing to repair".to_owned())
        }
        Repair::AlreadySafe(_) => {
            let proved = guarantee_text(report.model, &Guarantee::Unbounded);
            ("HOLDS", "1;32", format!("{proved}, nothing to repair"))
        }
        Repair::Repaired(repaired) => ("REPAIRED", "1;32", summary(repaired)),
        Repair::WrongUnderSc(_) => {
            ("WRONG", "1;31", "violated under sequential consistency too, no fence can help".to_owned())
        }
        Repair::NotFound(found) => not_found(found),
    };
    let word = style.paint(word, color);
    format!("{} under {}: {word} — {what}\n", report.file, report.model.name().to_uppercase())
}

/// `2 full fences: minimum, proved`.
pub(crate) fn summary(repaired: &Repaired) -> String {
    let remedies: Vec<Remedy> = repaired.remedies.iter().map(|chosen| chosen.remedy).collect();
    let how = match (&repaired.avoidance, repaired.minimum) {
        (Some(avoidance), _) => {
            format!("proved, the cheapest for the avoid formula of {}", avoidance.abstraction)
        }
        (None, true) => "minimum, proved".to_owned(),
        (None, false) => "proved, perhaps not the fewest".to_owned(),
    };
    format!("{}: {how}", tally(&remedies))
}

/// What there is instead of a repair: a word, its colour, and why.
pub(crate) fn not_found(found: &NotFound) -> (&'static str, &'static str, String) {
    match &found.reason {
        Reason::NotRepairable(_) => (
            "NOT REPAIRED",
            "1;31",
            "violated with a fence at every place where one can be written".to_owned(),
        ),
        Reason::GaveUp(_) => {
            ("UNKNOWN", "1;33", "given up: too many sets of fences were tried and violated".to_owned())
        }
        Reason::Unproved(answer) => {
            let whose = match found.candidate[..] {
                [] => "the program as it is",
                _ => "the cheapest set of fences that is left",
            };
            ("UNKNOWN", "1;33", format!("{whose} was neither proved nor refuted ({})", unproved(answer)))
        }
        Reason::Unavoidable { avoidance: Avoidance { abstraction, .. }, finer } => {
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
            ("UNKNOWN", "1;33", "what the strategy gives is violated at a fence".to_owned())
        }
        Reason::NoHazard(_) => {
            let what = "of the last violation no write was pending while another thread touched its variable";
            ("UNKNOWN", "1;33", what.to_owned())
        }
        Reason::NoPairs(unknown) => {
            let what = format!("the pairs that must keep their order were not found: {}", why(unknown));
            ("UNKNOWN", "1;33", what)
        }
        Reason::NoPlace => {
            let what = "no fence can be written between statements that must keep their order".to_owned();
            ("UNKNOWN", "1;33", what)
        }
    }
}

/// The result, each remedy with the execution that makes it necessary, the change of the file, and the proof.
pub fn details(report: &FixReport<'_>, style: Style) -> String {
    let mut out = headline(report, style);
    write_details(&mut out, report, style).expect("writing to a string does not fail");
    out
}

fn write_details(out: &mut String, report: &FixReport<'_>, style: Style) -> fmt::Result {
    let FixReport { program, sources, repair, patch, atomic_list, .. } = report;
    let properties = report.checked();
    if !properties.is_empty() {
        writeln!(out, "  property: {}", properties.join("; "))?;
    }
    out.push('\n');
    match repair {
        Repair::AlreadySafe(safe) => {
            write_unneeded(out, report, "the program")?;
            write_standing(out, report, style)?;
            writeln!(out, "  proved by {}", statistics(&safe.proof))
        }
        Repair::Repaired(repaired) => {
            for (number, Chosen { remedy, cost, evidence, spare }) in repaired.remedies.iter().enumerate() {
                writeln!(out, "  {} (cost {cost})", place(program, sources, *remedy))?;
                if let Some(execution) = report.literally_without(number) {
                    write_literal(out, "without it", execution, style)?;
                    continue;
                }
                match evidence {
                    Some(evidence) => {
                        writeln!(out, "  without it: {}\n", violated(sources, evidence))?;
                        show(out, sources, evidence, style);
                    }
                    None if *spare && repaired.avoidance.is_some() => {
                        out.push_str("  proved without it too: only the abstraction asks for it\n\n");
                    }
                    None if *spare => out.push_str("  proved without it too\n\n"),
                    None => out.push_str("  whether it is needed was not decided\n\n"),
                }
            }
            if let Some(patch) = patch {
                writeln!(out, "{}", patch.diff)?;
            }
            if let Some(list) = atomic_list {
                writeln!(out, "  as a file for --atomic:")?;
                list.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
                out.push('\n');
            }
            for alternative in &repaired.alternatives {
                let places: Vec<String> =
                    alternative.iter().map(|&remedy| place(program, sources, remedy)).collect();
                writeln!(out, "  another repair: {}", places.join("; "))?;
            }
            if !repaired.complete {
                writeln!(out, "  there may be more repairs than are listed")?;
            }
            write_unneeded(out, report, "the repaired program")?;
            write_standing(out, report, style)?;
            if let Some(avoidance) = &repaired.avoidance {
                write_avoidance(out, avoidance)?;
                return writeln!(out, "  the repaired program was proved by {}", statistics(&repaired.proof));
            }
            let rounds = count(repaired.rounds as u64, "set");
            let made_of =
                match repaired.remedies.iter().any(|chosen| matches!(chosen.remedy, Remedy::Atomic(_))) {
                    true => "remedies",
                    false => "fences",
                };
            writeln!(
                out,
                "  {rounds} of {made_of} tried, the last one proved by {}",
                statistics(&repaired.proof)
            )
        }
        Repair::WrongUnderSc(wrong) => {
            if let Some(execution) = report.literal_execution() {
                return write_literal(out, "under SC", execution, style);
            }
            writeln!(out, "  under SC: {}\n", outcome(program, sources, &wrong.execution))?;
            out.push_str(&execution(program, sources, &wrong.trace, &wrong.execution, None, style));
            write_standing(out, report, style)
        }
        Repair::NotFound(not_found) => match &not_found.reason {
            Reason::NotRepairable(evidence) => {
                if let Some(execution) = report.literal_execution() {
                    return write_literal(out, "with all fences in place", execution, style);
                }
                writeln!(out, "  with all fences in place: {}\n", violated(sources, evidence))?;
                show(out, sources, evidence, style);
                Ok(())
            }
            Reason::GaveUp(evidence) | Reason::Refuted(evidence) | Reason::NoHazard(evidence) => {
                writeln!(out, "  with the last set of fences: {}\n", violated(sources, evidence))?;
                show(out, sources, evidence, style);
                Ok(())
            }
            Reason::Unproved(answer) => {
                for &remedy in &not_found.candidate {
                    writeln!(out, "  of that set: {}", place(program, sources, remedy))?;
                }
                if not_found.exact && !not_found.candidate.is_empty() {
                    writeln!(out, "  no repair costs less than {}", not_found.cost)?;
                }
                if let Verdict::Unknown(unknown) = &answer.verdict {
                    write_unknown(out, unknown, &answer.statistics, sources)?;
                }
                write_standing(out, report, style)?;
                writeln!(out, "  {}", statistics(answer))
            }
            Reason::Unavoidable { avoidance, finer: _ } => write_avoidance(out, avoidance),
            Reason::NotInferred { .. } | Reason::NoPairs(_) | Reason::NoPlace => Ok(()),
        },
    }
}

/// An execution of the literal machine, and when it happens.
fn write_literal(out: &mut String, when: &str, execution: &LiteralExecution, style: Style) -> fmt::Result {
    writeln!(out, "  {when}: {}\n", execution.message)?;
    write_execution(out, execution, style)?;
    out.push('\n');
    Ok(())
}

fn write_standing(out: &mut String, report: &FixReport<'_>, style: Style) -> fmt::Result {
    let sentence = report.literal.and_then(|fix| fix.literal.standing.sentence());
    for line in sentence.iter().flat_map(|sentence| wrap(sentence, style.width.saturating_sub(2))) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn write_avoidance(out: &mut String, avoidance: &Avoidance) -> std::fmt::Result {
    let Avoidance { abstraction, searches, states, transitions } = avoidance;
    let (states, transitions) = (count(*states, "state"), count(*transitions, "transition"));
    let sets = count(*searches, "set");
    writeln!(
        out,
        "  the avoid formula of {abstraction}: {sets} of fences tried, at most {states}, {transitions}"
    )
}

/// The execution as a table. Which fence forbids it is what the report around it says.
fn show(out: &mut String, sources: &SourceMap, evidence: &Evidence, style: Style) {
    let Evidence { program, trace, execution: seen } = evidence;
    out.push_str(&execution(program, sources, trace, seen, None, style));
}

fn violated(sources: &SourceMap, Evidence { program, trace: _, execution }: &Evidence) -> String {
    outcome(program, sources, execution)
}

/// What an execution comes to, in the middle of a sentence.
fn outcome(program: &Program, sources: &SourceMap, execution: &Execution) -> String {
    match &execution.violation {
        Some(violation) => violation_text(program, sources, violation, execution),
        None => "this is possible".to_owned(),
    }
}

fn write_unneeded(out: &mut String, report: &FixReport<'_>, whose: &str) -> fmt::Result {
    let FixReport { program, sources, .. } = report;
    for Removal { statement, edits: _ } in report.removals {
        let line =
            line_of(program, sources, *statement).map_or(String::new(), |line| format!("line {line}: "));
        writeln!(out, "  {line}{}", Unneeded::of(program, *statement).text(program, whose, ""))?;
    }
    Ok(())
}

/// What of a statement is not needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unneeded {
    /// All of it: it is a fence and nothing else.
    Statement(StatementId),
    /// The order that this word gives to a store.
    Order(StatementId, String),
    /// A fence in it.
    Fence(StatementId),
}

impl Unneeded {
    /// What `unneeded` means by the statement: the fences in its steps, whatever else these do.
    pub(crate) fn of(program: &Program, statement: StatementId) -> Self {
        let of_statement = |edge: &Edge| edge.step.statement == statement;
        let mut steps = (program.threads.iter_enumerated()).flat_map(|(t, thread)| {
            let edges = thread.edges.iter_enumerated().filter(|(_, edge)| of_statement(edge));
            edges.map(move |(e, edge)| (t, e, &edge.step))
        });
        let is_fence = |op: &Op| matches!(op, Op::Fence(_));
        let mut word = None;
        let mut all_plain = true;
        let mut only_fences = true;
        for (thread, edge, step) in &mut steps {
            only_fences &= step.ops.iter().all(is_fence);
            if step.ops.iter().any(is_fence) {
                all_plain &= step.lock.is_none();
                let orders = program.orders.iter();
                let own = orders.filter(|order| order.steps.contains(&(thread, edge)));
                word = own.map(|order| &order.word).next().or(word);
            }
        }
        match word {
            _ if only_fences => Unneeded::Statement(statement),
            // Without its fence a plain store is a relaxed one.
            Some(word) if all_plain => Unneeded::Order(statement, word.clone()),
            _ => Unneeded::Fence(statement),
        }
    }

    /// In a sentence about the program, under the model if that is named.
    pub(crate) fn text(&self, program: &Program, whose: &str, under: &str) -> String {
        match self {
            Unneeded::Statement(statement) => {
                let text = &program.statements[*statement].text;
                format!("`{text}` is not needed{under}: without it {whose} is still proved")
            }
            Unneeded::Order(statement, word) => {
                let text = &program.statements[*statement].text;
                format!(
                    "the order `{word}` of `{text}` is not needed{under}: with a relaxed one {whose} is still proved"
                )
            }
            Unneeded::Fence(statement) => {
                let text = &program.statements[*statement].text;
                format!("the fence in `{text}` is not needed{under}: without it {whose} is still proved")
            }
        }
    }
}

/// `1 full fence, 2 store-store fences`.
pub(crate) fn tally(remedies: &[Remedy]) -> String {
    let number = |wanted: fn(&Remedy) -> bool| remedies.iter().filter(|remedy| wanted(remedy)).count() as u64;
    let full = number(|remedy| matches!(remedy, Remedy::Fence(_, FenceKind::Full)));
    let store = number(|remedy| matches!(remedy, Remedy::Fence(_, FenceKind::StoreStore)));
    let atomic = number(|remedy| matches!(remedy, Remedy::Atomic(_)));
    let order = number(|remedy| matches!(remedy, Remedy::Order(..)));
    let parts = [
        (full, "full fence"),
        (store, "store-store fence"),
        (atomic, "atomic write"),
        (order, "stronger order"),
    ];
    let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(*n, what)).collect();
    parts.join(", ")
}

/// ``line 31: a full fence behind `write: x := 1` ``.
pub(crate) fn place(program: &Program, sources: &SourceMap, remedy: Remedy) -> String {
    let line = remedy.span(program).map(|span| sources.line_column(span).line);
    format!("{}{}", line.map_or(String::new(), |line| format!("line {line}: ")), wanted(program, remedy))
}

/// ``a full fence behind `write: x := 1` ``.
pub(crate) fn wanted(program: &Program, remedy: Remedy) -> String {
    match remedy {
        Remedy::Fence(site, kind) => {
            let kind = match kind {
                FenceKind::Full => "full fence",
                FenceKind::StoreStore => "store-store fence",
            };
            let side = match site.side {
                Side::Before => "before",
                Side::After => "behind",
            };
            format!("a {kind} {side} `{}`", program.statements[site.statement].text)
        }
        Remedy::Atomic(statement) => format!("an atomic write in `{}`", program.statements[statement].text),
        Remedy::Order(order, kind) => {
            let OrderWord { text, word, .. } = &program.orders[order];
            let stronger = stronger_word(program, order, kind).unwrap_or("a stronger order");
            format!("`{stronger}` for `{word}` in `{text}`")
        }
    }
}

/// The word of the text that a stronger order takes.
pub(crate) fn stronger_word(program: &Program, order: OrderId, kind: FenceKind) -> Option<&str> {
    let words = &program.orders[order].stronger;
    words.iter().find(|(has, _)| *has == kind).map(|(_, word)| word.as_str())
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
