//! Repairs by the literal machine alone, in the words of `synth`: of a text that the lowering does not take, or does not take
//! whole.
//!
//! What stands for the program is its places: a statement for each of them, no threads. So a repair is written into the text
//! and shown as any other. Its executions are the literal machine's and stand beside it ([`LiteralFix`]).

use std::collections::BTreeMap;
use std::sync::Arc;

use fencewright_base::{Budget, Meter, Progress};
use fencewright_engine::{Answer, Bounds, Guarantee, Rejected, Unknown, Verdict};
use fencewright_engine_literal::forbid::Fence;
use fencewright_engine_literal::repair::{self, Repair as Found, repair};
use fencewright_engine_literal::search::{self, Trace as Execution};
use fencewright_frontend::llvm::Places;
use fencewright_ir::edit::Remedy;
use fencewright_ir::{FenceKind, Program, Side, Site, Statement};
use fencewright_literal::machine::FenceKind as Kind;
use fencewright_literal::program::Program as Modules;
use fencewright_memory::{InitialChoices, Model, Trace, replay};
use fencewright_report::fix::LiteralFix;
use fencewright_report::literal::{Literal, LiteralExecution, Standing};
use fencewright_synth::{
    AlreadySafe, Chosen, Costs, Evidence, NotFound, Reason, Repair, Repaired, Want, WrongUnderSc,
};

use super::side::{Side as Speaker, limited};
use super::{NAME, Reading, bounds_of, checks, engine_statistics};
use crate::deadline::{Relay, stopped, within_showing};
use crate::load::Input;
use crate::settings::Search;

/// The repair that is looked for.
#[derive(Copy, Clone)]
pub(crate) struct Wanted<'a> {
    pub(crate) model: Model,
    pub(crate) costs: Costs,
    pub(crate) want: Want,
    /// The budget of all questions together.
    pub(crate) whole: &'a Meter,
    /// That of each.
    pub(crate) each: &'a Budget,
    pub(crate) show: &'a (dyn Fn(Progress<'_>) + Sync),
}

/// What came of it.
pub(crate) struct Mended {
    /// The places of the text, as statements.
    pub(crate) program: Program,
    /// The number of each.
    pub(crate) places: BTreeMap<Site, u32>,
    pub(crate) repair: Repair,
    pub(crate) literal: LiteralFix,
}

/// Looks for a repair on the literal machine.
pub(crate) fn mend(
    input: &Input,
    reading: &Arc<Reading>,
    search: &Search,
    wanted: Wanted<'_>,
) -> Result<Mended, Rejected> {
    let Wanted { model, costs, want, whole, each, show } = wanted;
    let speaker = Speaker {
        reading: reading.clone(),
        sources: input.sources.clone(),
        model,
        buffer: search.options.buffer,
        reduction: search.options.reduction,
    };
    let mending = Mending {
        file: input.file.clone(),
        threads: input.reading_threads(),
        speaker,
        model,
        costs,
        want,
        whole: whole.clone(),
        each: each.clone(),
    };
    let mended = within_showing(whole, show, move |relay| mending.mend(relay));
    mended.unwrap_or_else(|stop| {
        let reason = Reason::Unproved(stopped(NAME, stop, whole));
        let not_found = NotFound { reason, candidate: Vec::new(), cost: 0, exact: false, rounds: 0 };
        let literal = Literal { standing: Standing::Decided, execution: None, checks: checks(reading) };
        Ok(Mended {
            program: Program::nothing(&input.file),
            places: BTreeMap::new(),
            repair: Repair::NotFound(Box::new(not_found)),
            literal: LiteralFix { literal, without: Vec::new() },
        })
    })
}

/// A repair under way: all of it is its own, because it may be abandoned.
struct Mending {
    file: String,
    /// How many threads the user lets be created.
    threads: usize,
    speaker: Speaker,
    model: Model,
    costs: Costs,
    want: Want,
    whole: Meter,
    each: Budget,
}

impl Mending {
    fn mend(&self, relay: &Relay) -> Result<Mended, Rejected> {
        let (program, places) = self.places();
        let &Mending { model, costs, want, ref whole, ref each, .. } = self;
        let show = |progress: Progress<'_>| relay.note(progress);
        let mut remedies = Vec::new();
        let mut offers: Vec<(Fence, u64)> = Vec::new();
        for (&site, &place) in &places {
            for (kind, of_machine) in
                [(FenceKind::Full, Kind::Full), (FenceKind::StoreStore, Kind::StoreStore)]
            {
                let remedy = Remedy::Fence(site, kind);
                offers.push(((place, of_machine), costs.of(&program, remedy)));
                remedies.push(remedy);
            }
        }
        let done = self.speaker.with_program(whole, |modules, settings| {
            let want = match want {
                Want::One => repair::Want::One,
                Want::AllMinimum => repair::Want::AllMinimum,
                Want::AllMinimal => repair::Want::AllMinimal,
            };
            let fixed_buffer = self.speaker.buffer;
            let request = repair::Request { settings, fixed_buffer, offers: &offers, want, progress: &show };
            let mut meter = || whole.part(each.clone(), whole.cancel_token().clone());
            let found = repair(modules, &request, &mut meter)?;
            self.in_words(modules, &program, model, &remedies, &offers, found)
        });
        let rejected = |reason: String| Rejected { engine: NAME, reason };
        let (repair, literal) = match done {
            Ok(told) => told.map_err(rejected)?,
            Err(why) => self.unavailable(why),
        };
        Ok(Mended { program, places, repair, literal })
    }

    /// A statement for each place that the compiler was given a call at.
    fn places(&self) -> (Program, BTreeMap<Site, u32>) {
        let mut program = Program::nothing(&self.file);
        let mut places = BTreeMap::new();
        let (Some(annotated), Some((_, outline, ..))) =
            (self.speaker.annotated(), &self.speaker.reading.text)
        else {
            return (program, places);
        };
        for number in 0..outline.places.len() as u32 {
            let Some(info) = annotated.place(number) else { continue };
            let statement = program.statements.push(Statement {
                text: info.text,
                span: Some(info.span),
                loop_depth: info.loop_depth,
                fence_before: true,
                fence_after: false,
            });
            places.insert(Site { statement, side: Side::Before }, number);
        }
        (program, places)
    }

    fn literal(&self, standing: Standing, execution: Option<LiteralExecution>) -> Literal {
        Literal { standing, execution, checks: checks(&self.speaker.reading) }
    }

    fn answer(&self, verdict: Verdict, statistics: &search::Statistics) -> Answer {
        let statistics = engine_statistics(statistics, &self.whole);
        Answer { engine: NAME, verdict, execution: None, statistics, parts: Vec::new() }
    }

    /// The machine cannot execute the program.
    fn unavailable(&self, why: String) -> (Repair, LiteralFix) {
        let answer = self.answer(Verdict::Unknown(Unknown::Imprecise), &search::Statistics::default());
        let reason = Reason::Unproved(answer);
        let not_found = NotFound { reason, candidate: Vec::new(), cost: 0, exact: true, rounds: 0 };
        let literal = self.literal(Standing::Unavailable(why), None);
        (Repair::NotFound(Box::new(not_found)), LiteralFix { literal, without: Vec::new() })
    }

    /// What was found, as other repairs are told.
    fn in_words(
        &self,
        modules: &Modules<'_>,
        program: &Program,
        model: Model,
        remedies: &[Remedy],
        offers: &[(Fence, u64)],
        found: Found,
    ) -> Result<(Repair, LiteralFix), String> {
        let told = |trace: &Execution| self.speaker.told(modules, trace).map(|(execution, _)| execution);
        let own = |execution| LiteralFix {
            literal: self.literal(Standing::Decided, execution),
            without: Vec::new(),
        };
        let proof =
            |found: &search::Found| self.answer(Verdict::Holds(Guarantee::Unbounded), &found.statistics);
        let chosen = |numbers: &[usize]| numbers.iter().map(|&number| remedies[number]).collect();
        Ok(match found {
            Found::AlreadySafe(found) => {
                let safe = AlreadySafe { proof: proof(&found), unneeded: Vec::new() };
                (Repair::AlreadySafe(Box::new(safe)), own(None))
            }
            Found::Repaired(found) => {
                let mut without = Vec::new();
                let mut parts = Vec::new();
                for (number, trace) in &found.fences {
                    without.push(trace.as_ref().map(told).transpose()?);
                    let (remedy, cost) = (remedies[*number], offers[*number].1);
                    parts.push(Chosen { remedy, cost, evidence: None, spare: false });
                }
                let repaired = Repaired {
                    remedies: parts,
                    cost: found.cost,
                    minimum: true,
                    avoidance: None,
                    program: program.clone(),
                    proof: proof(&found.proof),
                    alternatives: found.alternatives.iter().map(|numbers| chosen(numbers)).collect(),
                    complete: found.complete,
                    unneeded: Vec::new(),
                    rounds: found.rounds,
                };
                (Repair::Repaired(Box::new(repaired)), LiteralFix { without, ..own(None) })
            }
            Found::WrongUnderSc(trace) => {
                let Evidence { program: _, trace: empty, execution } = nothing_of(program, Model::Sc)?;
                let wrong = WrongUnderSc { trace: empty, execution };
                (Repair::WrongUnderSc(Box::new(wrong)), own(Some(told(&trace)?)))
            }
            Found::NotRepairable(trace) => {
                let reason = Reason::NotRepairable(nothing_of(program, model)?);
                let not_found = NotFound { reason, candidate: Vec::new(), cost: 0, exact: true, rounds: 0 };
                (Repair::NotFound(Box::new(not_found)), own(Some(told(&trace)?)))
            }
            Found::Undecided { candidate, cost, found, rounds } => {
                let verdict = match &found.verdict {
                    search::Verdict::Stopped(stop) => {
                        Verdict::Unknown(Unknown::Stopped { stop: *stop, explored: None })
                    }
                    search::Verdict::HoldsUpTo(buffer) => {
                        let bounds = Bounds { buffer: Some(*buffer), ..Bounds::default() };
                        Verdict::Holds(Guarantee::UpTo(bounds))
                    }
                    search::Verdict::Holds => {
                        Verdict::Holds(Guarantee::UpTo(bounds_of(found.partly, self.threads)))
                    }
                    search::Verdict::Refused(refusal) => {
                        return Ok(self.unavailable(self.speaker.refusal(modules, refusal)));
                    }
                    search::Verdict::Limited(limit) => return Ok(self.unavailable(limited(*limit))),
                    search::Verdict::Violated(_) => Verdict::Unknown(Unknown::Imprecise),
                };
                let reason = Reason::Unproved(self.answer(verdict, &found.statistics));
                let candidate = chosen(&candidate);
                let not_found = NotFound { reason, candidate, cost, exact: true, rounds };
                (Repair::NotFound(Box::new(not_found)), own(None))
            }
        })
    }
}

/// The execution in which nothing happens, of a program without threads: the one that is meant stands beside the repair.
fn nothing_of(program: &Program, model: Model) -> Result<Evidence, String> {
    let trace = Trace { model, initial: InitialChoices::default(), actions: Vec::new(), repeats_from: None };
    let execution = replay(program, &trace).map_err(|error| format!("internal error: {error}"))?;
    Ok(Evidence { program: program.clone(), trace, execution })
}
