//! Violations with few reorderings: an ability of engines that can say which pairs of statements a violation reorders,
//! and can be told to keep some in order. What the algorithms of S. Joshi and D. Kroening (*Property-driven fence insertion
//! using reorder bounded model checking*) ask of a model checker.

use fencewright_ir::StatementId;
use fencewright_memory::{Execution, Trace};

use crate::run::replayed;
use crate::{Context, Engine, Guarantee, Rejected, Task, Unknown, takes};

/// Two statements of one thread whose order the model does not keep (Definition 2 of the paper).
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The one that comes first in the text.
    pub first: StatementId,
    /// The one that may overtake it.
    pub second: StatementId,
    /// Whether both are writes, so that a store-store fence between them is enough.
    pub both_write: bool,
}

/// Which of the executions that differ only in reorderings nobody notices is shown.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum Taste {
    /// One with few reorderings.
    Few,
    /// Any: points that nothing orders come in an order that is drawn by lot, always the same one. This is what the paper's
    /// algorithms without a bound are given, and what makes them explode.
    Any,
}

/// An engine that can be asked about pairs.
pub trait PairEngine: Engine {
    /// The program, ready for questions about its pairs. Called by [`run_pairs`] only, with a task that it supports.
    fn open(
        &self,
        task: &Task<'_>,
        taste: Taste,
        context: &mut Context<'_>,
    ) -> Result<Box<dyn PairQueries>, Unknown>;
}

/// A program with its pairs. Questions share what was learnt.
pub trait PairQueries {
    /// All pairs that can be reordered.
    fn pairs(&self) -> &[Pair];

    /// How far answers reach.
    fn guarantee(&self) -> Guarantee;

    /// Of these pairs, by their places in the list, at least one is kept in order from now on.
    fn keep_one_of(&mut self, pairs: &[usize]);

    /// A violation in which these pairs are kept in order and at most `bound` others are not. Asked through
    /// [`OpenPairs::violation`], which checks the execution.
    fn violation(
        &mut self,
        kept: &[usize],
        bound: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<PairAnswer, Unknown>;
}

/// What comes of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum PairAnswer {
    /// A violation. The trace has not passed the gate.
    Violated {
        /// The execution.
        trace: Trace,
        /// The pairs it reorders.
        reordered: Vec<usize>,
    },
    /// There is none.
    Safe {
        /// Whether there would be none without the bound.
        whatever_the_bound: bool,
    },
}

/// Opens the program for questions about its pairs, if the engine takes the task.
pub fn run_pairs<'t, 'p>(
    engine: &dyn PairEngine,
    task: &'t Task<'p>,
    taste: Taste,
    context: &mut Context<'_>,
) -> Result<OpenPairs<'t, 'p>, Unknown> {
    takes(engine, task)?;
    let queries = engine.open(task, taste, context)?;
    Ok(OpenPairs { engine: engine.name(), task, queries })
}

/// A program with its pairs, behind the gate.
pub struct OpenPairs<'t, 'p> {
    engine: &'static str,
    task: &'t Task<'p>,
    queries: Box<dyn PairQueries>,
}

impl OpenPairs<'_, '_> {
    /// All pairs that can be reordered.
    pub fn pairs(&self) -> &[Pair] {
        self.queries.pairs()
    }

    /// Of these pairs, by their places in the list, at least one is kept in order from now on.
    pub fn keep_one_of(&mut self, pairs: &[usize]) {
        self.queries.keep_one_of(pairs);
    }

    /// A violation in which these pairs are kept in order and at most `bound` others are not, with the execution as the
    /// reference semantics replayed it.
    pub fn violation(
        &mut self,
        kept: &[usize],
        bound: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<Result<(PairAnswer, Option<Execution>), Unknown>, Rejected> {
        let answer = match self.queries.violation(kept, bound, context) {
            Ok(answer) => answer,
            Err(unknown) => return Ok(Err(unknown)),
        };
        let execution = match &answer {
            PairAnswer::Violated { trace, .. } => Some(replayed(self.engine, self.task, trace)?),
            PairAnswer::Safe { .. } => None,
        };
        Ok(Ok((answer, execution)))
    }
}
