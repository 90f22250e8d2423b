//! The reading by the front end: the program is lowered, and the engine `explicit` gives its outcomes and its verdict.

use std::collections::BTreeSet;
use std::time::Duration;

use fencewright_base::{Budget, CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Guarantee, Options, Task, Unknown, Verdict, run, run_outcomes};
use fencewright_engine_explicit::Explicit;
use fencewright_frontend::llvm;
use fencewright_ir::{CellId, Condition, Expr, Program, Property, Quantifier, StateAtom};
use fencewright_memory::Model;

use crate::allowed::{Allowed, Answer, Ends, Subject};

/// How long a search may take.
const TIME: Duration = Duration::from_secs(10);

/// How many states a search may store: seconds, and some hundred megabytes.
const STATES: u64 = 1_000_000;

/// How many objects each place that allocates has: more than a generated program's loops need.
const HEAP: u32 = 8;

/// The reading by the front end.
#[derive(Debug, Clone)]
pub struct Lowered {
    name: String,
    narrow: bool,
    /// The last program, which is asked for under several models.
    last: Option<(String, Result<Observed, Answer>)>,
}

/// A lowered program and the cells of its outcome; `None` for one that is 0 in all executions.
#[derive(Debug, Clone)]
struct Observed {
    program: Program,
    cells: Vec<Option<CellId>>,
}

impl Lowered {
    /// With narrowed domains or without (`llvm::Options::narrow`).
    pub fn new(narrow: bool) -> Self {
        let name = if narrow { "lowered" } else { "lowered, wide domains" };
        Self { name: name.to_owned(), narrow, last: None }
    }

    fn lower(&self, subject: &Subject<'_>) -> Result<Observed, Answer> {
        let out = subject.language.out();
        let mut sources = SourceMap::new();
        let ir = sources.add("program.ll", subject.ir);
        let options = llvm::Options {
            heap_bound: HEAP,
            narrow: self.narrow,
            observed: vec![out.to_owned()],
            ..llvm::Options::default()
        };
        let unit =
            llvm::Unit { sources: &sources, ir, places: None, options: &options, meter: Meter::unlimited() };
        let loaded = llvm::load(&unit).map_err(|problems| {
            let reasons = problems.iter().map(|one| format!("{}: {}", one.code.name, one.message));
            Answer::Refused(reasons.collect::<Vec<_>>().join("; "))
        })?;
        if let Some(objects) = loaded.cut_at_objects {
            return Err(Answer::Unknown(format!("more than {objects} objects of one place")));
        }
        let program = loaded.program;
        let mut cells = vec![None; subject.n_out];
        for (id, _, _) in program.cells() {
            if let Some(number) = number_in(&program.cell_name(id), out)
                && let Some(found) = cells.get_mut(number)
            {
                *found = Some(id);
            }
        }
        Ok(Observed { program, cells })
    }
}

/// The index of a cell of the array: `2` of `out[2]`, `program::OUT[2].v`.
fn number_in(cell: &str, out: &str) -> Option<usize> {
    let path = cell.rsplit("::").next().unwrap_or(cell);
    let index = path.strip_prefix(out)?.strip_prefix('[')?;
    index.split_once(']')?.0.parse().ok()
}

impl Allowed for Lowered {
    fn name(&self) -> &str {
        &self.name
    }

    fn ends(&mut self, subject: &Subject<'_>, model: Model) -> Answer {
        if self.last.as_ref().is_none_or(|(ir, _)| ir != subject.ir) {
            self.last = Some((subject.ir.to_owned(), self.lower(subject)));
        }
        match &self.last {
            Some((_, Ok(observed))) => ends(observed, model),
            Some((_, Err(answer))) => answer.clone(),
            None => Answer::Unknown("nothing was lowered".to_owned()),
        }
    }
}

fn ends(observed: &Observed, model: Model) -> Answer {
    let Observed { program, cells } = observed;
    let task = Task { program, model, options: Options::default() };
    let context = || {
        let budget = Budget { time: Some(TIME), memory: None, states: Some(STATES) };
        Context::quiet(Meter::start(budget, CancelToken::new()))
    };
    let faults = match run(&Explicit, &task, &mut context()) {
        Ok(answer) => match answer.verdict {
            Verdict::Holds(Guarantee::Unbounded) => false,
            Verdict::Violated(_) => true,
            Verdict::Holds(Guarantee::UpTo(bounds)) => return Answer::Unknown(format!("only {bounds:?}")),
            Verdict::Unknown(unknown) => return Answer::Unknown(reason(&unknown)),
        },
        Err(rejected) => return Answer::Broken(format!("internal error: {rejected:?}")),
    };
    let present: Vec<StateAtom> = cells.iter().flatten().map(|cell| StateAtom::Cell(*cell)).collect();
    let property = Property::Final {
        quantifier: Quantifier::Exists,
        condition: Condition { expr: Expr::constant(1), text: String::new(), span: None },
        filter: None,
        observed: present,
    };
    let found = match run_outcomes(&Explicit, &task, &property, &mut context()) {
        Ok(Ok(found)) => found,
        Ok(Err(unknown)) => return Answer::Unknown(reason(&unknown)),
        Err(rejected) => return Answer::Broken(format!("internal error: {rejected:?}")),
    };
    if found.guarantee != Guarantee::Unbounded {
        return Answer::Unknown(format!("only {:?}", found.guarantee));
    }
    let mut outcomes = BTreeSet::new();
    for outcome in &found.outcomes {
        let mut values = outcome.values.iter();
        let whole: Option<Vec<i64>> = cells
            .iter()
            .map(|cell| match cell {
                Some(_) => values.next().and_then(|value| value.to_i64()),
                None => Some(0),
            })
            .collect();
        match whole {
            Some(whole) => {
                outcomes.insert(whole);
            }
            None => return Answer::Unknown("an outcome past 64 bits".to_owned()),
        }
    }
    Answer::Ends(Ends { outcomes, faults })
}

fn reason(unknown: &Unknown) -> String {
    match unknown {
        Unknown::Stopped { stop, explored: _ } => format!("stopped: {stop:?}"),
        other => format!("{other:?}"),
    }
}
