//! Backward from the bad configurations, breadth first, until an initial state is reached or nothing new is found.

use std::collections::VecDeque;

use fencewright_base::{Progress, Stop};
use fencewright_engine::Context;

use crate::antichain::{Antichain, Origin};
use crate::config::Config;
use crate::pre::Move;
use crate::symmetry::{Places, Symmetry, rearranged, renamed};
use crate::system::System;

/// Configurations between two reports of progress.
const REPORT_EVERY: usize = 4096;

/// A run of the late machine from an initial state to a bad one.
#[derive(Debug)]
pub(crate) struct Run {
    /// Its moves in order.
    pub(crate) moves: Vec<Move>,
    /// The configurations before and behind the moves, one more than those.
    pub(crate) configs: Vec<Config>,
}

impl Run {
    /// What it starts with.
    pub(crate) fn initial(&self) -> &Config {
        &self.configs[0]
    }

    /// The bad configuration it ends in.
    pub(crate) fn bad(&self) -> &Config {
        &self.configs[self.moves.len()]
    }
}

/// A run into one of the bad configurations, if there is one. `reduction`: threads that can change places are told apart
/// by nothing.
pub(crate) fn search(
    system: &System<'_>,
    bad: Vec<Config>,
    reduction: bool,
    context: &mut Context<'_>,
) -> Result<Option<Run>, Stop> {
    let mut search = Search {
        system,
        symmetry: if reduction { Symmetry::find(system, &bad) } else { Symmetry::default() },
        arrangements: vec![(0..system.n_threads() as u8).collect()],
        antichain: Antichain::default(),
        open: VecDeque::new(),
        moves: 0,
    };
    let end = search.run(bad, context);
    let statistics = &mut context.statistics;
    statistics.states = search.antichain.kept() as u64;
    statistics.transitions = search.moves;
    statistics.peak_bytes = statistics.peak_bytes.max(search.antichain.held());
    statistics.state_bytes = (search.antichain.held() / search.antichain.len().max(1) as u64) as usize;
    end
}

struct Search<'s, 'p> {
    system: &'s System<'p>,
    symmetry: Symmetry,
    /// The ways in which threads have changed places, those that did not first.
    arrangements: Vec<Places>,
    antichain: Antichain,
    open: VecDeque<u32>,
    moves: u64,
}

impl Search<'_, '_> {
    fn run(&mut self, bad: Vec<Config>, context: &mut Context<'_>) -> Result<Option<Run>, Stop> {
        context.meter.tick()?;
        for config in bad {
            if let Some(run) = self.found(config, None, context)? {
                return Ok(Some(run));
            }
        }
        let mut found = Vec::new();
        let mut expanded = 0;
        while let Some(number) = self.open.pop_front() {
            if self.antichain.is_covered(number) {
                continue;
            }
            if expanded % REPORT_EVERY == 0 {
                let (states, frontier) = (self.antichain.len() as u64, self.open.len() as u64);
                let bytes = self.antichain.held();
                (context.progress)(Progress { phase: "backward", states, frontier, bytes });
            }
            expanded += 1;
            context.meter.tick()?;
            let config = self.antichain.config(self.system, number);
            self.system.predecessors(&config, &mut found);
            for (made, before) in found.drain(..) {
                self.moves += 1;
                if let Some(run) = self.found(before, Some((number, made)), context)? {
                    return Ok(Some(run));
                }
            }
        }
        Ok(None)
    }

    fn found(
        &mut self,
        config: Config,
        from: Option<(u32, Move)>,
        context: &Context<'_>,
    ) -> Result<Option<Run>, Stop> {
        let (config, places) = match self.symmetry.in_order(&config) {
            None => (config, 0),
            Some((config, places)) => (config, self.arrangement(places)),
        };
        let origin = from.map(|(of, made)| Origin { of, made, places });
        let Some(number) = self.antichain.insert(self.system, &config, origin) else { return Ok(None) };
        context.meter.store(self.antichain.len() as u64)?;
        context.meter.hold(self.antichain.held())?;
        if self.system.is_initial(&config) {
            return Ok(Some(self.run_from(number)));
        }
        self.open.push_back(number);
        Ok(None)
    }

    fn arrangement(&mut self, places: Places) -> u16 {
        let known = self.arrangements.iter().position(|known| *known == places);
        let number = known.unwrap_or_else(|| {
            self.arrangements.push(places);
            self.arrangements.len() - 1
        });
        u16::try_from(number).expect("internal error: more arrangements than the threads of a group have")
    }

    /// The run from a configuration to the bad one, in terms of the threads as the first calls them.
    fn run_from(&self, number: u32) -> Run {
        let mut moves = Vec::new();
        let mut configs = vec![self.antichain.config(self.system, number)];
        // What the threads of the first configuration are called in the one that the walk is at.
        let mut names = self.arrangements[0].clone();
        let mut at = number;
        while let Some(Origin { of, made, places }) = self.antichain.element(at).origin {
            let places = &self.arrangements[places as usize];
            names = names.iter().map(|&name| places[name as usize]).collect();
            moves.push(renamed(made, &names));
            configs.push(rearranged(&self.antichain.config(self.system, of), &names));
            at = of;
        }
        Run { moves, configs }
    }
}
