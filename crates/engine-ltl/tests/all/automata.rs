//! The translation: automata accept exactly the words that satisfy the formula, and those of well-known formulae are as
//! small as the literature has them.

use fencewright_engine_ltl::{Automaton, automaton};
use fencewright_ir::{CellId, Expr, Formula, StateAtom};
use fencewright_testkit::generate::Rng;

/// Conditions are cells 0, 1, 2: whether cell i is true at a moment is bit i of the letter.
fn p(i: u32) -> Formula {
    Formula::Now(Expr::Atom(StateAtom::Cell(CellId(i))))
}

/// A word that never ends: the letters of the stem, then those of the cycle again and again.
struct Word {
    letters: Vec<u64>,
    back_to: usize,
}

impl Word {
    fn after(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back_to }
    }

    /// By the definition of each operator, looking forward: from any moment all that ever comes, comes within as many
    /// moments as the word has letters.
    fn satisfies(&self, at: usize, formula: &Formula) -> bool {
        let ahead = || {
            let mut moments = vec![at];
            for _ in 0..self.letters.len() {
                moments.push(self.after(moments[moments.len() - 1]));
            }
            moments
        };
        match formula {
            Formula::Const(value) => *value,
            Formula::Now(Expr::Atom(StateAtom::Cell(CellId(i)))) => self.letters[at] >> i & 1 == 1,
            Formula::Now(other) => panic!("{other:?} is no letter"),
            Formula::Not(a) => !self.satisfies(at, a),
            Formula::And(a, b) => self.satisfies(at, a) && self.satisfies(at, b),
            Formula::Or(a, b) => self.satisfies(at, a) || self.satisfies(at, b),
            Formula::Next(a) => self.satisfies(self.after(at), a),
            Formula::Until(a, b) => {
                let moments = ahead();
                let first = moments.iter().position(|&m| self.satisfies(m, b));
                first.is_some_and(|n| moments[..n].iter().all(|&m| self.satisfies(m, a)))
            }
            Formula::Release(a, b) => {
                let moments = ahead();
                let first = moments.iter().position(|&m| self.satisfies(m, a));
                let last = first.unwrap_or(moments.len() - 1);
                moments[..=last].iter().all(|&m| self.satisfies(m, b))
            }
        }
    }

    /// Whether a run of the automaton on the word takes edges of all sets again and again: reachability, and for each
    /// pair of moment and state on a cycle the sets that can be met on a way back to it.
    #[allow(clippy::needless_range_loop, reason = "a matrix: the indices are what is meant")]
    fn is_accepted_by(&self, automaton: &Automaton) -> bool {
        let n_states = automaton.states.len();
        let n = self.letters.len() * n_states;
        let mut edges: Vec<(usize, usize, u64)> = Vec::new();
        for (at, letter) in self.letters.iter().enumerate() {
            for (state, out) in automaton.states.iter().enumerate() {
                let holding = holding(automaton, *letter);
                for edge in out.iter().filter(|edge| edge.fits(holding)) {
                    edges.push((
                        at * n_states + state,
                        self.after(at) * n_states + edge.to as usize,
                        edge.marks,
                    ));
                }
            }
        }
        let mut reach = vec![vec![false; n]; n];
        for (from, to, _) in &edges {
            reach[*from][*to] = true;
        }
        for via in 0..n {
            for from in 0..n {
                if reach[from][via] {
                    for to in 0..n {
                        reach[from][to] |= reach[via][to];
                    }
                }
            }
        }
        let meets = |at: usize, set: u32| {
            edges.iter().any(|&(from, to, marks)| {
                marks >> set & 1 == 1 && (from == at || reach[at][from]) && (to == at || reach[to][at])
            })
        };
        (0..n).any(|at| {
            (at == 0 || reach[0][at]) && reach[at][at] && (0..automaton.sets).all(|set| meets(at, set))
        })
    }
}

/// The automaton's own conditions that hold for a letter.
fn holding(automaton: &Automaton, letter: u64) -> u64 {
    let holds = |condition: &Expr<StateAtom>| match condition {
        Expr::Atom(StateAtom::Cell(CellId(i))) => letter >> i & 1,
        other => panic!("{other:?} is no letter"),
    };
    automaton.conditions.iter().enumerate().map(|(i, condition)| holds(condition) << i).sum()
}

fn random_formula(rng: &mut Rng, depth: usize) -> Formula {
    if depth == 0 || rng.percent(10) {
        return if rng.percent(10) { Formula::Const(rng.percent(50)) } else { p(rng.below(3) as u32) };
    }
    let a = random_formula(rng, depth - 1);
    let kind = rng.below(10);
    let mut with =
        |join: fn(Formula, Formula) -> Formula, a: Formula| join(a, random_formula(rng, depth - 1));
    match kind {
        0 => a.not(),
        1 => a.next(),
        2 => a.finally(),
        3 => a.globally(),
        4 => with(Formula::and, a),
        5 => with(Formula::or, a),
        6 => with(Formula::until, a),
        7 => with(Formula::release, a),
        8 => with(Formula::weak_until, a),
        _ => with(Formula::strong_release, a),
    }
}

#[test]
fn an_automaton_accepts_exactly_the_words_that_satisfy_the_formula() {
    let mut rng = Rng::new(7);
    let mut seen = [0, 0];
    for _ in 0..1_500 {
        let formula = random_formula(&mut rng, 3);
        let yes = automaton(&formula, false).expect("the formula is small");
        let no = automaton(&formula, true).expect("the formula is small");
        for _ in 0..6 {
            let length = 1 + rng.below(5);
            let letters = (0..length).map(|_| rng.below(8) as u64).collect();
            let word = Word { letters, back_to: rng.below(length) };
            let satisfies = word.satisfies(0, &formula);
            let verdicts = (word.is_accepted_by(&yes), word.is_accepted_by(&no));
            assert_eq!(
                verdicts,
                (satisfies, !satisfies),
                "{formula:?} on {:?} -> {}",
                word.letters,
                word.back_to
            );
            seen[usize::from(satisfies)] += 1;
        }
    }
    assert!(seen[0] > 2_000 && seen[1] > 2_000, "{seen:?}");
}

/// States and acceptance sets. The sizes are those that J.-M. Couvreur (FM 1999, section 5) and A. Duret-Lutz, D.
/// Poitrenaud (SPOT, MASCOTS 2004) give for automata with acceptance on transitions; each is easily seen to be least:
/// one state cannot remember whether something has happened or is still owed.
#[test]
fn well_known_formulae_have_small_automata() {
    let (a, b, c) = (|| p(0), || p(1), || p(2));
    let again = |f: Formula| f.finally().globally();
    let known: [(&str, Formula, usize, u32); 14] = [
        ("true", Formula::Const(true), 1, 0),
        ("false", Formula::Const(false), 0, 0),
        ("G a", a().globally(), 1, 0),
        ("F a", a().finally(), 2, 1),
        ("X a", a().next(), 3, 0),
        ("a U b", a().until(b()), 2, 1),
        ("a R b", a().release(b()), 2, 0),
        ("GF a", again(a()), 1, 1),
        ("FG a", a().globally().finally(), 2, 1),
        ("GF a && GF b", again(a()).and(again(b())), 1, 2),
        ("GF a && GF b && GF c", again(a()).and(again(b())).and(again(c())), 1, 3),
        ("G (a -> F b)", a().implies(b().finally()).globally(), 2, 1),
        ("!G (a -> F b)", a().implies(b().finally()).globally().not(), 2, 1),
        ("!(GF a -> G (b -> F c))", again(a()).implies(b().implies(c().finally()).globally()).not(), 2, 1),
    ];
    for (text, formula, states, sets) in known {
        let automaton = automaton(&formula, false).expect("the formula is small");
        assert_eq!((automaton.states.len(), automaton.sets), (states, sets), "{text}: {automaton:?}");
    }
}

#[test]
fn a_formula_that_would_need_a_huge_automaton_is_refused() {
    let all = (0..70).map(p).reduce(Formula::and).expect("there are some");
    assert!(automaton(&all, false).is_err(), "more conditions than an edge can speak of");
    let many = (0..20).map(|i| p(i).finally()).reduce(Formula::and).expect("there are some");
    assert!(automaton(&many, false).is_err(), "two to the power of twenty states");
}
