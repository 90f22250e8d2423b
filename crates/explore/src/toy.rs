//! Toy systems whose graphs are known exactly.

use fencewright_base::{Budget, CancelToken, Meter, Stop};

use crate::{End, Search, SearchConfig, System, search};

/// `n` counters that each run from 0 to `top`, one step at a time in any order: `(top + 1)^n` states, and a transition
/// for every counter of every state that is not at the top.
struct Counters {
    n: usize,
    top: u64,
    goal: Option<u64>,
    interrupt_at: Option<u64>,
}

impl Counters {
    fn value(&self, state: &[u64; 2], i: usize) -> u64 {
        state[i % 2] >> (i / 2 * 8) & 0xff
    }

    fn sum(&self, state: &[u64; 2]) -> u64 {
        (0..self.n).map(|i| self.value(state, i)).sum()
    }
}

impl System<2> for Counters {
    type Worker = u64;
    type Interrupt = &'static str;

    fn worker(&self) -> u64 {
        0
    }

    fn initial(&self, _: &mut u64, emit: &mut impl FnMut(&[u64; 2])) -> Result<(), &'static str> {
        emit(&[0, 0]);
        Ok(())
    }

    fn successors(
        &self,
        expanded: &mut u64,
        state: &[u64; 2],
        emit: &mut impl FnMut(&[u64; 2]),
    ) -> Result<u32, &'static str> {
        *expanded += 1;
        if self.interrupt_at == Some(self.sum(state)) {
            return Err("interrupted");
        }
        for i in 0..self.n {
            if self.value(state, i) < self.top {
                let mut next = *state;
                next[i % 2] += 1 << (i / 2 * 8);
                emit(&next);
            }
        }
        Ok(0)
    }

    fn is_goal(&self, _: &mut u64, state: &[u64; 2]) -> bool {
        self.goal == Some(self.sum(state))
    }
}

fn run(system: &Counters, jobs: usize, budget: Budget) -> Search<2, Counters> {
    let meter = Meter::start(budget, CancelToken::new());
    search(system, &SearchConfig { jobs, stop_at_goal: true, meter: &meter, progress: &|_, _, _| {} })
}

const PLAIN: Counters = Counters { n: 6, top: 6, goal: None, interrupt_at: None };

#[test]
fn counts_are_exact_for_any_number_of_threads() {
    for jobs in [1, 2, 3] {
        let search = run(&PLAIN, jobs, Budget::default());
        assert_eq!(search.end, End::Complete);
        assert_eq!(search.n_states(), 117_649, "7^6");
        assert_eq!(search.transitions, 605_052, "6 counters, 6 of 7 values each can go on: 6 * 6 * 7^5");
        assert_eq!(search.states().count(), 117_649);
        assert_eq!(search.workers.iter().sum::<u64>(), 117_649, "every state is expanded once");
        assert_eq!(search.goals, []);
    }
}

#[test]
fn a_goal_is_found_in_its_layer_and_its_path_is_shortest() {
    let system = Counters { goal: Some(20), ..PLAIN };
    let mut explored = Vec::new();
    for jobs in [1, 2, 3] {
        let search = run(&system, jobs, Budget::default());
        assert_eq!(search.end, End::Goal);
        let path = search.path_to(search.goals[0].state);
        assert_eq!(path.len(), 21, "20 steps");
        assert_eq!(path[0], [0, 0]);
        for step in path.windows(2) {
            assert_eq!(system.sum(&step[1]), system.sum(&step[0]) + 1);
        }
        explored.push((search.n_states(), search.goals.len(), *search.state(search.goals[0].state)));
    }
    assert!(
        explored.windows(2).all(|pair| pair[0] == pair[1]),
        "the same whatever the threads: {explored:?}"
    );
}

#[test]
fn limits_stop_the_search() {
    for jobs in [1, 2] {
        let few = run(&PLAIN, jobs, Budget { states: Some(50_000), ..Budget::default() });
        assert_eq!(few.end, End::Stopped(Stop::States));
        assert!(few.n_states() > 45_000 && few.n_states() < 60_000, "{}", few.n_states());
        let small = run(&PLAIN, jobs, Budget { memory: Some(2_500_000), ..Budget::default() });
        assert_eq!(small.end, End::Stopped(Stop::Memory));
        assert!(small.n_states() > 40_000, "{}", small.n_states());
        let late = run(&PLAIN, jobs, Budget { time: Some(std::time::Duration::ZERO), ..Budget::default() });
        assert_eq!(late.end, End::Stopped(Stop::Time));
    }
}

#[test]
fn an_interruption_voids_the_search() {
    for jobs in [1, 2] {
        let search = run(&Counters { interrupt_at: Some(20), ..PLAIN }, jobs, Budget::default());
        assert_eq!(search.end, End::Interrupted("interrupted"));
    }
}
